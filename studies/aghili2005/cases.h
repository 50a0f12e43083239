// [Aghili2005]: F. Aghili, A unified approach for inverse and direct dynamics of constrained multibody
// systems based on linear projection operator, IEEE Transactions on Robotics 21 (2005).
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies::aghili {

std::vector<study::Case> inertia_cases();       // III to V, (68), (69)
std::vector<study::Case> misprint_cases();      // (16), (23), (38), (79); (49), (51), (52)
std::vector<study::Case> slider_crank_cases();  // section VIII-A, Fig. 4
std::vector<study::Case> control_cases();       // section VIII-B, Table I, Figs. 5, 6
std::vector<study::Case> particle_cases();      // section V-D
std::vector<study::Case> unit_cases();          // sections II-A.1, VII-B
std::vector<study::Case> inertia_cost_cases();  // section V-A
std::vector<study::Case> decoupling_cases();    // sections V-C, VII-C, Appendix IV
std::vector<study::Case> experiment_cases();    // section IX, Table II, Fig. 8

}  // namespace tactus::studies::aghili

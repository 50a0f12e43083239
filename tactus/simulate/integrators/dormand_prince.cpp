#include <tactus/simulate/integrators/dormand_prince.h>

#include <algorithm>
#include <cmath>

namespace tactus::simulate {

// Printed in [Hairer1993, II.5] as the program DOP853 has them; tests/simulate/dormand_prince_test.cpp holds them to
// the conditions of their order. e5 and e3 are the weights b minus those of the embedded formulas.
const std::array<double, 12> DormandPrince853::c{0.0,
                                                 5.26001519587677318786e-2,
                                                 7.89002279381515978178e-2,
                                                 1.18350341907227396727e-1,
                                                 2.81649658092772603273e-1,
                                                 3.33333333333333333333e-1,
                                                 2.5e-1,
                                                 3.07692307692307692308e-1,
                                                 6.51282051282051282051e-1,
                                                 6.0e-1,
                                                 8.57142857142857142857e-1,
                                                 1.0};
const std::array<double, 12> DormandPrince853::b{5.42937341165687622381e-2,
                                                 0.0,
                                                 0.0,
                                                 0.0,
                                                 0.0,
                                                 4.45031289275240888144,
                                                 1.89151789931450038304,
                                                 -5.80120396001058478147,
                                                 3.11164366957819894409e-1,
                                                 -1.52160949662516078556e-1,
                                                 2.01365400804030348375e-1,
                                                 4.47106157277725905177e-2};
const std::array<double, 12> DormandPrince853::e5{1.31200449941948807325e-2,
                                                  0.0,
                                                  0.0,
                                                  0.0,
                                                  0.0,
                                                  -1.22515644637620444072,
                                                  -4.95758949657250191521e-1,
                                                  1.66437718245498653696,
                                                  -3.50328848749973681689e-1,
                                                  3.3417911871301747903e-1,
                                                  8.19232064851157124657e-2,
                                                  -2.23553078638862952588e-2};
const std::array<double, 12> DormandPrince853::e3{-1.89800754072407615715e-1,
                                                  0.0,
                                                  0.0,
                                                  0.0,
                                                  0.0,
                                                  4.45031289275240888144,
                                                  1.89151789931450038304,
                                                  -5.80120396001058478147,
                                                  -4.22682321323791962932e-1,
                                                  -1.52160949662516078556e-1,
                                                  2.01365400804030348375e-1,
                                                  2.26517921983608258118e-2};
const std::array<std::array<double, 12>, 12> DormandPrince853::a{{
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {5.26001519587677318786e-2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {1.97250569845378994545e-2, 5.91751709536136983634e-2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {2.95875854768068491817e-2, 0.0, 8.87627564304205475451e-2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {2.41365134159266685502e-1, 0.0, -8.84549479328286085345e-1, 9.24834003261792003116e-1, 0.0, 0.0, 0.0,
     0.0, 0.0, 0.0, 0.0, 0.0},
    {3.7037037037037037037e-2, 0.0, 0.0, 1.7082860872947387128e-1, 1.25467687566822425017e-1, 0.0, 0.0, 0.0,
     0.0, 0.0, 0.0, 0.0},
    {3.7109375e-2, 0.0, 0.0, 1.70252211019544039315e-1, 6.0216538980455960685e-2, -1.7578125e-2, 0.0, 0.0,
     0.0, 0.0, 0.0, 0.0},
    {3.70920001185047927109e-2, 0.0, 0.0, 1.7038392571223999381e-1, 1.07262030446373284652e-1,
     -1.53194377486244017528e-2, 8.27378916381402288758e-3, 0.0, 0.0, 0.0, 0.0, 0.0},
    {6.24110958716075717114e-1, 0.0, 0.0, -3.36089262944694129407, -8.68219346841726006818e-1,
     2.75920996994467083049e1, 2.01540675504778934086e1, -4.34898841810699588477e1, 0.0, 0.0, 0.0, 0.0},
    {4.7766253643826436589e-1, 0.0, 0.0, -2.48811461997166764193, -5.90290826836842996371e-1,
     2.12300514481811942347e1, 1.52792336328824235833e1, -3.32882109689848629194e1,
     -2.03312017085086261358e-2, 0.0, 0.0, 0.0},
    {-9.37142430085987325717e-1, 0.0, 0.0, 5.1863724288440637083, 1.09143734899672957819,
     -8.14978701074692612514, -1.85200656599969598642e1, 2.27394870993505042819e1, 2.49360555267965238987,
     -3.04676447189821950038, 0.0, 0.0},
    {2.27331014751653820792, 0.0, 0.0, -1.05344954667372501984e1, -2.0008720582248624991,
     -1.79589318631187989173e1, 2.79488845294199600508e1, -2.85899827713502369474, -8.87285693353062954434,
     1.23605671757943030647e1, 6.43392746015763530356e-1, 0.0},
}};

namespace {

constexpr std::size_t kStages = DormandPrince853::kStages;
/// The next step is that which would have had the error one by the tolerances, with a margin and within bounds
/// [Hairer1993, II.4].
constexpr double kMargin = 0.9, kLeast = 1.0 / 6.0, kMost = 6.0;
/// The error goes with this power of the step.
constexpr double kPower = 8.0;

}  // namespace

DormandPrince::DormandPrince(std::size_t size, double absolute_tolerance, double relative_tolerance)
    : absolute_(absolute_tolerance), relative_(relative_tolerance), place_(size), next_(size) {
  k_.fill(std::vector<double>(size));
}

void DormandPrince::stages(Chart& chart, const double* x, double t, double dt) {
  if (!slope_known_) chart.slope(t, x, k_[0].data());
  for (std::size_t s = 1; s < kStages; ++s) {
    for (std::size_t i = 0; i < place_.size(); ++i) {
      double sum = 0.0;
      for (std::size_t r = 0; r < s; ++r) sum += DormandPrince853::a[s][r] * k_[r][i];
      place_[i] = x[i] + dt * sum;
    }
    chart.slope(t + DormandPrince853::c[s] * dt, place_.data(), k_[s].data());
  }
}

void DormandPrince::combine(const double* x, double dt) {
  for (std::size_t i = 0; i < next_.size(); ++i) {
    double sum = 0.0;
    for (std::size_t s = 0; s < kStages; ++s) sum += DormandPrince853::b[s] * k_[s][i];
    next_[i] = x[i] + dt * sum;
  }
}

/// By the tolerances, with E5 and E3 the largest entries of the two estimates: h E5^2/sqrt(E5^2 + E3^2/100), which goes
/// with h^8 [Hairer1993, II.10]. NaN where something is not finite.
double DormandPrince::error(const double* x, double dt) const {
  constexpr double kPart = 0.01;
  double E5 = 0.0, E3 = 0.0;
  for (std::size_t i = 0; i < next_.size(); ++i) {
    double five = 0.0, three = 0.0;
    for (std::size_t s = 0; s < kStages; ++s) {
      five += DormandPrince853::e5[s] * k_[s][i];
      three += DormandPrince853::e3[s] * k_[s][i];
    }
    const double allowed = absolute_ + relative_ * std::max(std::abs(x[i]), std::abs(next_[i]));
    five = std::abs(five) / allowed;
    three = std::abs(three) / allowed;
    if (!std::isfinite(five) || !std::isfinite(three)) return std::nan("");
    E5 = std::max(E5, five);
    E3 = std::max(E3, three);
  }
  return E5 == 0.0 ? 0.0 : dt * E5 * E5 / std::sqrt(E5 * E5 + kPart * E3 * E3);
}

bool DormandPrince::attempt(Chart& chart, double* x, double& t, double& dt) {
  stages(chart, x, t, dt);
  combine(x, dt);
  const double e = error(x, dt);
  if (!(e <= 1.0)) {  // NaN too
    slope_known_ = true;
    dt *= std::isfinite(e) ? std::clamp(kMargin * std::pow(e, -1.0 / kPower), kLeast, kMargin) : kLeast;
    return false;
  }
  slope_known_ = false;
  std::copy(next_.begin(), next_.end(), x);
  t += dt;
  dt *= e > 0.0 ? std::clamp(kMargin * std::pow(e, -1.0 / kPower), kLeast, kMost) : kMost;
  return true;
}

void DormandPrince::force(Chart& chart, double* x, double t, double dt) {
  stages(chart, x, t, dt);
  combine(x, dt);
  slope_known_ = false;
  std::copy(next_.begin(), next_.end(), x);
}

}  // namespace tactus::simulate

// Linear models as text, as JSON and as a picture.
#pragma once

#include <string>
#include <vector>

#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/linear/linear_model.h>

namespace tactus::apps {

struct LinearPoint {
  double value = 0.0;  // of what is swept
  simulate::LinearModel model;
  std::vector<simulate::InitialChange> changes{};  // of the state that was given, to meet the constraints
  std::vector<std::string> family{};  // of a motion that was searched: what can be chosen otherwise
};

/// Where a motion begins or ceases to grow.
struct StabilityChange {
  double value = 0.0;
  bool begins_to_grow = false;
};

struct LinearReport {
  std::string model, swept;  // swept: "" where there is one point only
  std::vector<std::string> notes;
  bool matrices = false;
  std::vector<LinearPoint> points;
  std::vector<StabilityChange> changes{};
  bool searched = false;  // the points are motions found by a search: they are printed
  std::vector<std::string> coordinates{}, speeds{}, efforts{};  // names of q, u, tau
};

std::string as_text(const LinearReport& report);
std::string as_json(const LinearReport& report);
/// Real and imaginary parts over what is swept, each eigenvalue followed from point to point.
std::string as_picture(const LinearReport& report);

}  // namespace tactus::apps

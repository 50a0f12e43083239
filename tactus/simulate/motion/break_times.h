// When forces that a script gives as functions of time jump or bend: `if(t - 0.5, ...)`, `step(t - 1)`, `sign(sin(9*t))`,
// `max(0, 2 - t)`, `floor(5*t)`. No integrator keeps its order across such a time; steps end there instead.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <tactus/algebra/function.h>
#include <tactus/describe/model/model.h>

namespace tactus::simulate {

/// One time, or all of `at + k period` with whole k.
struct BreakTime {
  double at = 0.0;      // [s]
  double period = 0.0;  // [s] 0: once
};

class BreakTimes {
 public:
  BreakTimes() = default;
  /// Of a function with an input `t`: the zeros of conditions that are linear in t or the sine or cosine of such, and the
  /// steps of floor(). Conditions of the state, and others of time, are not known beforehand.
  explicit BreakTimes(const algebra::Function& function);
  /// The same of several functions together.
  explicit BreakTimes(std::span<const algebra::Function> functions);

  bool empty() const { return breaks_.empty(); }
  const std::vector<BreakTime>& all() const { return breaks_; }
  /// The first one at or after t; infinite where there is none.
  double next(double t) const;

  /// [s] A condition changes its sign this near to its break time, because of rounding.
  static double blur(double at);

 private:
  void add(double at, double period);
  void look_into(const algebra::Function& function);
  void put_in_order();

  std::vector<BreakTime> breaks_;  // periodic ones first; the others rise
  std::size_t periodic_ = 0;       // how many of the first
};

/// Of the laws of forces that the model itself gives, and of the script's loads, where there are any. Null where there are
/// none.
std::shared_ptr<const BreakTimes> break_times_of(const describe::Model& model,
                                                 const std::optional<algebra::Function>& loads);

}  // namespace tactus::simulate

// One attempt of Boost.Odeint's Rosenbrock method of order 4, with an error control of our own whose memory can be
// saved, behind plain types: the
// uBLAS that it is built on does not compile as C++20 in Debian's Boost, so its one source file is C++17 (see
// CMakeLists.txt).
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace tactus::simulate {

class Rosenbrock {
 public:
  /// x' = f(t, x)
  struct System {
    virtual ~System() = default;
    virtual void rates(double t, const double* x, double* rate) = 0;
    /// df/dx by rows, and df/dt.
    virtual void derivatives(double t, const double* x, double* dfdx, double* dfdt) = 0;
  };

  Rosenbrock(std::size_t size, double absolute_tolerance, double relative_tolerance);
  ~Rosenbrock();
  Rosenbrock(const Rosenbrock&) = delete;
  Rosenbrock& operator=(const Rosenbrock&) = delete;

  /// True: x and t moved by dt, and dt is the proposal for the next step. False: the error was too large;
  /// only dt changed, to what should be tried instead.
  bool attempt(System& system, double* x, double& t, double& dt);
  /// Moves x by dt, whatever the error.
  void force(System& system, double* x, double t, double dt);

  /// What the error control remembers: the last accepted step and its error; zeros at first.
  const std::array<double, 2>& pace() const { return pace_; }
  void set_pace(const std::array<double, 2>& pace) { pace_ = pace; }
  void forget() { pace_ = {}; }

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
  std::array<double, 2> pace_{};
};

}  // namespace tactus::simulate

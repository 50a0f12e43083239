// Random states of a model, and functions evaluated at them.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::derive {

inline describe::Model model_named(const std::string& name) {
  return describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml");
}

struct State {
  double t = 0.0;
  std::vector<double> q, u, udot, tau, wrench;
};

inline State random_state(const describe::Model& model, unsigned seed, std::size_t wrench_size = 0) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  State s;
  s.t = uniform(generator);
  for (const describe::Joint& joint : model.joints) {
    const bool is_free = joint.type == describe::JointType::free;
    if (is_free) {
      for (int k = 0; k < 3; ++k) s.q.push_back(uniform(generator));
    }
    if (is_free || joint.type == describe::JointType::spherical) {
      double c[4], norm = 0.0;
      for (double& x : c) {
        x = uniform(generator);
        norm += x * x;
      }
      for (const double x : c) s.q.push_back(x / std::sqrt(norm));
    } else {
      for (std::size_t k = 0; k < joint.axes.size(); ++k) s.q.push_back(uniform(generator));
    }
  }
  for (int k = 0; k < model.nv(); ++k) {
    s.u.push_back(uniform(generator));
    s.udot.push_back(uniform(generator));
    s.tau.push_back(uniform(generator));
  }
  for (std::size_t k = 0; k < wrench_size; ++k) s.wrench.push_back(uniform(generator));
  return s;
}

/// One output block of a function at a state. Joint rates ("qd") are taken from `u`.
inline std::vector<double> value(const Function& function, const State& s, const std::string& output,
                                 generate::Rounding rounding = generate::Rounding::fused) {
  generate::Evaluator evaluator(generate::compile(function, generate::Backend::interpreter, rounding));
  const auto put = [&](const char* name, std::span<const double> x) {
    const std::span<double> in = evaluator.input(name);
    if (!in.empty()) std::copy_n(x.begin(), in.size(), in.begin());
  };
  put("t", std::span(&s.t, 1));
  put("q", s.q);
  put("u", s.u);
  put("qd", s.u);
  put("udot", s.udot);
  put("tau", s.tau);
  put("wrench", s.wrench);
  evaluator.run();
  const std::span<const double> out = evaluator.output(output);
  EXPECT_FALSE(out.empty()) << "no output " << output;
  return {out.begin(), out.end()};
}

using support::largest;

/// Largest difference, relative to the largest entry (or 1).
inline double difference(const std::vector<double>& x, const std::vector<double>& y) {
  return support::difference(x, y) / support::larger(1.0, support::largest(x), support::largest(y));
}

/// y = A x, A by rows.
inline std::vector<double> times(const std::vector<double>& A, const std::vector<double>& x) {
  std::vector<double> y(A.size() / x.size(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += A[i * x.size() + j] * x[j];
  return y;
}

/// Two roads to the same number differ by the rounding of some hundred operations on numbers of order one.
inline constexpr double kRounding = 1e-11;

}  // namespace tactus::derive

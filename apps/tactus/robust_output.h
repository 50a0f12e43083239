// What `tactus robust` found, as text, as JSON, as tables and as pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tactus/control/arm/robustness.h>
#include <tactus/control/arm/trial.h>

namespace tactus::apps {

/// At a point of a motion.
struct PointReport {
  std::string model, law, poles;  // poles: "-12+-45i"
  double rate = 0.0;              // [Hz]
  double t = 0.0;
  std::vector<std::string> joints;
  std::vector<double> q, qd, qdd;
  std::vector<control::Complex> open;
  struct Loop {
    bool sampled = false;
    std::vector<control::Complex> poles;
    std::vector<control::StabilityRange> ranges;  // of model_errors()
    struct Crossing {
      double limit = 0.0;
      control::Complex root;  // on the border there
    };
    std::vector<std::vector<Crossing>> crossings;  // of model_errors(), where there are loci
    std::vector<control::RootLocus> loci;
  };
  std::vector<Loop> loops;  // continuous, sampled
};

std::string as_text(const PointReport& report);
std::string as_json(const PointReport& report);
std::string as_picture(const PointReport& report);
/// The loci: loop, error, its value, and the real and imaginary parts of all roots.
std::string as_csv(const PointReport& report);

struct TrialReport {
  std::string model, law, poles;
  double rate = 0.0, duration = 0.0;
  const control::TrialArm* arm = nullptr;
  std::vector<control::TrialOutcome> trials;
};

std::string as_text(const TrialReport& report);
std::string as_json(const TrialReport& report);
/// How many trials have at most such an error.
std::string as_picture(const TrialReport& report);
/// A line for each trial: what was drawn, what came out.
std::string as_csv(const TrialReport& report);

}  // namespace tactus::apps

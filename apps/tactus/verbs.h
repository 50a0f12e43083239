// The verbs of the program, one file each: add_<verb> declares the verb's options on the program and what to
// do when it is called (a CLI11 subcommand with a callback); it is declared below and called in main.cpp. A
// verb throws InputError for what the user must mend, and Failed where its answer is "no".
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <tactus/base/output_file.h>
#include <tactus/describe/read/load.h>

namespace tactus::apps {

/// Exit codes, the same for every verb.
enum ExitCode : int {
  kOk = 0,
  kFailed = 1,    // the work was done, and a check failed or the simulation diverged
  kBadInput = 2,  // a flag, a file or an expression that the user must mend
  kInternal = 3,  // our own mistake
};

/// The verb's answer is "no": printed, and the program ends with kFailed.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The model of a verb: MODEL, --set NAME=VALUE, --floating, --angles.
struct ModelChoice {
  std::string path;
  std::vector<std::string> settings;
  bool floating = false;
  std::string angles = "near";

  void add_to(CLI::App& verb);
  describe::Model load() const;
  /// The file as it is; empty where it cannot be read.
  std::string text() const;
  /// The same from a text that stands for the file.
  describe::Model load_text(const std::string& text) const;
  /// What no output may overwrite: the file, those that it includes, and the meshes that they name.
  std::vector<NamedFile> files(const describe::Model& model) const;

  describe::Settings pairs() const;
  describe::Reading reading() const;
};

void add_check(CLI::App& program);
void add_derive(CLI::App& program);
void add_generate(CLI::App& program);
void add_eval(CLI::App& program);
void add_linear(CLI::App& program);
void add_ik(CLI::App& program);
void add_robust(CLI::App& program);
void add_simulate(CLI::App& program);
void add_devices(CLI::App& program);
void add_haptic(CLI::App& program);
void add_replay(CLI::App& program);
void add_serve(CLI::App& program);
void add_study(CLI::App& program);

}  // namespace tactus::apps

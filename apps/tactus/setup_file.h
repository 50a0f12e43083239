// Settings of a verb in a file: the long names of its options as the keys of a YAML map.
//
//   model: ../models/shopping_cart.yaml      # seen from the file's folder
//   device: simulated:planar                 # model:FILE and the like, too, where that file is there
//   hand: file:strokes.yaml                  # the same
//   rate: 4000
//   set: [m=20, L=0.5]
//
// What is given on the command line counts more.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <tactus/base/error.h>

namespace tactus::apps {

/// --setup and --save-setup. Afterwards MODEL need not be on the command line.
struct SetupFile {
  std::string read, write;

  void add_to(CLI::App& verb);
  /// In the verb's callback: options that were not given get the file's values. Throws InputError with the place in the file.
  void apply(CLI::App& verb);
  /// The same from the text of such a file, which stands in `file`.
  void apply_text(CLI::App& verb, const std::string& text, const std::string& file);
  /// An error without a line is thrown again with the place of the setting that it is about, where that stands in the file: the one that it names (`--max-force`), whose value it
  /// quotes, or that is known of it (SettingError).
  void place(const InputError& error) const;

 private:
  struct Taken {
    std::string key, value;
    Place place;
  };
  const Taken* first_about(const InputError& error) const;  // of a SettingError; null: none of the file

  std::vector<Taken> taken_;  // from the file
};

/// The settings in effect, as the text of such a file; `model` as it is given.
std::string setup_text(const CLI::App& verb);

}  // namespace tactus::apps

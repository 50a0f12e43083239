// What a user asks to have generated, by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tactus/derive/equations.h>

namespace tactus::generate {

/// The words that may be asked for, with what they mean: {"inverse-dynamics", "tau = ..."}, ...
struct Word {
  std::string name;  // "jacobian:FRAME" for those that take a frame's name
  std::string meaning;
};
const std::vector<Word>& words();

/// The functions asked for, in order. Blocks are as in equations.h, without t where nothing depends on it.
/// Throws InputError for words and frames that do not exist.
std::vector<algebra::Function> requested_functions(const derive::Equations& equations,
                                                   std::span<const std::string> requests);

}  // namespace tactus::generate

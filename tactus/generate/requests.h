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
/// Those for models with constraints.
const std::vector<Word>& constraint_words();

/// The functions asked for, in order. Blocks are as in equations.h, without t where nothing depends on it. Of a model with
/// constraints, those that leave the constraints out say so in their names: forward_dynamics_open_tree. `rows`: of the
/// constraints, those that constrained dynamics takes (independent ones, simulate::independent_rows(); empty: all).
/// Throws InputError for words and frames that do not exist.
std::vector<algebra::Function> requested_functions(const derive::Equations& equations,
                                                   std::span<const std::string> requests,
                                                   const std::vector<bool>& rows = {});

}  // namespace tactus::generate

// Equations for one set of constraints and contacts, derived and compiled: the templates of active_set.h run
// on expressions, behind the terms of the mechanism, of which only what the set needs remains.
//
// The graph folds exactly and the code rounds operation by operation, so the kernels give the bits that the
// templates give on numbers (algebra::Folding::exact, generate::Rounding::separate).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tactus/contact/events/terms.h>
#include <tactus/contact/rederive/set_key.h>
#include <tactus/generate/kernel.h>

namespace tactus::contact {

/// The code of a set. Inputs of all three: t q u tau wrench, then kTouchNumbers for each touch.
struct SetCode {
  std::size_t rows = 0;            // m: rows of the system for accelerations
  std::size_t position_rows = 0;   // of those, such as hold positions
  generate::Kernel accelerations;  // -> udot [nv], qdot [nq], health [m], slip [2 per touch]
  generate::Kernel position;       // -> error, du [nv], health
  generate::Kernel velocity;       // -> error [m], du [nv], health [m]

  double derive_seconds = 0.0, compile_seconds = 0.0;
  std::size_t bytes = 0;       // of machine code
  std::size_t operations = 0;  // of the accelerations
};

class Formulator {
 public:
  /// Larger sets are left to the general path: straight-line code would no longer fit the caches.
  static constexpr std::size_t kMostSpeeds = 64, kMostRows = 48;
  /// Doubles of scratch memory that a kernel may ask for.
  static constexpr std::size_t kMostWork = 1 << 14;

  /// Copies the terms (derive::Equations::contact_terms, as `layout` has them) into a graph of its own.
  Formulator(const TermsKernel& layout, const algebra::Function& terms);

  /// Nothing where the set is too large.
  std::optional<SetCode> formulate(const SetKey& key);

 private:
  algebra::Function accelerations(const SetForm& set, std::vector<TouchNumbers<algebra::Expr>> numbers);
  algebra::Function errors(const SetForm& set, Level level,
                           const std::vector<TouchNumbers<algebra::Expr>>& numbers);

  const TermsKernel& layout_;
  std::shared_ptr<algebra::Graph> graph_;
  std::vector<algebra::Expr> terms_;
  std::vector<algebra::Block> inputs_;         // t q u tau wrench
  std::vector<algebra::Expr> number_symbols_;  // for as many touches as a key has
  std::vector<algebra::Block> with_touches_;   // inputs of the present set
  std::size_t base_ = 0;                       // nodes that stay
};

}  // namespace tactus::contact

#include <tactus/derive/recursion/batch_forms.h>

#include <tactus/derive/equations_implementation.h>

namespace tactus::derive {

namespace {

/// Trees deeper than this keep their dots: measured, what is carried down is ahead at 30 and far behind at 100, where it no longer fits
/// any cache.
constexpr int kCarriedDepth = 40;

}  // namespace

Function mass_matrix_for_batches(const Equations& equations) {
  Function function = equations.mass_matrix();
  const Derivation self(equations.model(), equations.options());
  if (depth_of(self.raw) > kCarriedDepth) return function;
  const Graph::Scope scope(*self.graph);
  return self.function(
      function.name, function.meaning, self.symbols->inputs(false, {}, false),
      {block("M", function.outputs.front().meaning, self.nv(), self.nv(), self.mass_matrix())});
}

}  // namespace tactus::derive

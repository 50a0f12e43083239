#include <tactus/derive/recursion/batch_forms.h>

#include <tactus/derive/equations_implementation.h>

namespace tactus::derive {

Function mass_matrix_for_batches(const Equations& equations) {
  Function function = equations.mass_matrix();
  const Derivation self(equations.model(), equations.options());
  const Graph::Scope scope(*self.graph);
  return self.function(
      function.name, function.meaning, self.symbols->inputs(false, {}, false),
      {block("M", function.outputs.front().meaning, self.nv(), self.nv(), self.mass_matrix())});
}

}  // namespace tactus::derive

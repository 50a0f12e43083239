// The smallest program that uses an installed Tactus.
#include <cstdio>

#include <tactus/algebra/expr.h>

int main() {
  using namespace tactus::algebra;
  Graph graph;
  Graph::Scope scope(graph);
  const Expr q = symbol("q");
  const Expr one = sin(q) * sin(q) + cos(q) * cos(q);
  std::printf("%g\n", one.is_constant() ? one.value() : -1.0);
  return one.is_constant(1.0) ? 0 : 1;
}

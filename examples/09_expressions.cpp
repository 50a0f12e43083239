// The expression graph by itself: folding, derivatives, and a function made into machine code.
#include <cmath>
#include <cstdio>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/function.h>
#include <tactus/algebra/print.h>
#include <tactus/generate/kernel.h>

int main() {
  using namespace tactus::algebra;
  const auto graph = std::make_shared<Graph>();
  const Graph::Scope scope(*graph);

  const Expr q = symbol("q"), a = symbol("a");
  const Expr one = sin(q) * sin(q) + cos(q) * cos(q);
  const Expr f = exp(-a * q) * cos(3 * q);
  const Expr df = derivative(f, q);
  std::printf("sin(q)^2 + cos(q)^2 = %s\n", to_text(one).c_str());
  std::printf("f = %s\ndf/dq = %s\n", to_text(f).c_str(), to_text(df).c_str());

  const Function function{"slope",
                          "f and df/dq",
                          graph,
                          {{"q", "", 1, 1, {q}}, {"a", "", 1, 1, {a}}},
                          {{"f", "", 1, 1, {f}}, {"df", "", 1, 1, {df}}}};
  tactus::generate::Evaluator slope(tactus::generate::compile(function));
  slope.input("q")[0] = 0.3;
  slope.input("a")[0] = 0.5;
  slope.run();
  std::printf("at q = 0.3, a = 0.5: f = %.15g, df/dq = %.15g\n", slope.output("f")[0], slope.output("df")[0]);

  const double expected = std::exp(-0.15) * (-0.5 * std::cos(0.9) - 3.0 * std::sin(0.9));
  return one.is_constant(1.0) && std::abs(slope.output("df")[0] - expected) < 1e-15 ? 0 : 1;
}

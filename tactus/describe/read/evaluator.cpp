#include <tactus/describe/read/evaluator.h>

#include <tactus/base/check.h>

namespace tactus::describe {

double Evaluator::operator()(Expr number) {
  if (number.is_constant()) return number.value();
  const std::size_t size = model_.graph->size();
  values_.resize(std::max(values_.size(), size));
  done_.resize(values_.size(), false);
  std::vector<const algebra::Node*> stack{number.node()};  // formulas may be deep: no recursion
  while (!stack.empty()) {
    const algebra::Node* node = stack.back();
    if (is_done(node)) {
      stack.pop_back();
      continue;
    }
    bool ready = true;
    for (const algebra::Node* operand : {node->a, node->b, node->c}) {
      if (operand == nullptr || is_done(operand)) continue;
      ready = false;
      stack.push_back(operand);
    }
    if (!ready) continue;
    stack.pop_back();
    double value = node->value;
    if (node->op == algebra::Op::symbol) {
      value = value_of(model_, Expr(node));
    } else if (node->op != algebra::Op::constant) {
      const auto at = [&](const algebra::Node* operand) {
        return operand == nullptr ? 0.0 : values_[operand->id];
      };
      value = algebra::apply(node->op, at(node->a), at(node->b), at(node->c));
    }
    values_[node->id] = value;
    done_[node->id] = true;
  }
  return values_[number.id()];
}

}  // namespace tactus::describe

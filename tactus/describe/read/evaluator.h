// Values of a model's numbers with its parameters as given, each part of the graph computed once.
#pragma once

#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// For reading and checking, where many numbers are evaluated at the same parameters. The parameters' values
/// must not change while it lives; new parameters may come. Otherwise as value_of(model, number).
class Evaluator {
 public:
  explicit Evaluator(const Model& model) : model_(model) {}
  double operator()(Expr number);

 private:
  bool is_done(const algebra::Node* node) const { return node->id < done_.size() && done_[node->id]; }

  const Model& model_;
  std::vector<double> values_;  // by node id
  std::vector<bool> done_;
};

}  // namespace tactus::describe

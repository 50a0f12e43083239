// From a model to the links that the recursions run on.
#pragma once

#include <tactus/algebra/expr.h>
#include <tactus/derive/tree/tree.h>
#include <tactus/describe/model/model.h>

namespace tactus::derive {

/// Brings a model's numbers into the current graph: folded to constants, or with the parameters as symbols.
class Numbers {
 public:
  Numbers(const describe::Model& model, bool keep_parameters) : model_(model), keep_(keep_parameters) {}

  algebra::Expr operator()(algebra::Expr number) const;
  Vec3<algebra::Expr> operator()(const Vec3<algebra::Expr>& v) const;
  Mat3<algebra::Expr> operator()(const Mat3<algebra::Expr>& A) const;
  Pose<algebra::Expr> operator()(const Pose<algebra::Expr>& X) const;

 private:
  const describe::Model& model_;
  bool keep_;
};

/// The parameters that the model's formulas hold and their values, for algebra::substitute; none where they
/// are kept as symbols.
struct FoldedParameters {
  FoldedParameters(const describe::Model& model, bool keep_parameters);
  std::vector<algebra::Expr> from, to;
};

/// The model's links over Expr, in the current graph.
Tree<algebra::Expr> build_tree(const describe::Model& model, const Numbers& numbers);

/// The same tree in numbers; all its expressions must be constants.
Tree<double> numeric(const Tree<algebra::Expr>& tree);

}  // namespace tactus::derive

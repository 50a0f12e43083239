// From a model to the links that the recursions run on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/tree/tree.h>
#include <tactus/describe/model/model.h>

namespace tactus::derive {

/// Brings a model's numbers into the current graph: folded to constants, or with some of the parameters as symbols.
class Numbers {
 public:
  /// All parameters folded.
  explicit Numbers(const describe::Model& model);
  /// With those as symbols that the options keep.
  Numbers(const describe::Model& model, const Options& options);

  /// Names of the parameters that stay symbols, in the model's order.
  const std::vector<std::string>& kept() const { return kept_; }

  algebra::Expr operator()(algebra::Expr number) const;
  /// Formulas that hold other symbols besides parameters: those stay.
  std::vector<algebra::Expr> formulas(std::span<const algebra::Expr> roots) const;
  Vec3<algebra::Expr> operator()(const Vec3<algebra::Expr>& v) const;
  Mat3<algebra::Expr> operator()(const Mat3<algebra::Expr>& A) const;
  Pose<algebra::Expr> operator()(const Pose<algebra::Expr>& X) const;

 private:
  const describe::Model& model_;
  std::vector<std::string> kept_;
  std::vector<algebra::Expr> folded_;  // symbols of the model's graph
  std::vector<double> values_;         // of those
};

/// The model's links over Expr, in the current graph.
Tree<algebra::Expr> build_tree(const describe::Model& model, const Numbers& numbers);

/// The same tree in numbers; all its expressions must be constants.
Tree<double> numeric(const Tree<algebra::Expr>& tree);

}  // namespace tactus::derive

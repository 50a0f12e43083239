// Formulas of a sheet whose lines are sums of products, F*_1 = -(m_B + m_C) u1_dot + ...: the factors are written one by one, each in its
// shortest form, and then joined.
#pragma once

#include <string>
#include <vector>

#include <tactus/derive/readable/sheet_parts.h>

namespace tactus::derive {

/// Formulas of one sheet: each in its shortest form; those that stay long share temporaries.
class FormulaWriter {
 public:
  FormulaWriter(const algebra::Graph& graph, int digits) : graph_(graph), digits_(digits) {}

  /// Equal formulas in different forms: the shortest is written. A factor cannot be broken over lines.
  std::size_t add(std::vector<Expr> forms, bool factor);
  /// Writes all that has been added, and the section of what they share.
  SheetSection write();

  const WrittenEquation& operator[](std::size_t k) const { return written_[k]; }

 private:
  struct Formula {
    std::vector<Expr> forms;
    bool factor;
  };
  const algebra::Graph& graph_;
  int digits_;
  std::vector<Formula> formulas_;
  std::vector<WrittenEquation> written_;
};

/// A sum that grows term by term, in both notations.
class WrittenSum {
 public:
  /// factor * what, with the sign turned where `minus`.
  void add(const WrittenEquation& factor, const std::string& what, const std::string& latex_what,
           bool minus = false);
  /// A formula as it stands.
  void add(const WrittenEquation& formula);

  std::string text() const { return text_.empty() ? "0" : text_; }
  std::string latex() const { return latex_.empty() ? "0" : latex_; }

 private:
  std::string text_, latex_;
};

}  // namespace tactus::derive

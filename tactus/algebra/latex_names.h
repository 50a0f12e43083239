// Names that would print as one symbol are kept apart: of q1 and q_1, both of which are $q_{1}$ by themselves, the shorter one keeps the
// symbol, and the other is printed as it is written. Which names there are, only who prints knows:
//
//   const LatexNames names({"q1", "q_1", "omega"});
//   const LatexNames::Scope scope(names);      // for what this thread prints until the scope ends
//   latex_name("q_1");                         // \mathrm{q\_1}
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace tactus::algebra {

class LatexNames {
 public:
  /// `letters`: of matrices and vectors that are printed beside them, in LaTeX; a name that looks like one, or like an element M_{11} of
  /// one, is printed as it is written.
  explicit LatexNames(const std::vector<std::string>& names, const std::vector<std::string>& letters = {});

  class Scope {
   public:
    explicit Scope(const LatexNames& names);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const LatexNames* previous_;
  };

  /// The name must be printed as it is written, where the current scope has another of its symbol.
  static bool is_literal(std::string_view name);

 private:
  std::unordered_set<std::string> literal_;
};

}  // namespace tactus::algebra

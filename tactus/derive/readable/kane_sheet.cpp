// Kane's method written out: from the speeds to the equations of motion, first without, then with the constraints embedded.
//
//   A_B u + C = 0                                   rows of the constraints                      [Gillespie2003, (3)]
//   u_d = D u_i + E                                 dependent speeds by independent ones         (5)
//   v~_r = v_r + sum_s v_s D_sr                     constrained partial velocities               (26)
//   v~_t = v_t + sum_s v_s E_s
//   F~_r = F_r + sum_s D_sr F_s,  F~*_r likewise    and F~_r + F~*_r = 0                         (44)-(46)
//
// with the dependent speeds and their rates, udot_d = D udot_i + delta, eliminated.
#include <algorithm>
#include <deque>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/algebra/trig_form.h>
#include <tactus/base/error.h>
#include <tactus/derive/constraints/embedding.h>
#include <tactus/derive/constraints/linear_solution.h>
#include <tactus/derive/constraints/mobility.h>
#include <tactus/derive/linear/partition.h>
#include <tactus/derive/readable/formula_writer.h>
#include <tactus/derive/readable/kane_tables.h>
#include <tactus/derive/readable/shortest_form.h>
#include <tactus/describe/read/load.h>

namespace tactus::derive {

namespace {

using algebra::Block;

/// Tables of more speeds than these are no reading.
constexpr int kMostSpeeds = 24;
/// Rows that hold more than one speed and are eliminated by formulas: beyond, no one would read what comes out.
constexpr std::size_t kMostEmbeddedRows = 3;
/// Motors' speeds are natural independent ones.
constexpr double kActuated = 0.05;

std::string in_latex(const std::string& name) {
  std::string escaped;
  for (const char c : name) escaped += c == '_' ? std::string("\\_") : std::string(1, c);
  return "\\mathrm{" + escaped + "}";
}

/// Everything of one sheet: first collected as formulas, then put into words.
class KaneSheet {
 public:
  KaneSheet(const describe::Model& model, const Options& options, const std::vector<std::string>& independent,
            int digits)
      : model_(model), tables_(model, options), inputs_(tables_.inputs()), writer_(*tables_.graph(), digits) {
    const Symbols& symbols = tables_.symbols();
    n_ = symbols.u.size();
    for (const Expr u : symbols.u) {
      names_.push_back(tables_.graph()->symbol_name(u));
      all_speeds_.push_back(static_cast<int>(all_speeds_.size()));
    }
    forces_ = symbols.tau;
    forces_.insert(forces_.end(), symbols.wrench.begin(), symbols.wrench.end());
    sheet_ = sheet_of(model, inputs_,
                      "F_r + F*_r = 0: generalised active and inertia forces [Gillespie2003, section 3]");
    sheet_.notes.push_back(
        "BODY.x, BODY.y, BODY.z: unit vectors along the body's axes; v(BODY): of its mass centre");
    speeds();
    tables(tables_.vectors(), all_speeds_, "");
    active_forces("F", "generalised active forces", tables_.active(), all_speeds_, "");
    std::vector<std::vector<Expr>> products;
    for (const Expr x : tables_.products()) products.push_back(forms_of(-x));
    inertia_forces("F*", "generalised inertia forces", tables_.M(), products, all_speeds_, "");
    embed_constraints(independent);
    finish();
  }
  Sheet take() { return std::move(sheet_); }

 private:
  /// factor * what, or the factor alone; the factor in several forms.
  struct Term {
    std::vector<Expr> factor;
    std::string what{}, latex_what{};
    bool minus = false;
    std::size_t written = 0;
  };
  struct Line {
    WrittenEquation equation;
    std::vector<Term> terms;
  };
  struct Part {
    SheetSection section;
    std::vector<Line> lines;
  };

  /// A formula as derived, and made plain; nothing where it vanishes.
  std::vector<Expr> forms_of(Expr x) {
    if (algebra::is_zero(x)) return {};
    Block block{"x", "", 1, 1, {x}};
    make_plain(model_, inputs_, {&block}, conditions_);
    const Expr plain = block.entries[0];
    if (algebra::is_zero(plain)) return {};
    for (const algebra::Node* node : algebra::needed_nodes(std::span(&x, 1)))
      if (node->op == algebra::Op::sqrt || plain == x) return {plain};
    return {plain, x};
  }

  Part& part(std::string key, std::string title) {
    return all_.emplace_back(Part{{std::move(key), std::move(title), {}}, {}});
  }

  void matrix(const std::string& key, const std::string& title, int columns, const std::vector<Expr>& entries,
              const std::string& latex = "") {
    Part& one = part(key, title);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      std::vector<Expr> forms = forms_of(entries[k]);
      if (forms.empty()) continue;
      const int i = static_cast<int>(k) / columns, j = static_cast<int>(k) % columns;
      const bool column = columns == 1 && key != "D" && key != "A_B";
      WrittenEquation name = column ? named(key, {i + 1}) : named(key, {i + 1, j + 1});
      if (!latex.empty()) name.latex_name = latex + name.latex_name.substr(key.size());
      one.lines.push_back({std::move(name), {{std::move(forms)}}});
    }
  }

  /// (1), (2)
  void speeds() {
    const SpeedMap& map = tables_.speeds();
    const int n = static_cast<int>(n_);
    if (map.identity) {
      sheet_.notes.push_back("u = qd: the speeds are the joints' rates, Y = W = 1, Z = X = 0");
    } else {
      matrix("Y", "u = Y qd + Z, qd the joints' rates", n, map.Y);
      matrix("Z", "the part of u without rates", 1, map.Z);
      matrix("W", "qd = W u + X", n, map.W);
      matrix("X", "the part of qd without speeds", 1, map.X);
    }
    if (tables_.symbols().q.size() == n_) return;
    matrix("qdot", "rates of the coordinates, quaternions included", 1,
           coordinate_rates(model_, tables_.symbols(), map.rates), "\\dot{q}");
  }

  /// The tables of partial velocities; rows: these speeds, and the remainder.
  void tables(const std::vector<PartialVector>& vectors, const std::vector<int>& speeds,
              const std::string& tilde) {
    const std::string constrained = tilde.empty() ? "" : "constrained ";
    for (const bool angular : {true, false}) {
      const std::string letter = (angular ? "omega" : "v") + tilde;
      std::string bold = angular ? "\\boldsymbol{\\omega}" : "\\mathbf{v}";
      if (!tilde.empty()) bold = "\\tilde{" + bold + "}";
      Part& one = part(
          letter, constrained + (angular ? "partial angular velocities"
                                         : "partial velocities of mass centres and points where forces act"));
      for (const int r : speeds) {
        const std::string& name = names_[static_cast<std::size_t>(r)];
        one.section.rows.push_back({name, algebra::latex_name(name)});
      }
      for (const PartialVector& vector : vectors) {
        if (vector.angular != angular) continue;
        one.section.columns.push_back({fmt::format("{}({})", letter, vector.name),
                                       fmt::format("{}_r^{{{}}}", bold, in_latex(vector.name))});
        for (std::size_t row = 0; row <= speeds.size(); ++row) {
          const bool rest = row == speeds.size();
          const auto r = rest ? n_ : static_cast<std::size_t>(speeds[row]);
          Line line = vector_line(rest ? vector.rest : vector.partial[r], vector);
          if (line.terms.empty()) continue;
          const std::string index = rest ? "t" : std::to_string(r + 1);
          if (rest && one.section.rows.size() == speeds.size()) one.section.rows.push_back({"t", "t"});
          line.equation.name = fmt::format("{}_{}({})", letter, index, vector.name);
          line.equation.latex_name = fmt::format("{}_{{{}}}^{{{}}}", bold, index, in_latex(vector.name));
          line.equation.indices = {static_cast<int>(row) + 1, static_cast<int>(one.section.columns.size())};
          one.lines.push_back(std::move(line));
        }
      }
    }
  }

  Line vector_line(const Vec3<Expr>& v, const PartialVector& vector) {
    const std::string& axes = model_.bodies[static_cast<std::size_t>(vector.axes)].name;
    Line line;
    line.equation.axes = axes;
    line.equation.components.assign(3, "0");
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<Expr> forms = forms_of(v[k]);
      if (forms.empty()) continue;
      const char axis = "xyz"[k];
      line.terms.push_back({std::move(forms), fmt::format("{}.{}", axes, axis),
                            fmt::format("\\hat{{\\mathbf{{{}}}}}_{{{}}}", axis, in_latex(axes))});
    }
    return line;
  }

  /// "F~*[2]", "\tilde{F}_{2}^{*}": the index is that of the speed, as in the paper.
  WrittenEquation force_name(const std::string& key, int speed, const std::string& tilde) const {
    WrittenEquation name = named(key, {speed + 1});
    name.latex_name = fmt::format("{}_{{{}}}{}", tilde.empty() ? "F" : "\\tilde{F}", speed + 1,
                                  key.ends_with("*") ? "^{*}" : "");
    return name;
  }

  /// Linear in the forces of actuators and hands: collected by them.
  void active_forces(const std::string& key, const std::string& title, const std::vector<Expr>& F,
                     const std::vector<int>& speeds, const std::string& tilde) {
    Part& one = part(key, title);
    const std::vector<Expr> slopes = algebra::jacobian(F, forces_);
    const std::vector<Expr> rest =
        algebra::substitute(F, *tables_.graph(), forces_, std::vector<Expr>(forces_.size()));
    for (std::size_t r = 0; r < F.size(); ++r) {
      Line line{force_name(key, speeds[r], tilde), {}};
      for (std::size_t k = 0; k < forces_.size(); ++k) {
        std::vector<Expr> forms = forms_of(slopes[r * forces_.size() + k]);
        if (forms.empty()) continue;
        const std::string& name = tables_.graph()->symbol_name(forces_[k]);
        line.terms.push_back({std::move(forms), name, algebra::latex_name(name)});
      }
      if (std::vector<Expr> forms = forms_of(rest[r]); !forms.empty())
        line.terms.push_back({std::move(forms)});
      one.lines.push_back(std::move(line));
    }
  }

  /// -M udot + products, collected by the rates of the speeds.
  void inertia_forces(const std::string& key, const std::string& title, const std::vector<Expr>& M,
                      const std::vector<std::vector<Expr>>& products, const std::vector<int>& speeds,
                      const std::string& tilde) {
    Part& one = part(key, title);
    for (std::size_t r = 0; r < speeds.size(); ++r) {
      Line line{force_name(key, speeds[r], tilde), {}};
      for (std::size_t s = 0; s < speeds.size(); ++s) {
        std::vector<Expr> forms = forms_of(M[r * speeds.size() + s]);
        if (forms.empty()) continue;
        const std::string& rate =
            tables_.graph()->symbol_name(tables_.symbols().udot[static_cast<std::size_t>(speeds[s])]);
        line.terms.push_back({std::move(forms), rate, algebra::latex_name(rate), true});
      }
      if (!products[r].empty()) line.terms.push_back({products[r]});
      one.lines.push_back(std::move(line));
    }
  }

  std::vector<std::size_t> rows_that_count() const {
    const ConstraintEquations& constraints = tables_.constraints();
    const Mobility freedom = mobility(Equations(model_));
    std::vector<std::size_t> rows;
    for (std::size_t k = 0; k < constraints.rows.size(); ++k) {
      const ConstraintRow& row = constraints.rows[k];
      const bool follows =
          std::find(freedom.redundant.begin(), freedom.redundant.end(), row.label) != freedom.redundant.end();
      if (model_.constraints[static_cast<std::size_t>(row.constraint)].active && !follows) rows.push_back(k);
    }
    return rows;
  }

  /// Which speeds depend on the others, near the initial state; those that are named do not.
  Partition choice(const Block& A, const std::vector<std::string>& independent) const {
    std::vector<double> weight;
    for (const describe::Joint& joint : model_.joints)
      for (const describe::JointAxis& axis : joint.axes) weight.push_back(axis.passive ? 1.0 : kActuated);
    if (!tables_.speeds().identity) weight.assign(n_, 1.0);
    const std::vector<std::string> short_names = model_.speed_names();
    for (const std::string& name : independent) {
      bool found = false;
      for (std::size_t k = 0; k < n_; ++k)
        if (names_[k] == name || short_names[k] == name) {
          weight[k] = 0.0;
          found = true;
        }
      if (!found)
        throw InputError({model_.file}, fmt::format("--independent: `{}` is no speed of the model", name),
                         suggestion(name, names_));
    }
    Partition parts;
    for (const double away : {0.0, 0.02, 0.07}) {  // [rad, m] beside a singular start
      const std::vector<double> values = values_at_start(model_, inputs_, A.entries, away);
      Eigen::MatrixXd X(A.rows, A.cols);
      for (int i = 0; i < A.rows; ++i)
        for (int j = 0; j < A.cols; ++j) X(i, j) = values[static_cast<std::size_t>(i * A.cols + j)];
      parts = partition(X, weight);
      if (parts.stuck < 0 && static_cast<int>(parts.rows.size()) == A.rows) return parts;
    }
    if (parts.stuck >= 0)
      throw InputError({model_.file},
                       "--independent: the constraints tie these speeds to each other, or to given values",
                       "name fewer of them, or others");
    throw InputError({model_.file}, "no choice of independent speeds was found near the initial state",
                     "start at a regular position");
  }

  /// (3), (5), (26), (44), (45)
  void embed_constraints(const std::vector<std::string>& independent) {
    const ConstraintEquations& constraints = tables_.constraints();
    const std::vector<std::size_t> rows =
        model_.constraints.empty() ? std::vector<std::size_t>{} : rows_that_count();
    if (rows.empty()) {
      if (!independent.empty())
        throw InputError({model_.file}, "--independent: no constraint acts, every speed is independent",
                         "leave it out");
      return;
    }
    const int m = static_cast<int>(rows.size()), n = static_cast<int>(n_);
    Block A{"A_B", "", m, n, {}}, C{"C", "", m, 1, {}}, gamma{"gamma", "", m, 1, {}};
    std::vector<std::string> labels;
    for (const std::size_t k : rows) {
      A.entries.resize(A.entries.size() + n_);
      for (const auto& entry : constraints.A.row(k))
        A.entries[A.entries.size() - n_ + entry.column] = entry.value;
      C.entries.push_back(constraints.c[k]);
      gamma.entries.push_back(constraints.gamma[k]);
      labels.push_back(fmt::format("{} {}", labels.size() + 1, constraints.rows[k].label));
    }
    make_plain(model_, inputs_, {&A, &C, &gamma}, conditions_);
    sheet_.notes.push_back(fmt::format("rows of the constraints: {}", fmt::join(labels, ", ")));
    matrix("A_B", "constraints on the speeds, A_B u + C = 0", n, A.entries, "(A_B)");
    matrix("C", "the part without speeds", 1, C.entries);

    std::size_t coupled = 0;
    for (int i = 0; i < m; ++i) {
      int used = 0;
      for (int j = 0; j < n; ++j)
        used += algebra::is_zero(A.entries[static_cast<std::size_t>(i * n + j)]) ? 0 : 1;
      coupled += used > 1 ? 1 : 0;
    }
    if (coupled > kMostEmbeddedRows) {
      if (!independent.empty())
        throw InputError(
            {model_.file},
            fmt::format("--independent: {} rows couple speeds; {} at most are eliminated by formulas",
                        coupled, kMostEmbeddedRows),
            "leave it out; simulations eliminate any number, by numbers");
      sheet_.notes.push_back(fmt::format(
          "{} of the rows couple speeds: D, E and the constrained forces are written for at most {} "
          "(simulations eliminate any number, by numbers)",
          coupled, kMostEmbeddedRows));
      return;
    }
    const Partition parts = choice(A, independent);
    std::vector<std::string> free, bound;
    for (const int k : parts.independent) free.push_back(names_[static_cast<std::size_t>(k)]);
    for (const int k : parts.dependent) bound.push_back(names_[static_cast<std::size_t>(k)]);
    sheet_.notes.push_back(fmt::format("independent speeds u_i = ({}), dependent u_d = ({})",
                                       fmt::join(free, ", "), fmt::join(bound, ", ")));
    sheet_.notes.push_back(
        "u_d = D u_i + E, also where u_d stands in F~ and F~*; D grows without bound where these u_i cannot "
        "be "
        "independent");
    constrained_forces(A, C, gamma, parts);
    sheet_.notes.push_back("F~_r + F~*_r = 0: the equations of motion of the independent speeds");
  }

  void constrained_forces(const Block& A, const Block& C, const Block& gamma, const Partition& parts) {
    const auto refuse = [&] {
      throw InputError({model_.file}, "the dependent speeds cannot be solved for",
                       "name other --independent ones");
    };
    const std::vector<Expr>& u = tables_.symbols().u;
    std::vector<std::size_t> ind(parts.independent.begin(), parts.independent.end()),
        dep(parts.dependent.begin(), parts.dependent.end());
    const std::size_t p = ind.size(), m = dep.size();
    std::vector<Expr> inertia = tables_.products();
    for (Expr& x : inertia) x = -x;
    const Embedded embedded =
        embed(tables_.M(), inertia, A.entries, C.entries, gamma.entries, u, parts.dependent, refuse);
    Block D{"D", "", static_cast<int>(m), static_cast<int>(p), embedded.D},
        E{"E", "", static_cast<int>(m), 1, embedded.d};
    make_plain(model_, inputs_, {&D, &E}, conditions_);
    matrix("D", "dependent speeds by independent ones, u_d = D u_i + E", static_cast<int>(p), D.entries);
    matrix("E", "the part of u_d without speeds", 1, E.entries);
    const auto D_at = [&](std::size_t s, std::size_t r) { return D.entries[s * p + r]; };

    // v~_r = v_r + sum_s v_s D_sr
    std::vector<PartialVector> vectors;
    for (const PartialVector& vector : tables_.vectors()) {
      PartialVector constrained = vector;
      constrained.partial.assign(n_, Vec3<Expr>::zero());
      for (std::size_t s = 0; s < m; ++s)
        constrained.rest = constrained.rest + E.entries[s] * vector.partial[dep[s]];
      for (std::size_t r = 0; r < p; ++r) {
        Vec3<Expr> v = vector.partial[ind[r]];
        for (std::size_t s = 0; s < m; ++s) v = v + D_at(s, r) * vector.partial[dep[s]];
        constrained.partial[ind[r]] = {reduced(v.x), reduced(v.y), reduced(v.z)};
      }
      vectors.push_back(tables_.in_shortest_axes(constrained));
    }
    tables(vectors, parts.independent, "~");

    // Dependent speeds that vanish or are no more than another one by a number are replaced; others may stand, as in the paper.
    std::vector<Expr> bound, solved, simple, simple_solved;
    for (std::size_t s = 0; s < m; ++s) {
      Expr sum = E.entries[s];
      bool plain = algebra::is_zero(sum);
      int used = 0;
      for (std::size_t r = 0; r < p; ++r) {
        sum += D_at(s, r) * u[ind[r]];
        used += algebra::is_zero(D_at(s, r)) ? 0 : 1;
        plain = plain && D_at(s, r).is_constant();
      }
      bound.push_back(u[dep[s]]);
      solved.push_back(sum);
      if (!plain || used > 1) continue;
      simple.push_back(u[dep[s]]);
      simple_solved.push_back(sum);
    }
    const auto recombined = [&](const std::vector<Expr>& x) {  // x_r + sum_s D_sr x_s
      std::vector<Expr> result;
      for (std::size_t r = 0; r < p; ++r) {
        Expr sum = x[ind[r]];
        for (std::size_t s = 0; s < m; ++s) sum += D_at(s, r) * x[dep[s]];
        result.push_back(sum);
      }
      return result;
    };
    const auto without = [&](const std::vector<Expr>& x) {
      return algebra::substitute(x, *tables_.graph(), simple, simple_solved);
    };
    active_forces("F~", "constrained generalised active forces, F_r + sum_s D_sr F_s",
                  recombined(without(tables_.active())), parts.independent, "~");

    // The same of the products, with M delta for the rates of the dependent speeds at udot_i = 0.
    std::vector<Expr> A_d(m * m);
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t s = 0; s < m; ++s) A_d[k * m + s] = A.entries[k * n_ + dep[s]];
    const std::vector<Expr> delta = solve_linear(A_d, without(gamma.entries), refuse);
    std::vector<Expr> whole = without(inertia);
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t s = 0; s < m; ++s) whole[k] -= tables_.M()[k * n_ + dep[s]] * delta[s];
    const std::vector<Expr> kept = recombined(whole);
    std::vector<std::vector<Expr>> products(p);
    for (std::size_t r = 0; r < p; ++r) {
      const std::vector<Expr> eliminated = forms_of(embedded.Q[r]);
      if (eliminated.empty()) continue;
      products[r] = forms_of(kept[r]);
      products[r].insert(products[r].end(), eliminated.begin(), eliminated.end());
    }
    inertia_forces("F~*", "constrained generalised inertia forces, F*_r + sum_s D_sr F*_s", embedded.M,
                   products, parts.independent, "~");
  }

  /// Into words.
  void finish() {
    for (Part& one : all_)
      for (Line& line : one.lines)
        for (Term& term : line.terms) term.written = writer_.add(term.factor, !term.what.empty());
    SheetSection where = writer_.write();
    for (Part& one : all_) {
      for (Line& line : one.lines) {
        WrittenSum sum;
        for (const Term& term : line.terms) {
          const WrittenEquation& factor = writer_[term.written];
          if (term.what.empty()) {
            sum.add(factor);
          } else {
            sum.add(factor, term.what, term.latex_what, term.minus);
          }
          if (!line.equation.components.empty())
            line.equation.components[static_cast<std::size_t>(term.what.back() - 'x')] = factor.text;
        }
        line.equation.text = sum.text();
        line.equation.latex = sum.latex();
        one.section.equations.push_back(std::move(line.equation));
      }
      if (!one.section.equations.empty()) sheet_.sections.push_back(std::move(one.section));
    }
    if (!where.equations.empty()) sheet_.sections.push_back(std::move(where));  // the tables first
    std::sort(conditions_.begin(), conditions_.end());
    conditions_.erase(std::unique(conditions_.begin(), conditions_.end()), conditions_.end());
    sheet_.notes.insert(sheet_.notes.end(), conditions_.begin(), conditions_.end());
  }

  const describe::Model& model_;
  KaneTables tables_;
  Function inputs_;
  FormulaWriter writer_;
  std::size_t n_ = 0;
  std::vector<std::string> names_;  // of the speeds
  std::vector<int> all_speeds_;
  std::vector<Expr> forces_;
  std::vector<std::string> conditions_;
  std::deque<Part> all_;
  Sheet sheet_;
};

}  // namespace

Sheet kane_sheet(const describe::Model& model, const Options& options,
                 const std::vector<std::string>& independent, int digits) {
  describe::require_inertia(model, "Kane's method");
  if (model.nv() > kMostSpeeds)
    throw InputError(
        {model.file},
        fmt::format("the model has {} speeds; tables of partial velocities are written for at most {}",
                    model.nv(), kMostSpeeds),
        "derive a part of the mechanism; without --kane, derive shares what its formulas have in common");
  for (const describe::Constraint& c : model.constraints)
    if (c.active && c.type == describe::ConstraintType::rolling && !c.equations.empty())
      throw InputError(c.where,
                       fmt::format("where the surface of `{}` is touched is searched for: tables that can be "
                                   "read have no formula of it",
                                   c.name),
                       "leave out --kane: derive shows the search step by step; an ellipsoid has a formula, "
                       "kind: ellipsoid_on_plane");
  Options with_hands = options;
  if (with_hands.wrenches.empty())
    for (std::size_t k = 0; k < model.frames.size(); ++k)
      if (model.frames[k].grasp) with_hands.wrenches.push_back({static_cast<int>(k), false});
  return KaneSheet(model, with_hands, independent, digits).take();
}

}  // namespace tactus::derive

// Equations written out to be read: text, LaTeX or JSON.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/derive/readable/canonical.h>
#include <tactus/derive/readable/linear_canonical.h>
#include <tactus/describe/read/load.h>

namespace tactus::derive {

/// One equation: left side (with its indices) and right side, in both notations.
struct WrittenEquation {
  std::string name, latex_name;
  std::string text, latex;
  std::vector<int> indices;  // from 1: row, column, ...
  /// Of a vector: the body along whose axes its components are, and these.
  std::string axes{};
  std::vector<std::string> components{};
};

/// Equations that belong together: "M", "mass matrix (symmetric: upper triangle)".
struct SheetSection {
  std::string key, title;
  std::vector<WrittenEquation> equations;
  /// Those of a table: the equations' indices are row and column. It is printed as one where it fits.
  struct Label {
    std::string text, latex;
  };
  std::vector<Label> rows{}, columns{};
};

/// What a letter of the equations stands for, for the list of symbols.
struct SheetSymbol {
  std::string latex;    // "q_{1}"
  std::string meaning;  // in words, with the unit or the value
};
struct SymbolGroup {
  std::string title;  // "Coordinates"
  std::vector<SheetSymbol> symbols;
};
/// Coordinates, speeds, parameters with their values and units, multipliers. `kept`: the names of the parameters that stay symbols.
std::vector<SymbolGroup> symbols_of(const describe::Model& model, const Options& options);
/// The list in LaTeX, one symbol below the other.
std::string latex_of(const std::vector<SymbolGroup>& groups);

struct Sheet {
  std::string model;
  std::vector<std::string> coordinates, speeds;
  std::vector<std::string> notes;  // lines of explanation
  std::vector<SheetSection> sections;
  std::vector<SymbolGroup> symbols{};  // of the model, for latex() and json()

  std::string text() const;
  /// To be put into a document that uses amsmath; `document`: a whole one.
  std::string latex(bool document = false) const;
  std::string json() const;
};

/// M, h and g of a model: as trigonometric polynomials where these are short, otherwise in the form that
/// shares temporaries.
Sheet equations_sheet(const describe::Model& model, const Options& options);
/// C(q, u) of Christoffel's symbols (linear/coriolis.h), in the form that shares temporaries; of the open tree.
Sheet coriolis_sheet(const describe::Model& model, const Options& options);
/// Of a model with constraints: M, h, g as above, Phi, A, Adot u, and the equations of motion with multipliers.
Sheet constrained_sheet(const describe::Model& model, const Options& options);
/// The same with dependent speeds eliminated: u_d = D u_i + d, Mr udot_i = Qr [Gillespie2003, (44), (45)]. Throws InputError
/// where they cannot be written so.
Sheet reduced_sheet(const describe::Model& model, const Options& options);
/// The derivation as Kane does it [Gillespie2003, section 3]: Y, Z, W, X, partial velocities, generalised active and inertia forces,
/// and the same with the constraints embedded: D, E, constrained partial velocities and forces. Speeds named in `independent` stay
/// independent. Throws InputError where that cannot be.
Sheet kane_sheet(const describe::Model& model, const Options& options,
                 const std::vector<std::string>& independent = {}, int digits = 6);
/// All elements M, B, D, G that are not zero, rotors included, and friction V.
Sheet canonical_sheet(const CanonicalModel& model, int digits);
/// M, C and K of the linear model.
Sheet linear_sheet(const LinearCanonical& linear, int digits);
/// The same of the open tree, every element collected where it is short.
Sheet linear_sheet(const describe::Model& model, const Options& options, int digits = 6);
/// A value at the point of a linear model: a coordinate, a speed ("shoulder_dot"), an acceleration ("shoulder_ddot") or a force
/// ("tau_shoulder"), as a formula in parameters.
struct PointValue {
  std::string name, formula;
};
/// Where a linear model is taken.
struct LinearPoint {
  LinearPoint() = default;
  LinearPoint(std::initializer_list<PointValue> named) : values(named) {}
  LinearPoint(std::vector<PointValue> named) : values(std::move(named)) {}

  std::vector<PointValue> values;  // before all else
  bool initial = false;            // coordinates and speeds that are not named are those of the initial state
  /// Formulas of that in the parameters, in the order of coordinates and speeds; where there is none ("", or no list) the model's number.
  std::vector<std::string> initial_q, initial_u;
};
/// A point without values of its own and with the formulas that a model's file has for its initial state; the model is read as by load().
LinearPoint point_of_file(const std::string& path, const describe::Settings& settings,
                          const describe::Reading& reading);
/// The linear model about a point, in formulas: M, C, K and F of the independent coordinates and speeds that the constraints
/// leave, and what holds the point. Speeds, accelerations and forces that are not named are zero; so are not coordinates: they stay
/// symbols, or, where the model has constraints, are those of the model's initial state. `initial`: speeds, too.
Sheet linear_sheet_at(const describe::Model& model, const Options& options, const LinearPoint& at,
                      const std::vector<std::string>& independent, int digits = 6);

}  // namespace tactus::derive

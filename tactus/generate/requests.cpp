#include <tactus/generate/requests.h>

#include <algorithm>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/derive/linear/coriolis.h>
#include <tactus/derive/linear/motion_derivatives.h>
#include <tactus/derive/linear/regular_mass.h>

namespace tactus::generate {

using algebra::Function;
using derive::Equations;

namespace {

struct Entry {
  Word word;
  Function (*make)(const Equations&);
};

const std::vector<Entry>& plain_entries() {
  static const std::vector<Entry> entries = {
      {{"inverse-dynamics", "joint forces from a motion"},
       [](const Equations& e) { return e.inverse_dynamics(); }},
      {{"forward-dynamics", "accelerations from joint forces"},
       [](const Equations& e) {
         derive::require_regular_mass(e, "forward dynamics");
         return e.forward_dynamics();
       }},
      {{"mass-matrix", "M"}, [](const Equations& e) { return e.mass_matrix(); }},
      {{"bias", "h: all but M udot"}, [](const Equations& e) { return e.bias(); }},
      {{"coriolis", "C(q, u): C u are the velocity's products, Md - 2 C is skew"},
       [](const Equations& e) { return derive::coriolis_matrix(e); }},
      {{"gravity", "the part of h that remains at rest"}, [](const Equations& e) { return e.gravity(); }},
      {{"energy", "energies, momenta, centre of mass"}, [](const Equations& e) { return e.energy(); }},
      {{"linear", "M, C = d tau/d u, K = d tau/d q"},
       [](const Equations& e) {
         derive::require_regular_mass(e, "the linear model");
         return e.linear_model();
       }},
      {{"inverse-derivatives", "d tau by udot, u and q, for any speeds and joints"},
       [](const Equations& e) { return derive::inverse_derivatives(e); }},
      {{"forward-derivatives", "udot, and its derivatives by q, u and tau"},
       [](const Equations& e) {
         derive::require_regular_mass(e, "the derivatives of forward dynamics");
         return derive::forward_derivatives(e);
       }},
      {{"coordinate-rates", "qdot from u"}, [](const Equations& e) { return e.coordinate_rates(); }},
      {{"poses", "every body's rotation and position"}, [](const Equations& e) { return e.body_poses(); }},
  };
  return entries;
}

/// Frame's name, as asked for after the colon.
int frame_of(const Equations& equations, const std::string& name) {
  const int frame = equations.model().frame_index(name);
  if (frame >= 0) return frame;
  std::vector<std::string> known;
  for (const auto& f : equations.model().frames) known.push_back(f.name);
  throw InputError({equations.model().file}, "the model has no frame `" + name + "`",
                   known.empty() ? "declare it under `frames:` in the model" : suggestion(name, known));
}

/// J and its rate alone, as a function of t, q and u.
Function jacobian(const Equations& equations, int frame) {
  Function function = equations.frame_motion(frame);
  function.meaning =
      "Jacobian of a frame: its velocity [angular; linear] is J u, its acceleration J udot + Jdot_u.";
  std::erase_if(function.inputs, [](const algebra::Block& block) { return block.name == "udot"; });
  std::erase_if(function.outputs,
                [](const algebra::Block& block) { return block.name != "J" && block.name != "Jdot_u"; });
  return function;
}

/// What ignores the constraints says so.
Function open_tree(const Equations& equations, Function function) {
  if (equations.constraint_rows().empty()) return function;
  function.name += "_open_tree";
  function.meaning = "OF THE OPEN TREE, constraints left out: " + function.meaning;
  return function;
}

Function constrained(const Equations& equations, const std::string& word, const std::vector<bool>& rows) {
  if (equations.constraint_rows().empty())
    throw InputError({equations.model().file}, "`" + word + "`: the model has no constraints",
                     "ask for forward-dynamics");
  std::string labels;
  for (std::size_t k = 0; k < equations.constraint_rows().size(); ++k)
    if (word == "constraints" || rows.empty() || rows[k])
      labels += (labels.empty() ? "" : ", ") + equations.constraint_rows()[k].label;
  Function function =
      word == "constraints" ? equations.constraint_terms() : equations.constrained_dynamics(rows);
  function.meaning += " Rows, in order: " + labels + ".";
  return function;
}

/// Time is an input only of what depends on it.
void drop_unused_time(Function& function) {
  const std::vector<algebra::Expr> roots = function.roots();
  const std::vector<algebra::Expr> used = algebra::symbols_in(roots);
  std::erase_if(function.inputs, [&](const algebra::Block& block) {
    return block.name == "t" && std::find(used.begin(), used.end(), block.entries[0]) == used.end();
  });
}

Function requested(const Equations& equations, const std::string& request, const std::vector<bool>& rows) {
  const std::size_t colon = request.find(':');
  const std::string word = request.substr(0, colon);
  if (colon == std::string::npos) {
    for (const Entry& entry : plain_entries()) {
      if (entry.word.name != word) continue;
      const bool of_motion = word == "inverse-dynamics" || word == "forward-dynamics" || word == "linear" ||
                             word == "inverse-derivatives" || word == "forward-derivatives";
      return of_motion ? open_tree(equations, entry.make(equations)) : entry.make(equations);
    }
    if (word == "constrained-dynamics" || word == "constraints") return constrained(equations, word, rows);
  }
  if (word == "jacobian" || word == "frame") {
    if (colon == std::string::npos || colon + 1 == request.size()) {
      throw InputError({}, "`" + word + "` needs a frame",
                       "write " + word + ":FRAME, with the name of a frame of the model");
    }
    const std::string name = request.substr(colon + 1);
    const int frame = frame_of(equations, name);
    Function function = word == "jacobian" ? jacobian(equations, frame) : equations.frame_motion(frame);
    function.name = word + "_" + name;
    return function;
  }
  std::vector<std::string> known;
  for (const Word& w : words()) known.push_back(w.name);
  for (const Word& w : constraint_words()) known.push_back(w.name);
  throw InputError({}, "nothing is called `" + request + "`", suggestion(request, known));
}

}  // namespace

const std::vector<Word>& words() {
  static const std::vector<Word> all = [] {
    std::vector<Word> list;
    for (const Entry& entry : plain_entries()) list.push_back(entry.word);
    list.push_back({"jacobian:FRAME", "a frame's Jacobian and its rate times u"});
    list.push_back({"frame:FRAME", "a frame's pose, velocity, acceleration and Jacobian"});
    return list;
  }();
  return all;
}

const std::vector<Word>& constraint_words() {
  static const std::vector<Word> all{
      {"constrained-dynamics",
       "accelerations and multipliers: M udot + h = tau + A^T lambda, A udot = gamma"},
      {"constraints", "Phi, A u + c, A, c and gamma = -(Adot u + cdot)"},
      {"step",
       "a whole step of rk4, constraints held (source languages; also for models without constraints)"}};
  return all;
}

std::vector<Function> requested_functions(const Equations& equations, std::span<const std::string> requests,
                                          const std::vector<bool>& rows) {
  std::vector<Function> functions;
  for (const std::string& request : requests) {
    Function function = requested(equations, request, rows);
    const bool repeated = std::any_of(functions.begin(), functions.end(),
                                      [&](const Function& other) { return other.name == function.name; });
    if (repeated) continue;
    drop_unused_time(function);
    functions.push_back(std::move(function));
  }
  return functions;
}

}  // namespace tactus::generate

#include <tactus/control/arm/controller_source.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/control/arm/arm_law.h>
#include <tactus/control/arm/pasted_kernels.h>
#include <tactus/control/arm/wrist_arm.h>
#include <tactus/derive/equations.h>

namespace tactus::control {

namespace {

using generate::SourceProgram;
using generate::SourceWords;

constexpr std::string_view kController = "controller:", kInverse = "inverse-kinematics:";

std::string number(double x) {
  // What is not bounded is bounded by the largest of numbers.
  if (std::isinf(x)) return x < 0.0 ? "-1.7976931348623157e308" : "1.7976931348623157e308";
  std::string text = fmt::format("{}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <class Values>
std::string numbers(const Values& values) {
  std::vector<std::string> all;
  for (const double x : values) all.push_back(number(x));
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string comment(const SourceWords& words, std::string_view text) {
  std::string result = words.doc_open;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    result += words.doc_line + std::string(text.substr(from, end - from)) + "\n";
    from = end + 1;
  }
  return result + words.doc_close;
}

/// Text with @names@ put in; braces of the language stand as they are.
std::string filled(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string result(text);
  for (const auto& [name, value] : values) {
    const std::string mark = "@" + name + "@";
    for (std::size_t at = 0; (at = result.find(mark, at)) != std::string::npos; at += value.size())
      result.replace(at, mark.size(), value);
  }
  return result;
}

/// Without t where nothing depends on it; whether it is still there.
bool drop_unused_time(algebra::Function& function) {
  const std::vector<algebra::Expr> roots = function.roots(), used = algebra::symbols_in(roots);
  const std::size_t before = function.inputs.size();
  std::erase_if(function.inputs, [&](const algebra::Block& block) {
    return block.name == "t" && std::find(used.begin(), used.end(), block.entries[0]) == used.end();
  });
  return function.inputs.size() == before;
}

/// Whether all are numbers, seen by their bits: with -ffast-math a compiler may take every comparison as one of numbers.
constexpr std::string_view kNumbersKernel = R"(
// kernel begins
/// Whether all n are finite.
inline int all_numbers(const double* x, int n) {
  for (int i = 0; i < n; ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, x + i, sizeof bits);
    if (((bits >> 52) & 2047u) == 2047u) return 0;
  }
  return 1;
}
// kernel ends
)";

// Arms.

constexpr std::string_view kArmAbout =
    R"(Forces at the @n@ joints by @law@, from where the arm is and where it should be. @poles@
q, qd: angles and rates; q_wanted, qd_wanted, qdd_wanted: of the path; besides: what is added before the
limits, or a null pointer. Returns how many forces were cut to their actuators' limits; -1 where the result
is no number: tau is zero then.)";

constexpr std::string_view kArm =
    R"(@qualifier@int @own@control_@name@(double t, const double* q, const double* qd, const double* q_wanted,
    const double* qd_wanted, const double* qdd_wanted, const double* besides, double* tau) {
  static const double most[] = {@most@};
  double f[@n@]@locals@;
  int cut = 0, finite;
@time@  @own@law_@name@(@call@);
  for (int i = 0; i < @n@; ++i)
    if (besides) f[i] += besides[i];
  finite = @own@all_numbers(f, @n@);
  for (int i = 0; i < @n@; ++i) {
    if (@std@fabs(f[i]) > most[i]) {
      f[i] = @std@copysign(most[i], f[i]);
      ++cut;
    }
  }
  for (int i = 0; i < @n@; ++i) tau[i] = finite ? f[i] : 0.0;
  return finite ? cut : -1;
}
)";

SourceProgram arm_program(const describe::Model& model, ArmLaw law, const ControllerSettings& settings) {
  ArmControl control = settings.arm;
  control.law = law;
  ArmLawCode code = arm_law_code(model, control);
  const bool gains = code.law.outputs.size() > 1;
  const bool timed = drop_unused_time(code.law);
  SourceProgram program;
  const std::string name = generate::identifier(name_of(law));
  program.name = "control_" + name;
  code.law.name = "law_" + name;
  code.law.meaning = fmt::format("The forces of `{}`, without limits.", program.name);
  const std::size_t n = code.most.size();
  std::string poles = "Poles:";
  for (const PolePair& own : code.control.poles)
    poles += fmt::format(" sum {:g}, product {:g};", own.sum, own.product);
  poles.back() = '.';
  if (law == ArmLaw::sampled) poles += fmt::format(" Sampled every {:g} s.", control.period);
  const std::vector<std::pair<std::string, std::string>> values{
      {"name", name},
      {"law", std::string(name_of(law))},
      {"poles", poles},
      {"n", std::to_string(n)},
      {"most", numbers(code.most)},
      {"locals", gains ? fmt::format(", forward[{0}], G_1[{1}], G_2[{1}]", n, n * n) : ""},
      {"time", timed ? "" : "  (void)t;\n"},
      {"call", std::string(timed ? "&t, " : "") + "q, qd, q_wanted, qd_wanted, qdd_wanted, f" +
                   (gains ? ", forward, G_1, G_2" : "")}};
  program.functions = {std::move(code.law)};
  program.kernels = {kNumbersKernel};
  program.text = [values](const SourceWords& words) {
    auto all = values;
    all.insert(all.end(), {{"qualifier", words.qualifier}, {"own", words.own}, {"std", words.std}});
    return comment(words, filled(kArmAbout, all)) + filled(kArm, all);
  };
  return program;
}

// Inverse kinematics.

constexpr std::string_view kInverseAbout =
    R"(Angles, rates and accelerations of the six joints @joints@
for which the frame `@frame@` is at R (rows), p and moves by V and A, [angular; linear] of its origin, all in
the world's axes. near: angles near which the solution is wanted. q, qd, qdd: the solution; regular: how far
arm and wrist are from singular, 1 at best; below 1e-3 rates are damped. Returns 0 where the pose is met; 1
where two of the wrist's axes are one line, 2 where the wrist's centre lies on the first axis: turns that do
not matter are those of `near`; 3 where it is out of reach: the nearest way; -1 where there is none, or what
is given is no number: zeros.)";

constexpr std::string_view kInverseText =
    R"(@qualifier@int @own@inverse_kinematics_@name@(const double* R, const double* p, const double* V,
    const double* A, const double* near, double* q, double* qd, double* qdd, double* regular) {
  static const @own@WristData arm = {
@data@};
  @own@WristMat turn;
  @own@WristBranch way;
  @own@WristPlace now;
  turn.a = @own@wrist_vec(R[0], R[3], R[6]);
  turn.b = @own@wrist_vec(R[1], R[4], R[7]);
  turn.c = @own@wrist_vec(R[2], R[5], R[8]);
  way.missed = 1e301;
  if (@own@all_numbers(R, 9) && @own@all_numbers(p, 3) && @own@all_numbers(near, 6))
    way = @own@wrist_follow(&arm, turn, @own@wrist_vec(p[0], p[1], p[2]), near);
  if (way.missed > 1e300) {
    for (int i = 0; i < 6; ++i) q[i] = qd[i] = qdd[i] = 0.0;
    regular[0] = regular[1] = 0.0;
    return -1;
  }
  for (int i = 0; i < 6; ++i) q[i] = way.q[i];
  now = @own@wrist_place(&arm, q);
  @own@wrist_rates(&now, V, A, qd, qdd, regular);
  return way.reach;
}
)";

std::string text_of(const WristVec& v) { return fmt::format("{{{}}}", numbers(std::array{v.x, v.y, v.z})); }

std::string text_of(const WristData& arm) {
  std::vector<std::string> axes;
  for (const WristVec& h : arm.h) axes.push_back(text_of(h));
  return fmt::format("      {{{}}},\n      {}, {}, {},\n      {}, {},\n      {{{}, {}, {}}},\n      {}, {}",
                     fmt::join(axes, ",\n       "), text_of(arm.o_1), text_of(arm.p_12), text_of(arm.p_23),
                     text_of(arm.p_34), text_of(arm.p_cp), text_of(arm.R_0.a), text_of(arm.R_0.b),
                     text_of(arm.R_0.c), number(arm.size), arm.kind);
}

SourceProgram inverse_program(const describe::Model& model, const std::string& frame) {
  std::string why;
  const std::optional<WristArm> arm = WristArm::of(model, frame, why);
  if (!arm)
    throw InputError({model.file}, fmt::format("no closed inverse kinematics of `{}`: {}", frame, why),
                     "it is written for frames that six turning joints move, the last three about one point");
  const std::vector<std::string> names = model.coordinate_names();
  std::vector<std::string> joints;
  for (const int k : arm->coordinates()) joints.push_back(names[static_cast<std::size_t>(k)]);
  const std::vector<std::pair<std::string, std::string>> values{
      {"name", generate::identifier(frame)},
      {"frame", frame},
      {"joints", fmt::format("{}", fmt::join(joints, ", "))},
      {"data", text_of(arm->data())}};
  SourceProgram program;
  program.name = "inverse_kinematics_" + generate::identifier(frame);
  program.kernels = {kNumbersKernel, kWristKernel};
  program.sines = true;
  program.text = [values](const SourceWords& words) {
    auto all = values;
    all.insert(all.end(), {{"qualifier", words.qualifier}, {"own", words.own}});
    return comment(words, filled(kInverseAbout, all)) + filled(kInverseText, all);
  };
  return program;
}

// Constrained mechanisms.

constexpr std::string_view kProjectedAbout =
    R"(Forces f at the @n@ joints that lead @led@ along x_wanted, xd_wanted, xdd_wanted, from q and u; G_P
@G_P@, G_D @G_D@. @which@
Returns 0; 1 where the coordinates that are led do not fix the motion in this position; 2 where the joints
with actuators cannot lead every motion that is left; 3 where the result is no number. f is zero then.)";

constexpr std::string_view kLeastAbout =
    "Of all forces that make the motion, the least by the weights @weight@.";
constexpr std::string_view kPassiveAbout =
    "Joints without an actuator get none; of the forces that are left, the least by the weights @weight@.";
constexpr std::string_view kHybridAbout =
    R"(The constraints' forces follow lambda_wanted: lambda are those of
the sample before, memory [@m2@] begins as zeros; G_F @G_F@, G_I @G_I@, filter @filter@, period @period@ s.)";

constexpr std::string_view kProjectedHead =
    R"(@qualifier@int @own@control_@name@(double t, const double* q, const double* u, const double* x_wanted,
    const double* xd_wanted, const double* xdd_wanted, @more@double* f) {
  static const int led[] = {@coordinates@};
  static const double none[@n@] = {0.0};
  double M[@nn@], Q[@n@], Phi[@m@], velocity[@m@], A[@mn@], c[@m@], gamma[@m@], qdot[@n@];
  double stacked[@sn@], right[@s@], su[@sk@], ss[@n@], sv[@nn@], ud[@n@], tau[@n@], nu[@m@];
@time@  for (int i = 0; i < @n@; ++i) f[i] = ud[i] = 0.0;
  for (int i = 0; i < @m@; ++i) nu[i] = 0.0;
  @own@terms_@name@(@call@);
  if (!@own@all_numbers(M, @nn@) || !@own@all_numbers(Q, @n@) || !@own@all_numbers(Phi, @m@) ||
      !@own@all_numbers(velocity, @m@) || !@own@all_numbers(A, @mn@) || !@own@all_numbers(c, @m@) ||
      !@own@all_numbers(gamma, @m@) || !@own@all_numbers(qdot, @n@))
    return 3;
)";

constexpr std::string_view kControllable =
    R"(  /* What cannot be driven: motions along the passive joints' axes alone. */
  for (int i = 0; i < @p@; ++i)
    for (int row = 0; row < @m@; ++row) driven[row * @p@ + i] = A[row * @n@ + passive[i]];
  @own@rank_decompose(@p@, @m@, driven, pu, ps, pv);
  if (@p@ > @m@ || !(ps[@pk@ - 1] / @size@ > 1e-9)) return 2;
)";

constexpr std::string_view kMotion =
    R"(  for (int row = 0; row < @m@; ++row) {
    for (int j = 0; j < @n@; ++j) stacked[j * @s@ + row] = A[row * @n@ + j];
    right[row] = gamma[row];
  }
  for (int i = 0; i < @k@; ++i) {
    for (int j = 0; j < @n@; ++j) stacked[j * @s@ + @m@ + i] = j == led[i] ? 1.0 : 0.0;
    right[@m@ + i] = xdd_wanted[i] + @G_D@ * (xd_wanted[i] - u[led[i]]) + @G_P@ * (x_wanted[i] - q[led[i]]);
  }
  @own@rank_decompose(@s@, @n@, stacked, su, ss, sv);
  if (@s@ < @n@ || !(ss[@sr@ - 1] > 1e-9 * ss[0])) return 1;
  @own@rank_add_solution(@s@, @n@, su, ss, sv, right, 1e-9 * ss[0], ud);
  for (int i = 0; i < @n@; ++i) {
    tau[i] = -Q[i];
    for (int j = 0; j < @n@; ++j) tau[i] += M[i * @n@ + j] * ud[j];
  }
)";

constexpr std::string_view kHybrid =
    R"(  for (int row = 0; row < @m@; ++row) {
    double* error = memory + row;
    double* integral = memory + @m@ + row;
    *error += @filter@ * (lambda_wanted[row] - lambda[row] - *error);
    *integral += @period@ * *error;
    nu[row] = lambda_wanted[row] + @G_F@ * *error + @G_I@ * *integral;
  }
)";

constexpr std::string_view kShareBegin =
    R"(  for (int i = 0; i < @a@; ++i)
    for (int row = 0; row < @m@; ++row) B[row * @a@ + i] = A[row * @n@ + active[i]] / weight[active[i]];
)";
constexpr std::string_view kSharePassive =
    R"(  for (int i = 0; i < @p@; ++i) part[i] = tau[passive[i]];
  @own@rank_add_solution(@p@, @m@, pu, ps, pv, part, 1e-9 * @size@, nu);
  @own@rank_take_out(@a@, @m@, @pk@, ps, pv, 1e-9 * @size@, B);
)";
constexpr std::string_view kShareEnd =
    R"(  @own@rank_decompose(@a@, @m@, B, bu, bs, bv);
  for (int i = 0; i < @a@; ++i) {
    double left = tau[active[i]];
    for (int row = 0; row < @m@; ++row) left -= A[row * @n@ + active[i]] * nu[row];
    part[i] = left / weight[active[i]];
  }
  @own@rank_add_solution(@a@, @m@, bu, bs, bv, part, @least@, nu);
)";

constexpr std::string_view kProjectedEnd =
    R"(  for (int j = 0; j < @n@; ++j) {
    f[j] = tau[j];
    for (int row = 0; row < @m@; ++row) f[j] -= A[row * @n@ + j] * nu[row];
  }
@quiet@  if (@own@all_numbers(f, @n@)) return 0;
  for (int j = 0; j < @n@; ++j) f[j] = 0.0;
  return 3;
}
)";

SourceProgram projected_program(const describe::Model& model, const std::string& word,
                                const ControllerSettings& settings) {
  ProjectedControl control = settings.projected;
  control.share = word == "hybrid" ? Share::hybrid : Share::least;
  control.passive = true;
  if (!model.constraints.empty() && control.led.empty())
    throw InputError({model.file}, fmt::format("`controller:{}`: no coordinate is to be led", word),
                     fmt::format("name as many as there are freedoms by --lead; the model has {}",
                                 fmt::join(model.coordinate_names(), ", ")));
  const ProjectedController checked(model, control);  // which refuses what cannot be
  const ProjectedPlan plan = checked.plan();
  for (const std::size_t c : plan.coordinate)
    if (c >= checked.joints())
      throw InputError(
          {model.file},
          fmt::format("`controller:{}` leads coordinates, not rows of constraints that are off", word),
          "lead coordinates of joints, or use the library's ProjectedController");
  for (const describe::Constraint& constraint : model.constraints)
    if (!constraint.active)
      throw InputError(
          {model.file},
          fmt::format("`controller:{}` has every constraint on, and `{}` is off", word, constraint.name),
          "leave it out, or use the library's ProjectedController");
  if (word == "pidc" && !plan.passive.empty())
    throw InputError({model.file}, fmt::format("model `{}` has joints without an actuator", model.name),
                     "ask for controller:passive");
  if (word == "passive" && plan.passive.empty())
    throw InputError({model.file}, fmt::format("all joints of model `{}` have actuators", model.name),
                     "ask for controller:pidc");
  const ProjectedControl& c = checked.control();
  algebra::Function terms = derive::Equations(model).constrained_terms();
  terms.name = "terms_" + word;
  const bool timed = drop_unused_time(terms);
  const bool hybrid = c.share == Share::hybrid;
  const std::size_t n = checked.joints(), m = checked.rows(), k = checked.led(), p = plan.passive.size(),
                    a = plan.active.size(), s = m + k;
  double least = plan.rank * plan.size;
  for (const std::size_t joint : plan.active)
    least = std::max(least, plan.rank * plan.size / c.weight[joint]);
  std::vector<std::string> arguments;
  for (const algebra::Block& block : terms.inputs)
    arguments.push_back(block.name == "t" ? "&t" : block.name == "tau" ? "none" : block.name);
  for (const algebra::Block& block : terms.outputs) arguments.push_back(block.name);
  const auto text = [](std::size_t x) { return std::to_string(x); };
  const auto list = [](const std::vector<std::size_t>& all) {
    return fmt::format("{}", fmt::join(all, ", "));
  };
  std::string memory;
  if (!hybrid) {
    memory = fmt::format(
        "  static const int active[] = {{{}}};\n  static const double weight[] = {{{}}};\n"
        "  double B[{}], bu[{}], bs[{}], bv[{}], part[{}];\n",
        list(plan.active), numbers(c.weight), a * m, a * std::min(a, m), std::min(a, m), m * std::min(a, m),
        std::max(a, p));
    if (p > 0)
      memory += fmt::format(
          "  static const int passive[] = {{{}}};\n  double driven[{}], pu[{}], ps[{}], pv[{}];\n",
          list(plan.passive), p * m, p * std::min(p, m), std::min(p, m), m * std::min(p, m));
  }
  std::string body(kProjectedHead);
  body.insert(body.find("@time@"), memory);
  if (p > 0) body += kControllable;
  body += kMotion;
  if (hybrid) {
    body += kHybrid;
  } else {
    body += kShareBegin;
    if (p > 0) body += kSharePassive;
    body += kShareEnd;
  }
  body += kProjectedEnd;
  const std::vector<std::pair<std::string, std::string>> values{
      {"which", std::string(hybrid  ? kHybridAbout
                            : p > 0 ? kPassiveAbout
                                    : kLeastAbout)},
      {"more", hybrid ? "const double* lambda,\n    const double* lambda_wanted, double* memory, " : ""},
      {"quiet", p > 0 ? "  for (int i = 0; i < @p@; ++i) f[passive[i]] = 0.0;\n" : ""},
      {"name", word},
      {"led", fmt::format("{}", fmt::join(c.led, ", "))},
      {"time", timed ? "" : "  (void)t;\n"},
      {"call", fmt::format("{}", fmt::join(arguments, ", "))},
      {"coordinates", list(plan.coordinate)},
      {"n", text(n)},
      {"nn", text(n * n)},
      {"m", text(m)},
      {"m2", text(2 * m)},
      {"mn", text(m * n)},
      {"k", text(k)},
      {"s", text(s)},
      {"sn", text(s * n)},
      {"sk", text(s * std::min(s, n))},
      {"sr", text(std::min(s, n))},
      {"a", text(a)},
      {"p", text(p)},
      {"pk", text(std::min(p, m))},
      {"size", number(plan.size)},
      {"least", number(least)},
      {"weight", numbers(c.weight)},
      {"G_P", number(c.G_P)},
      {"G_D", number(c.G_D)},
      {"G_F", number(c.G_F)},
      {"G_I", number(c.G_I)},
      {"filter", number(c.filter)},
      {"period", number(c.period)}};
  SourceProgram program;
  program.name = "control_" + word;
  program.functions = {std::move(terms)};
  program.kernels = {kNumbersKernel, kRankKernel};
  program.text = [values, body](const SourceWords& words) {
    auto all = values;
    all.insert(all.end(), {{"qualifier", words.qualifier}, {"own", words.own}, {"std", words.std}});
    return comment(words, filled(kProjectedAbout, all)) + filled(body, all);
  };
  return program;
}

}  // namespace

const std::vector<generate::Word>& controller_words() {
  static const std::vector<generate::Word> all{
      {"controller:LAW",
       "forces of an arm along a path; LAW: pole-placement, sampled-pole-placement, computed-torque, "
       "diagonal, "
       "gravity, inverse-dynamics"},
      {"controller:inverse-kinematics:FRAME",
       "angles, rates and accelerations of a six-joint arm with a spherical wrist"},
      {"controller:pidc", "least forces that lead a constrained mechanism"},
      {"controller:hybrid", "the same, its constraints' forces led too"},
      {"controller:passive", "the same by the joints that have actuators"}};
  return all;
}

bool is_controller(std::string_view word) { return word.starts_with(kController); }

SourceProgram controller_program(const describe::Model& model, std::string_view word,
                                 const ControllerSettings& settings) {
  const std::string name(word.substr(std::min(word.size(), kController.size())));
  if (name.starts_with(kInverse)) return inverse_program(model, name.substr(kInverse.size()));
  if (name == "pidc" || name == "hybrid" || name == "passive")
    return projected_program(model, name, settings);
  if (const std::optional<ArmLaw> law = arm_law(name == "sampled" ? "sampled-pole-placement" : name))
    return arm_program(model, *law, settings);
  std::vector<std::string> known{"pidc", "hybrid", "passive", "inverse-kinematics:FRAME"};
  for (const ArmLaw law : {ArmLaw::pole_placement, ArmLaw::sampled, ArmLaw::computed_torque, ArmLaw::diagonal,
                           ArmLaw::gravity, ArmLaw::inverse_dynamics})
    known.emplace_back(name_of(law));
  throw InputError({}, fmt::format("there is no controller `{}`", name), suggestion(name, known));
}

}  // namespace tactus::control

#include <tactus/serve/page/message.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>

namespace tactus::serve {

namespace {

using Json = nlohmann::json;
using Vec3 = math::Vec3<double>;

constexpr std::size_t kLongestName = 200;

/// Fields of one message; complains in its name.
class Fields {
 public:
  Fields(const Json& object, std::string type) : object_(object), type_(std::move(type)) {}

  [[noreturn]] void refuse(const std::string& wrong,
                           const std::string& remedy = "docs/protocol.md says how") const {
    throw Refusal(type_, wrong, remedy);
  }
  bool has(const char* name) const { return object_.contains(name); }
  bool is_null(const char* name) const { return has(name) && object_.at(name).is_null(); }

  double number(const char* name, double least, double most) const {
    const Json& value = at(name);
    if (!value.is_number()) refuse(fmt::format("`{}` is no number", name));
    const double x = value.get<double>();
    if (!(x >= least && x <= most))
      refuse(fmt::format("`{}` is {:g}", name, x), fmt::format("give {:g} to {:g}", least, most));
    return x;
  }
  int integer(const char* name, int least, int most) const {
    const double x = number(name, least, most);
    if (x != std::floor(x)) refuse(fmt::format("`{}` is no whole number", name));
    return static_cast<int>(x);
  }
  bool flag(const char* name, bool otherwise) const {
    if (!has(name)) return otherwise;
    if (!object_.at(name).is_boolean()) refuse(fmt::format("`{}` is neither true nor false", name));
    return object_.at(name).get<bool>();
  }
  std::string text(const char* name, std::size_t longest = kLongestName) const {
    const Json& value = at(name);
    if (!value.is_string()) refuse(fmt::format("`{}` is no text", name));
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > longest)
      refuse(fmt::format("`{}` has {} bytes", name, text.size()), fmt::format("{} at most", longest));
    return text;
  }
  std::optional<std::string> optional_text(const char* name) const {
    if (!has(name) || is_null(name)) return std::nullopt;
    return text(name);
  }
  Vec3 vector(const char* name) const {
    const Json& value = at(name);
    if (!value.is_array() || value.size() != 3) refuse(fmt::format("`{}` is no list of three numbers", name));
    Vec3 v;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!value[i].is_number()) refuse(fmt::format("`{}` is no list of three numbers", name));
      v[i] = value[i].get<double>();
      if (!(std::abs(v[i]) <= kFarthest)) refuse(fmt::format("`{}` is out of all bounds", name));
    }
    return v;
  }
  std::vector<double> numbers(const char* name, std::size_t count) const {
    const Json& value = at(name);
    if (!value.is_array() || value.size() != count)
      refuse(fmt::format("`{}` is no list of {} numbers", name, count));
    std::vector<double> list;
    for (const Json& entry : value) {
      if (!entry.is_number()) refuse(fmt::format("`{}` is no list of {} numbers", name, count));
      list.push_back(entry.get<double>());
    }
    return list;
  }
  std::vector<std::string> names(const char* name, std::size_t most) const {
    const Json& value = at(name);
    if (!value.is_array()) refuse(fmt::format("`{}` is no list", name));
    if (value.size() > most)
      refuse(fmt::format("`{}` has {} entries", name, value.size()), fmt::format("{} at most", most));
    std::vector<std::string> list;
    for (const Json& entry : value) {
      if (!entry.is_string() || entry.get_ref<const std::string&>().size() > kLongestName)
        refuse(fmt::format("`{}` has an entry that is no name", name));
      list.push_back(entry.get<std::string>());
    }
    return list;
  }
  template <class Value, std::size_t n>
  Value one_of(const char* name, const std::array<std::pair<const char*, Value>, n>& words) const {
    const std::string word = text(name);
    std::string known;
    for (const auto& [text, value] : words) {
      if (word == text) return value;
      known += (known.empty() ? "" : ", ") + std::string(text);
    }
    refuse(fmt::format("`{}` is `{}`", name, word), "known: " + known);
  }
  std::uint32_t sequence() const {
    return has("sequence") ? static_cast<std::uint32_t>(number("sequence", 0.0, 4294967295.0)) : 0U;
  }

 private:
  const Json& at(const char* name) const {
    if (!has(name)) refuse(fmt::format("`{}` is missing", name));
    return object_.at(name);
  }

  const Json& object_;
  std::string type_;
};

constexpr int kMostBodies = 100000;

say::Message hello(const Fields& f) {
  return say::Hello{f.integer("version", 0, 1000000), f.optional_text("name").value_or("")};
}
say::Message ping(const Fields& f) { return say::Ping{f.number("t", -1e300, 1e300)}; }
say::Message frames(const Fields& f) { return say::Frames{f.number("rate", 0.0, 120.0)}; }
say::Message channels(const Fields& f) { return say::Channels{f.names("names", kMostChannels)}; }
say::Message take(const Fields& f) { return say::Take{f.flag("force", false)}; }
say::Message leave(const Fields&) { return say::Leave{}; }
say::Message open(const Fields& f) {
  say::Open open;
  if (f.has("model")) {
    open.model = f.text("model");
  } else {
    open.text = f.text("text", kLargestModel);
    open.name = f.text("name");
  }
  return open;
}
say::Message grab(const Fields& f) {
  return say::Grab{f.integer("body", 0, kMostBodies), f.vector("point"), f.vector("target"), f.sequence()};
}
say::Message move(const Fields& f) {
  return say::Move{f.vector("target"), f.has("turn") ? f.vector("turn") : Vec3{}, f.sequence()};
}
say::Message release(const Fields&) { return say::Release{}; }
say::Message push(const Fields& f) {
  say::Push push{f.integer("body", 0, kMostBodies), f.vector("force"), std::nullopt};
  if (f.has("point")) push.point = f.vector("point");
  return push;
}
say::Message coupling(const Fields& f) {
  const auto given = [&](const char* name, double least, double most) -> std::optional<double> {
    if (!f.has(name)) return std::nullopt;
    return f.is_null(name) ? 0.0 : f.number(name, least, most);
  };
  return say::Coupling{given("stiffness", 1e-6, 1e12), given("damping", 0.1, 2.0), given("force", 1e-6, 1e9)};
}
say::Message parameter(const Fields& f) {
  return say::Parameter{f.text("name"), f.number("value", -1e15, 1e15)};
}
say::Message parameters_reset(const Fields&) { return say::ParametersReset{}; }
say::Message constraint(const Fields& f) {
  const bool on = f.has("on") ? f.flag("on", false) : (f.refuse("`on` is missing"), false);
  return say::Constraint{f.text("name"), on};
}
say::Message choose(const Fields& f) {
  say::Choose choose;
  choose.formulation = f.optional_text("formulation");
  choose.integrator = f.optional_text("integrator");
  choose.contact = f.optional_text("contact");
  choose.controller = f.optional_text("controller");
  choose.device = f.optional_text("device");
  choose.hand = f.optional_text("hand");
  choose.port = f.optional_text("port");
  if (f.has("step")) choose.step = f.number("step", 1e-5, 0.05);
  if (f.has("weightless")) choose.weightless = f.flag("weightless", false);
  return choose;
}
say::Message time(const Fields& f) {
  using Do = say::Time::Do;
  say::Time time;
  if (f.has("do"))
    time.action = f.one_of("do", std::array{std::pair{"pause", Do::pause}, std::pair{"run", Do::run},
                                            std::pair{"step", Do::step}, std::pair{"reset", Do::reset}});
  if (f.has("ticks")) time.ticks = f.integer("ticks", 1, 1000);
  if (f.has("rate")) time.rate = f.number("rate", 0.01, 4.0);
  return time;
}
say::Message snapshot(const Fields& f) {
  using Do = say::Snapshot::Do;
  say::Snapshot snapshot;
  snapshot.action = f.one_of("do", std::array{std::pair{"save", Do::save}, std::pair{"load", Do::load},
                                              std::pair{"drop", Do::drop}});
  if (snapshot.action != Do::save) snapshot.id = f.integer("id", 0, 1000000000);
  return snapshot;
}
say::Message record(const Fields& f) {
  if (!f.has("on")) f.refuse("`on` is missing");
  return say::Record{f.flag("on", false)};
}
say::Message equations(const Fields& f) {
  using Form = say::Equations::Form;
  say::Equations equations;
  if (f.has("form"))
    equations.form = f.one_of(
        "form", std::array{std::pair{"exact", Form::exact}, std::pair{"reduced", Form::reduced},
                           std::pair{"canonical", Form::canonical}, std::pair{"linear", Form::linear}});
  if (f.has("threshold") && !f.is_null("threshold")) equations.threshold = f.number("threshold", 0.0, 1e12);
  equations.symbols = f.flag("symbols", false);
  return equations;
}
say::Message check(const Fields& f) { return say::Check{f.text("text", kLargestModel)}; }
say::Message apply(const Fields& f) {
  return say::Apply{f.text("text", kLargestModel), f.flag("keep", true)};
}
say::Message text(const Fields& f) { return say::Text{f.optional_text("model").value_or("")}; }
say::Message clear_fault(const Fields&) { return say::ClearFault{}; }
say::Message probe(const Fields& f) {
  if (f.is_null("body")) return say::Probe{};
  return say::Probe{f.integer("body", 0, kMostBodies), f.has("point") ? f.vector("point") : Vec3{}};
}

/// A pair to the left of the axis, no faster than any loop that is offered could follow.
std::optional<say::PolePair> poles(const Fields& f) {
  if (!f.has("poles")) return std::nullopt;
  constexpr double kSlowest = 0.01, kFastest = 2000.0;  // [1/s]
  const std::vector<double> pair = f.numbers("poles", 2);
  if (!(pair[0] <= -kSlowest && pair[0] >= -kFastest && pair[1] >= 0.0 && pair[1] <= kFastest))
    f.refuse(fmt::format("`poles` are {:g} +- {:g}j", pair[0], pair[1]),
             fmt::format("give a real part of {:g} to {:g}, and an imaginary one of 0 to {:g}", -kFastest,
                         -kSlowest, kFastest));
  return say::PolePair{pair[0], pair[1]};
}

say::Message control(const Fields& f) {
  using Target = say::Control::Target;
  say::Control control;
  control.law = f.optional_text("law");
  control.poles = poles(f);
  if (f.has("target"))
    control.target =
        f.one_of("target", std::array{std::pair{"stand", Target::stand}, std::pair{"slew", Target::slew},
                                      std::pair{"hand", Target::hand}});
  if (f.has("seconds")) control.seconds = f.number("seconds", 0.2, 30.0);
  control.learn = f.flag("learn", false);
  return control;
}
say::Message loci(const Fields& f) {
  say::Loci loci;
  loci.law = f.optional_text("law");
  loci.poles = poles(f);
  loci.sampled = f.flag("sampled", true);
  loci.now = f.flag("now", false);
  return loci;
}

using Reader = say::Message (*)(const Fields&);
const std::map<std::string, Reader, std::less<>>& readers() {
  static const std::map<std::string, Reader, std::less<>> table{{"hello", hello},
                                                                {"ping", ping},
                                                                {"frames", frames},
                                                                {"channels", channels},
                                                                {"take", take},
                                                                {"leave", leave},
                                                                {"open", open},
                                                                {"grab", grab},
                                                                {"move", move},
                                                                {"release", release},
                                                                {"push", push},
                                                                {"coupling", coupling},
                                                                {"parameter", parameter},
                                                                {"parameters_reset", parameters_reset},
                                                                {"constraint", constraint},
                                                                {"choose", choose},
                                                                {"time", time},
                                                                {"snapshot", snapshot},
                                                                {"record", record},
                                                                {"equations", equations},
                                                                {"check", check},
                                                                {"apply", apply},
                                                                {"text", text},
                                                                {"clear_fault", clear_fault},
                                                                {"probe", probe},
                                                                {"control", control},
                                                                {"loci", loci}};
  return table;
}

/// How deep brackets go, at most; those within texts do not count.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

Decoded decode(std::string_view text) {
  if (text.size() > kLargestMessage)
    throw Refusal("message", "the message is too large", "a megabyte at most", true);
  if (depth_of(text) > kDeepest)
    throw Refusal("message", "the message is nested too deeply", "eight levels at most", true);
  const Json object = Json::parse(text.begin(), text.end(), nullptr, false);
  if (object.is_discarded() || !object.is_object())
    throw Refusal("message", "the message is no JSON object", "docs/protocol.md says what there is", true);
  Decoded decoded;
  if (const auto request = object.find("request"); request != object.end() && request->is_number()) {
    const double number = request->get<double>();
    if (number >= 0.0 && number <= 9e15 && number == std::floor(number))
      decoded.request = static_cast<std::int64_t>(number);
  }
  try {
    const auto type = object.find("type");
    if (type == object.end() || !type->is_string())
      throw Refusal("message", "the message has no `type`", "docs/protocol.md lists them");
    decoded.type = type->get<std::string>();
    const auto reader = readers().find(decoded.type);
    if (reader == readers().end()) {
      std::vector<std::string> known;
      for (const auto& [name, read] : readers()) known.push_back(name);
      const std::string shown = decoded.type.substr(0, 40);
      throw Refusal("message", fmt::format("there is no message `{}`", shown), suggestion(shown, known));
    }
    decoded.message = reader->second(Fields(object, decoded.type));
  } catch (Refusal& refusal) {
    refusal.request = decoded.request;
    throw;
  }
  return decoded;
}

bool needs_hold(const say::Message& message) {
  return std::visit(
      []<class T>(const T&) {
        constexpr bool looks = std::is_same_v<T, say::Hello> || std::is_same_v<T, say::Ping> ||
                               std::is_same_v<T, say::Frames> || std::is_same_v<T, say::Channels> ||
                               std::is_same_v<T, say::Take> || std::is_same_v<T, say::Leave> ||
                               std::is_same_v<T, say::Equations> || std::is_same_v<T, say::Check> ||
                               std::is_same_v<T, say::Text> || std::is_same_v<T, say::Loci>;
        return !looks;
      },
      message);
}

}  // namespace tactus::serve

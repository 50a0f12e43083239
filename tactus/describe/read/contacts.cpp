// The `contact` section: which shapes may touch, and by which law.
//
// Without `only_pairs`, any two bodies with contact shapes touch by the default law, except where they cannot
// separate or are joined: a rigid group (bodies welded together) does not touch itself, nor a group that a
// joint, or a closing constraint active at the start, ties to it. The ground may be touched by all others:
// most joints hang on it.
//
// A pair may be named for whole bodies or for single shapes. Each pair of shapes follows the most special of
// the pairs that cover it: shape and shape, then shape and body, then body and body, then the defaults.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>
#include <tactus/describe/words/contact_text.h>

namespace tactus::describe {

namespace {

/// More pairs than a broad phase should have to look at one by one; a thousand bodies would come to 500 000.
constexpr std::size_t kMostPairs = 250'000;

using BodyPair = std::pair<int, int>;  // the lower index first
BodyPair sorted(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

const Body& body_at(const Model& model, int index) { return model.bodies[static_cast<std::size_t>(index)]; }

std::vector<int> contact_shapes(const Body& body) {
  std::vector<int> shapes;
  for (std::size_t g = 0; g < body.geometry.size(); ++g)
    if (body.geometry[g].contact) shapes.push_back(static_cast<int>(g));
  return shapes;
}

/// `body` or `body.shape`.
std::pair<int, int> read_side(const Reader& reader, const Value& value) {
  const std::string& text = reader.word(value, "a body or a shape");
  const std::size_t dot = text.find('.');
  const std::string body_name = text.substr(0, dot);
  const int index = reader.model.body_index(body_name);
  if (index < 0) {
    std::vector<std::string> all;
    for (const Body& body : reader.model.bodies) all.push_back(body.name);
    reader.fail(value, fmt::format("there is no body named `{}`", body_name),
                suggestion(body_name, std::span<const std::string>(all)));
  }
  const Body& body = body_at(reader.model, index);
  if (dot == std::string::npos) {
    if (!contact_shapes(body).empty()) return {index, -1};
    reader.fail(value, fmt::format("the body `{}` has no shape that can be touched", body.name),
                "give it a geometry with contact: true");
  }
  const std::string shape = text.substr(dot + 1);
  std::vector<std::string> all;
  for (std::size_t g = 0; g < body.geometry.size(); ++g) {
    const Geometry& geometry = body.geometry[g];
    if (geometry.name.empty()) continue;
    all.push_back(geometry.name);
    if (geometry.name != shape) continue;
    if (!geometry.contact) {
      reader.fail(value, fmt::format("the shape `{}` of `{}` cannot be touched", shape, body.name),
                  "say contact: true in the shape");
    }
    return {index, static_cast<int>(g)};
  }
  reader.fail(value, fmt::format("the body `{}` has no shape named `{}`", body.name, shape),
              all.empty() ? std::string("its shapes have no names: give this one a `name`")
                          : suggestion(shape, std::span<const std::string>(all)));
}

/// Bodies welded together are one: each body's group is its lowest body.
std::vector<int> rigid_groups(const Model& model) {
  std::vector<int> group(model.bodies.size(), 0);
  for (const Joint& joint : model.joints) {
    group[static_cast<std::size_t>(joint.child)] =
        joint.type == JointType::weld ? group[static_cast<std::size_t>(joint.parent)] : joint.child;
  }
  return group;
}

class Pairs {
 public:
  explicit Pairs(Reader& reader) : reader_(reader), model_(reader.model), group_(rigid_groups(reader.model)) {
    const auto join = [&](int a, int b) {
      joined_.insert(sorted(group_[static_cast<std::size_t>(a)], group_[static_cast<std::size_t>(b)]));
    };
    for (const Joint& joint : model_.joints) join(joint.parent, joint.child);
    for (const Constraint& constraint : model_.constraints) {
      if (constraint.type != ConstraintType::closure || !constraint.active) continue;
      join(model_.frames[static_cast<std::size_t>(constraint.frame_a)].body,
           model_.frames[static_cast<std::size_t>(constraint.frame_b)].body);
    }
  }

  void read_ignored(const Value& list) {
    if (!list.is_sequence()) {
      reader_.fail(list, fmt::format("`ignore` must be a list of pairs, not {}", name_of(list.kind)),
                   "write ignore: [[arm, table], [hand, table]]");
    }
    for (const Value& item : list.items) {
      reader_.require_list(item, "a pair to ignore", 2);
      const int a = find_body(reader_, item.items[0]), b = find_body(reader_, item.items[1]);
      require_two(item, a, b);
      ignored_.insert(sorted(a, b));
      model_.contact.ignored.emplace_back(a, b);
    }
  }

  void read_named(const Value& section, const ContactLaw& defaults) {
    reader_.require_map(section, "`pairs`");
    for (const Value::Entry& entry : section.entries) {
      ContactPair pair;
      pair.name = reader_.identifier(entry.key, "a pair");
      pair.where = reader_.place(entry.key);
      const Fields fields(reader_, entry.value, fmt::format("the pair `{}`", pair.name), keys::kContactPair);
      const Value& between = fields.require("between", "write between: [floor, ball], or [floor, ball.rim]");
      reader_.require_list(between, "`between`", 2);
      std::tie(pair.body_a, pair.geometry_a) = read_side(reader_, between.items[0]);
      std::tie(pair.body_b, pair.geometry_b) = read_side(reader_, between.items[1]);
      require_two(between, pair.body_a, pair.body_b);
      if (ignored_.contains(sorted(pair.body_a, pair.body_b))) {
        reader_.fail(between, fmt::format("the bodies of `{}` are to be ignored", pair.name),
                     "take them out of `ignore`, or remove the pair");
      }
      pair.law = read_contact_law(reader_, fields, defaults);
      refuse_unused(fields, pair.law);
      if (const Value* text = fields["description"]) reader_.word(*text, "a description");
      cover(between, pair);
      named_.push_back(std::move(pair));
    }
  }

  void finish(bool only_named, const ContactLaw& defaults, const Place& where) {
    for (std::size_t n = 0; n < named_.size(); ++n) emit_named(n);
    if (only_named) return;
    std::vector<int> touchable;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b)
      if (!contact_shapes(model_.bodies[b]).empty()) touchable.push_back(static_cast<int>(b));
    if (touchable.size() * (touchable.size() - 1) / 2 > kMostPairs) too_many(where);
    for (std::size_t i = 0; i < touchable.size(); ++i) {
      for (std::size_t k = i + 1; k < touchable.size(); ++k)
        emit_rest(touchable[i], touchable[k], defaults, where);
    }
  }

 private:
  /// Which named pair each pair of contact shapes of two bodies follows (-1: none yet), and how special it
  /// is.
  struct Cover {
    std::vector<int> shapes_a, shapes_b;  // of the lower and of the higher body
    std::vector<int> owner, level;        // by rows: a, then b
  };

  [[noreturn]] void too_many(const Place& where) const {
    throw InputError(where, fmt::format("there are more than {} pairs of shapes that may touch", kMostPairs),
                     "name those that matter, and say only_pairs: true");
  }

  void require_two(const Value& where, int a, int b) const {
    const std::string& name = body_at(model_, a).name;
    if (a == b) reader_.fail(where, fmt::format("`{}` is paired with itself", name), "name two bodies");
    if (group_[static_cast<std::size_t>(a)] == group_[static_cast<std::size_t>(b)]) {
      reader_.fail(where, fmt::format("`{}` and `{}` are welded together", name, body_at(model_, b).name),
                   "they never move against each other: remove the pair");
    }
  }

  /// A pair that says how it rebounds and how it yields says one thing too many.
  static void refuse_unused(const Fields& fields, const ContactLaw& law) {
    if (law.rendering == Rendering::compliant) {
      fields.refuse({"restitution", "restitution_law", "rest_speed", "static_friction"},
                    "a compliant contact rebounds by its spring and damper, and slides by `friction` and "
                    "`slip_speed`");
    } else {
      fields.refuse({"stiffness", "damping", "slip_speed"},
                    "a rigid contact does not yield: write render: compliant, or leave it out");
    }
  }

  Cover& cover_of(int a, int b) {
    const auto [found, is_new] = covers_.try_emplace(sorted(a, b));
    Cover& cover = found->second;
    if (is_new) {
      cover.shapes_a = contact_shapes(body_at(model_, found->first.first));
      cover.shapes_b = contact_shapes(body_at(model_, found->first.second));
      const std::size_t cells = cover.shapes_a.size() * cover.shapes_b.size();
      cells_ += cells;
      if (cells_ > kMostPairs) too_many(body_at(model_, found->first.second).where);
      cover.owner.assign(cells, -1);
      cover.level.assign(cells, -1);
    }
    return cover;
  }

  /// Calls visit(owner, level, shape of the lower body, shape of the higher one) for what the pair covers.
  template <typename Visit>
  static void visit_cells(Cover& cover, const ContactPair& pair, Visit visit) {
    const bool exchanged = pair.body_a > pair.body_b;
    const int first = exchanged ? pair.geometry_b : pair.geometry_a;
    const int second = exchanged ? pair.geometry_a : pair.geometry_b;
    for (std::size_t i = 0; i < cover.shapes_a.size(); ++i) {
      if (first >= 0 && cover.shapes_a[i] != first) continue;
      for (std::size_t k = 0; k < cover.shapes_b.size(); ++k) {
        if (second >= 0 && cover.shapes_b[k] != second) continue;
        const std::size_t cell = i * cover.shapes_b.size() + k;
        visit(cover.owner[cell], cover.level[cell], cover.shapes_a[i], cover.shapes_b[k]);
      }
    }
  }

  void cover(const Value& where, const ContactPair& pair) {
    const int level = (pair.geometry_a >= 0) + (pair.geometry_b >= 0);
    const int index = static_cast<int>(named_.size());
    visit_cells(cover_of(pair.body_a, pair.body_b), pair, [&](int& owner, int& owner_level, int, int) {
      if (owner_level == level) {
        reader_.fail(where,
                     fmt::format("the pairs `{}` and `{}` both say how the same shapes touch",
                                 named_[static_cast<std::size_t>(owner)].name, pair.name),
                     "keep one, or name single shapes in the one that is to hold for them");
      }
      if (owner_level > level) return;
      owner = index;
      owner_level = level;
    });
  }

  void add(ContactPair pair) {
    model_.contact.pairs.push_back(std::move(pair));
    if (model_.contact.pairs.size() > kMostPairs) too_many(model_.contact.pairs.back().where);
  }

  void emit_named(std::size_t n) {
    const ContactPair& pair = named_[n];
    Cover& cover = cover_of(pair.body_a, pair.body_b);
    std::vector<std::pair<int, int>> own;
    bool whole = true;
    visit_cells(cover, pair, [&](int owner, int, int a, int b) {
      if (owner == static_cast<int>(n)) {
        own.emplace_back(a, b);
      } else {
        whole = false;
      }
    });
    if (whole) {
      add(pair);
      return;
    }
    for (const auto& [lower, higher] : own) {
      ContactPair single = pair;
      const bool exchanged = pair.body_a > pair.body_b;
      single.geometry_a = exchanged ? higher : lower;
      single.geometry_b = exchanged ? lower : higher;
      single.name = fmt::format("{}:{}", pair.name, pair_name(single));
      add(std::move(single));
    }
  }

  void emit_rest(int a, int b, const ContactLaw& law, const Place& where) {
    const int group_a = group_[static_cast<std::size_t>(a)], group_b = group_[static_cast<std::size_t>(b)];
    const bool tied = group_a != 0 && group_b != 0 && joined_.contains(sorted(group_a, group_b));
    if (group_a == group_b || tied || ignored_.contains({a, b})) return;
    ContactPair pair;
    pair.body_a = a;
    pair.body_b = b;
    pair.law = law;
    pair.where = where;
    const auto found = covers_.find({a, b});
    if (found == covers_.end()) {
      pair.name = pair_name(pair);
      add(std::move(pair));
      return;
    }
    visit_cells(found->second, pair, [&](int owner, int, int shape_a, int shape_b) {
      if (owner >= 0) return;
      ContactPair single = pair;
      single.geometry_a = shape_a;
      single.geometry_b = shape_b;
      single.name = pair_name(single);
      add(std::move(single));
    });
  }

  std::string pair_name(const ContactPair& pair) const {
    return fmt::format("{}-{}", side_name(body_at(model_, pair.body_a), pair.geometry_a),
                       side_name(body_at(model_, pair.body_b), pair.geometry_b));
  }

  Reader& reader_;
  Model& model_;
  std::vector<int> group_;     // of each body
  std::set<BodyPair> joined_;  // groups that a joint or a closure ties
  std::set<BodyPair> ignored_;
  std::vector<ContactPair> named_;
  std::map<BodyPair, Cover> covers_;
  std::size_t cells_ = 0;
};

}  // namespace

void read_contact(Reader& reader, const Value& section) {
  const Fields fields(reader, section, "`contact`", keys::kContact);
  ContactLaw defaults;
  if (const Value* given = fields["defaults"])
    defaults = read_contact_law(reader, Fields(reader, *given, "`defaults`", keys::kContactLaw), defaults);
  const Value* only = fields["only_pairs"];
  const bool only_named = only != nullptr && reader.flag(*only, "`only_pairs`");
  if (only_named && fields["pairs"] == nullptr && fields["stops"] == nullptr)
    reader.fail(*only, "`only_pairs` without any `pairs`", "name the pairs, or leave `only_pairs` out");
  Pairs pairs(reader);
  if (const Value* ignored = fields["ignore"]) {
    if (only_named)
      reader.fail(*ignored, "`ignore` has no meaning where only named pairs touch",
                  "remove `ignore` or `only_pairs`");
    pairs.read_ignored(*ignored);
  }
  if (const Value* named = fields["pairs"]) pairs.read_named(*named, defaults);
  pairs.finish(only_named, defaults, reader.place(section));
  if (const Value* stops = fields["stops"]) read_stops(reader, *stops);
  if (reader.model.contact.pairs.empty() && reader.model.contact.stops.empty())
    reader.warn(section,
                "nothing can touch: no two bodies have shapes with contact: true, and there are no stops");
}

}  // namespace tactus::describe

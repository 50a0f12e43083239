#include <tactus/contact/rederive/enumerate.h>

#include <algorithm>
#include <set>
#include <vector>

#include <tactus/collide/scene.h>
#include <tactus/contact/events/contact_motion.h>

namespace tactus::contact {

namespace {

constexpr std::size_t kMostNear = 64;

/// Which constraints are on.
using Active = std::vector<char>;

/// All that transitions lead to, the initial one first.
std::vector<Active> reachable(const describe::Model& model, std::size_t own, std::size_t most,
                              bool& complete) {
  Active start;
  for (std::size_t c = 0; c < own; ++c) start.push_back(model.constraints[c].active ? 1 : 0);
  std::vector<Active> found{start};
  std::set<Active> known{start};
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (const describe::Transition& transition : model.contact.transitions) {
      Active active = found[next];
      const auto all = [&](const std::vector<int>& constraints, char on) {
        return std::all_of(constraints.begin(), constraints.end(),
                           [&](int c) { return active[static_cast<std::size_t>(c)] == on; });
      };
      if (!all(transition.if_active, 1) || !all(transition.if_inactive, 0)) continue;
      for (const int c : transition.release) active[static_cast<std::size_t>(c)] = 0;
      for (const int c : transition.activate) active[static_cast<std::size_t>(c)] = 1;
      if (!known.insert(active).second) continue;
      if (found.size() == most) {
        complete = false;
        return found;
      }
      found.push_back(std::move(active));
    }
  }
  return found;
}

/// The features that are nearest at the terms' place.
std::vector<Touch> candidates(const ContactModel& contact_model, double reach, ContactMotion& motion) {
  std::vector<Touch> touches;
  if (contact_model.model.contact.pairs.empty()) return touches;
  collide::Scene scene(contact_model.model, kMostNear);
  std::vector<double> poses(12 * contact_model.model.bodies.size(), 0.0);
  for (std::size_t b = 0; b < contact_model.model.bodies.size(); ++b)
    for (const std::size_t i : {0, 5, 10}) poses[12 * b + i] = 1.0;
  for (const TermsKernel::Body& body : contact_model.terms.bodies)
    std::copy_n(motion.terms().values().begin() + static_cast<std::ptrdiff_t>(body.X), 12,
                poses.begin() + 12 * body.body);
  scene.update(poses);
  for (const collide::Proximity& near : scene.near(reach)) {
    touches.push_back(
        touch_of(near, contact_model.model.contact.pairs[static_cast<std::size_t>(near.pair)].law));
    motion.choose_tangents(touches.back());
  }
  return touches;
}

/// Walks through the combinations of contacts and stops, and makes the code of each.
class Walk {
 public:
  Walk(const ContactModel& contact_model, ContactMotion& motion, std::vector<Touch> touches,
       Rederiver& rederiver, const EnumerationOptions& options, Enumeration& result)
      : contact_model_(contact_model),
        motion_(motion),
        touches_(std::move(touches)),
        rederiver_(rederiver),
        options_(options),
        result_(result) {
    for (std::size_t i = 0; i < contact_model.row_of_stop.size(); ++i)
      if (contact_model.row_of_stop[i] >= 0) stops_.push_back(i);
    result.contacts = items();
  }

  std::size_t items() const { return touches_.size() + stops_.size(); }

  /// All sets with exactly `count` contacts.
  void with(std::size_t count, const Active& active) {
    for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
      const auto c = static_cast<std::size_t>(contact_model_.terms.rows[row].constraint);
      motion_.row_on[row] = c < active.size() ? active[c] : 0;
    }
    for (Touch& touch : touches_) touch.mode = Mode::apart;
    choose(0, count);
  }

 private:
  void choose(std::size_t item, std::size_t left) {
    if (full_) return;
    if (left == 0) return make();
    if (items() - item < left) return;
    choose(item + 1, left);
    if (item < touches_.size()) {
      Touch& touch = touches_[item];
      const bool sticks = touch.rigid() && touch.tangents > 0 && touch.law->static_friction > 0.0;
      touch.mode = Mode::sliding;
      choose(item + 1, left - 1);
      touch.mode = Mode::sticking;
      if (sticks) choose(item + 1, left - 1);
      touch.mode = Mode::apart;
      return;
    }
    const describe::JointStop& stop = contact_model_.model.contact.stops[stops_[item - touches_.size()]];
    const auto row = static_cast<std::size_t>(contact_model_.row_of_stop[stops_[item - touches_.size()]]);
    for (const std::size_t other : stops_) {
      const auto other_row = static_cast<std::size_t>(contact_model_.row_of_stop[other]);
      if (contact_model_.model.contact.stops[other].coordinate == stop.coordinate &&
          motion_.row_on[other_row] != 0)
        return;
    }
    motion_.row_on[row] = 1;
    choose(item + 1, left - 1);
    motion_.row_on[row] = 0;
  }

  void make() {
    if (result_.sets + result_.refused == options_.most_sets) {
      full_ = true;
      result_.complete = false;
      return;
    }
    motion_.touches = touches_;
    motion_.update();
    SetKey key;
    const bool made = motion_.name_set(key) && rederiver_.make(key) != nullptr;
    ++(made ? result_.sets : result_.refused);
  }

  const ContactModel& contact_model_;
  ContactMotion& motion_;
  std::vector<Touch> touches_;
  std::vector<std::size_t> stops_;
  bool full_ = false;
  Rederiver& rederiver_;
  const EnumerationOptions& options_;
  Enumeration& result_;
};

}  // namespace

Enumeration formulate_all(const ContactModel& contact_model, const simulate::State& at, Rederiver& rederiver,
                          EnumerationOptions options) {
  Enumeration result;
  ContactMotion motion(contact_model, kMostNear);
  motion.mutable_terms().evaluate(at.t, at.q.data(), at.u.data());
  const std::vector<Active> sets =
      reachable(contact_model.model, contact_model.own_constraints, options.most_sets, result.complete);
  result.constraint_sets = sets.size();
  Walk walk(contact_model, motion, candidates(contact_model, options.reach, motion), rederiver, options,
            result);
  const std::size_t most = std::min(walk.items(), options.most_contacts);
  for (std::size_t count = 0; count <= most; ++count)
    for (const Active& active : sets) walk.with(count, active);
  if (most < walk.items()) result.complete = false;
  return result;
}

}  // namespace tactus::contact

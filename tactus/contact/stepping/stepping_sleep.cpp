// Sleep. Islands of contacts that have been slow for a while stay where they are: no impulses, no motion, no
// search among their shapes. They wake together. Who sleeps follows from the motion alone, step by step, so
// that the same input gives the same bits.
#include <algorithm>
#include <cmath>

#include <tactus/contact/stepping/stepping.h>

namespace tactus::contact {

int TimeStepping::block_of(int body) const {
  const int slot = kernel_.body_slot[static_cast<std::size_t>(body)];
  return slot < 0 ? -1 : kernel_.bodies[static_cast<std::size_t>(slot)].block;
}

bool TimeStepping::is_asleep(int body) const {
  const int block = block_of(body);
  return block >= 0 && rest_[static_cast<std::size_t>(block)].group >= 0;
}

/// Constraints may be driven, or switched on; stops may be reached.
bool TimeStepping::may_sleep(std::size_t block) const { return kernel_.blocks[block].rows.empty(); }

void TimeStepping::mark_still() {
  any_asleep_ = false;
  for (std::size_t body = 0; body < still_.size(); ++body) {
    const bool asleep = is_asleep(static_cast<int>(body));
    still_[body] = asleep || block_of(static_cast<int>(body)) < 0;
    any_asleep_ = any_asleep_ || asleep;
  }
}

bool TimeStepping::adjust() noexcept {
  for (Rest& rest : rest_) rest = {};
  if (any_asleep_) mark_still();
  return true;
}

void TimeStepping::wake(int group) {
  for (Rest& rest : rest_)
    if (rest.group == group) rest = {};
}

/// Bodies that sleep feel the forces they fell asleep with, to the last bit; where one has changed (an input,
/// a load that depends on time), they wake.
void TimeStepping::wake_by_forces() {
  if (!any_asleep_) return;
  bool woken = false;
  for (std::size_t k = 0; k < rest_.size(); ++k) {
    if (rest_[k].group < 0) continue;
    const std::vector<int>& speeds = kernel_.blocks[k].speeds;
    const bool same = std::all_of(speeds.begin(), speeds.end(), [&](int speed) {
      return terms_.Q()[speed] == resting_forces_[static_cast<std::size_t>(speed)];
    });
    if (same) continue;
    wake(rest_[k].group);
    woken = true;
  }
  if (woken) mark_still();
}

/// Whether a body that moves has come near one that sleeps, which then wakes with its group.
bool TimeStepping::wake_by_contact(std::span<const collide::Proximity> near) {
  bool woken = false;
  for (const collide::Proximity& proximity : near) {
    for (const int body : {proximity.body_a, proximity.body_b}) {
      if (!is_asleep(body)) continue;
      wake(rest_[static_cast<std::size_t>(block_of(body))].group);
      woken = true;
    }
  }
  if (woken) mark_still();
  return woken;
}

void TimeStepping::fall_asleep() {
  if (!(options_.sleep_after > 0.0)) return;
  const double enough = options_.sleep_after / options_.step;
  for (std::size_t k = 0; k < rest_.size(); ++k) {
    if (rest_[k].group >= 0) continue;
    const std::vector<int>& speeds = kernel_.blocks[k].speeds;
    const bool slow = std::all_of(speeds.begin(), speeds.end(), [&](int speed) {
      return std::abs(end_[static_cast<std::size_t>(speed)]) <= options_.sleep_speed;
    });
    rest_[k].quiet = slow && may_sleep(k) ? std::min(rest_[k].quiet + 1, kLongQuiet) : 0;
  }
  bool asleep = false;
  for (std::size_t island = 0; island < solver_.islands().size(); ++island) {
    const std::span<const int> blocks = solver_.islands().blocks(island);
    const bool rests = std::all_of(blocks.begin(), blocks.end(), [&](int block) {
      return rest_[static_cast<std::size_t>(block)].quiet >= enough;
    });
    if (!rests) continue;
    asleep = true;
    for (const int block : blocks) {
      rest_[static_cast<std::size_t>(block)].group = blocks.front();
      for (const int speed : kernel_.blocks[static_cast<std::size_t>(block)].speeds) {
        const auto i = static_cast<std::size_t>(speed);
        end_[i] = shift_[i] = 0.0;
        arguments_[1 + nq_ + i] = 0.0;
      }
    }
  }
  if (!asleep) return;
  mark_still();
  // The forces on them as the next steps will find them: here, without speeds.
  terms_.evaluate(arguments_.data());
  for (std::size_t k = 0; k < rest_.size(); ++k)
    if (rest_[k].group >= 0)
      for (const int speed : kernel_.blocks[k].speeds)
        resting_forces_[static_cast<std::size_t>(speed)] = terms_.Q()[speed];
}

}  // namespace tactus::contact

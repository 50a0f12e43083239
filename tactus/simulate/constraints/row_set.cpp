#include <tactus/simulate/constraints/row_set.h>

#include <algorithm>
#include <cmath>

#include <tactus/simulate/constraints/newton_hold.h>

namespace tactus::simulate {

namespace {

/// Ends of steps in a row at which a row must be redundant before it is set aside: a motion through a
/// singular configuration meets it once.
constexpr int kForGood = 2;

}  // namespace

RowSet::RowSet(const Constraints& constraints) : constraints_(constraints) {
  const std::size_t m = constraints.size();
  memory_.active = constraints.active;
  memory_.aside.assign(m, 0);
  memory_.dependent_ends.assign(m, 0);
  active_rows_.reserve(m);
  held_rows_.reserve(m);
  held_positions_.reserve(m);
  row_of_constraint_.assign(constraints.names.size(), -1);
  for (std::size_t k = m; k-- > 0;)
    row_of_constraint_[static_cast<std::size_t>(constraints.rows[k].constraint)] = static_cast<int>(k);
  update();
  mark();
}

void RowSet::update() {
  changed_ = true;
  active_rows_.clear();
  held_rows_.clear();
  held_positions_.clear();
  unrolled_fits_ = constraints_.unrolled.has_value();
  for (std::size_t k = 0; k < constraints_.size(); ++k) {
    const bool held = memory_.active[k] && !memory_.aside[k];
    if (memory_.active[k]) active_rows_.push_back(k);
    if (held) held_rows_.push_back(k);
    if (held && constraints_.rows[k].holonomic) held_positions_.push_back(k);
    unrolled_fits_ = unrolled_fits_ && held == (constraints_.unrolled->rows[k] != 0);
  }
}

bool RowSet::is_active(int constraint) const {
  if (constraint < 0 || static_cast<std::size_t>(constraint) >= row_of_constraint_.size()) return false;
  const int row = row_of_constraint_[static_cast<std::size_t>(constraint)];
  return row >= 0 && memory_.active[static_cast<std::size_t>(row)] != 0;
}

void RowSet::begin() {
  if (as_at_start())
    std::copy(constraints_.redundant.begin(), constraints_.redundant.end(), memory_.aside.begin());
  else
    std::fill(memory_.aside.begin(), memory_.aside.end(), 0);
  std::fill(memory_.dependent_ends.begin(), memory_.dependent_ends.end(), 0);
  note_detour();
  update();
}

void RowSet::set_active(int constraint, bool on) {
  for (std::size_t k = 0; k < constraints_.size(); ++k)
    if (constraints_.rows[k].constraint == constraint) memory_.active[k] = on ? 1 : 0;
  begin();
}

void RowSet::set_active(const char* rows) {
  std::copy_n(rows, constraints_.size(), memory_.active.begin());
  begin();
}

bool RowSet::take_back(const double* errors, const std::vector<std::size_t>& held, double follows) {
  if (!any_aside()) return false;
  const auto size = [&](std::size_t k) { return std::abs(errors[k]) / constraints_.scale[k]; };
  double most = follows;
  for (const std::size_t k : held) most = std::max(most, kAmplified * size(k));
  bool found = false;
  for (const std::size_t k : active_rows_) {
    if (!memory_.aside[k] || size(k) <= most) continue;
    memory_.aside[k] = 0;
    memory_.dependent_ends[k] = 0;
    found = true;
  }
  if (!found) return false;
  note_detour();
  update();
  return true;
}

void RowSet::lateness(char* late) const {
  for (std::size_t k = 0; k < active_rows_.size(); ++k) {
    const std::size_t row = active_rows_[k];
    late[k] = static_cast<char>((constraints_.rows[row].holonomic ? 0 : 2) + (memory_.aside[row] ? 1 : 0));
  }
}

void RowSet::examine(const math::RowFactor& factors) {
  changed_ = true;
  bool changed = false;
  for (std::size_t k = 0; k < factors.rows(); ++k) {
    const std::size_t row = active_rows_[factors.order(k)];
    int& ends = memory_.dependent_ends[row];
    ends = k < factors.rank() ? 0 : std::min(ends + 1, kForGood);
    const char aside = k >= factors.rank() && (memory_.aside[row] != 0 || ends >= kForGood) ? 1 : 0;
    changed |= aside != memory_.aside[row];
    memory_.aside[row] = aside;
  }
  if (changed) update();
}

void RowSet::load(const RowMemory& memory) {
  const bool same = memory.active == memory_.active && memory.aside == memory_.aside;
  memory_ = memory;
  changed_ = true;
  if (!same) update();
}

void RowSet::mark() {
  if (changed_) marked_ = memory_;
  changed_ = false;
}

void RowSet::rewind() {
  if (changed_) load(marked_);
  changed_ = false;
}

}  // namespace tactus::simulate

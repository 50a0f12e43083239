// The active set of a mechanism's constraints: which rows are on, and which of those are held.
//
// Rows that are redundant for good are set aside: away from the constraints' manifold, in the stages of an
// integrator, they would be nearly but not quite dependent, and their small disagreement would be divided by
// that distance. Rows that are dependent only while a singular configuration is passed stay; rows that were
// set aside and turn out not to follow from the others are taken back. Nothing is allocated after the
// constructor.
#pragma once

#include <vector>

#include <tactus/math/row_factor.h>
#include <tactus/simulate/constraints/constraints.h>

namespace tactus::simulate {

/// What a set of rows remembers from step to step: enough to go back to where a step began.
struct RowMemory {
  std::vector<char> active, aside;  // [m]
  std::vector<int> dependent_ends;  // [m]
  bool detoured = false;
};

class RowSet {
 public:
  /// The constraints must outlive it.
  explicit RowSet(const Constraints& constraints);

  const std::vector<std::size_t>& active() const { return active_rows_; }
  /// Active and not set aside; of those, the ones with a position level.
  const std::vector<std::size_t>& held() const { return held_rows_; }
  const std::vector<std::size_t>& held_positions() const { return held_positions_; }
  bool any_aside() const { return held_rows_.size() < active_rows_.size(); }
  bool is_on(std::size_t row) const { return memory_.active[row] != 0; }
  bool is_active(int constraint) const;
  /// Whether the same rows are active as at the start.
  bool as_at_start() const { return memory_.active == constraints_.active; }
  /// Whether the straight-line code that was made for the start holds just these rows.
  bool unrolled_fits() const { return unrolled_fits_; }

  /// A new motion begins: of the active rows, those known to be redundant are aside.
  void begin();
  void set_active(int constraint, bool on);
  /// All at once: [m] which rows are on.
  void set_active(const char* rows);

  /// A step needed more than straight-line code: its end is to be looked at.
  void note_detour() { set_detoured(true); }
  bool detoured() const { return memory_.detoured; }
  void set_detoured(bool detoured) {
    changed_ |= detoured != memory_.detoured;
    memory_.detoured = detoured;
  }

  /// Takes back rows that were set aside although they do not follow from the `held` ones: their errors [m],
  /// by the rows' natural sizes, are neither rounding (`follows`) nor those of the others, amplified. Whether
  /// there were any; each time at least one row comes back, so that repeating it ends.
  bool take_back(const double* errors, const std::vector<std::size_t>& held, double follows);
  /// For RowFactor::factor of the active rows: rows set aside so far come late, so that the same ones stay;
  /// those without a position level come last: a position row that only they imply would not be held.
  void lateness(char* late) const;
  /// At the end of a step: sets rows aside that are redundant, and takes back those that are not, by the
  /// factors of the active rows there.
  void examine(const math::RowFactor& factors);

  void save(RowMemory& memory) const { memory = memory_; }
  void load(const RowMemory& memory);
  /// Remembers the present, and goes back to it: next to nothing where nothing changed in between, as in most
  /// steps.
  void mark();
  void rewind();

 private:
  void update();

  const Constraints& constraints_;
  RowMemory memory_, marked_;  // dependent_ends: steps in a row at whose end the row was redundant
  bool changed_ = true;        // since mark()
  std::vector<std::size_t> active_rows_, held_rows_, held_positions_;
  std::vector<int> row_of_constraint_;  // the first; -1: none
  bool unrolled_fits_ = false;
};

}  // namespace tactus::simulate

// Gathers the feature pairs found between two shapes: measures them, drops copies, keeps few.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include <tactus/collide/measure.h>
#include <tactus/collide/scene.h>

namespace tactus::collide {

/// A feature of a shape as a number: what kind, and which of its kind. 22 bits, so that two of them and the
/// number of the pair of shapes make a Proximity's id.
struct Code {
  std::uint32_t value = 0;
  static constexpr int kBits = 22;
  static constexpr std::uint32_t kMost = 1u << 20;  // of a kind

  static Code corner(int i) { return {static_cast<std::uint32_t>(i)}; }
  static Code edge(int i) { return {kMost | static_cast<std::uint32_t>(i)}; }
  static Code face(int i) { return {2 * kMost | static_cast<std::uint32_t>(i)}; }
  static Code rim(int i) { return {3 * kMost | static_cast<std::uint32_t>(i)}; }
};

/// One of the two shapes: where its body is, and whether it is the second of the pair.
struct Party {
  const Posed* X_WB = nullptr;
  int body = 0;
  bool second = false;
};

/// Which of many feature pairs stay: those that span the largest area of contact, or simply the deepest.
enum class Keep { deepest_and_spread, deepest };

class Collector {
 public:
  static constexpr std::size_t kKept = 4;

  /// `shape_pair`: number of the pair of shapes; `size`: a length of the order of the smaller one.
  void begin(int pair, std::uint32_t shape_pair, double margin, double size);
  /// Pairs with a smaller gap are no contacts: they are measured along an axis along which the shapes overlap
  /// more than along another one.
  void set_least_gap(double gap) { least_ = gap; }
  /// Measures and takes it if its gap is in [least gap, margin). Features in their bodies' axes. Returns the
  /// gap.
  double add(FeaturePair kind, const Party& a, const Feature& feature_a, Code code_a, const Party& b,
             const Feature& feature_b, Code code_b);
  /// The same with the features in the world too, where they are known.
  double add(FeaturePair kind, const Party& a, const Feature& feature_a, const Feature& world_a, Code code_a,
             const Party& b, const Feature& feature_b, const Feature& world_b, Code code_b);
  bool empty() const { return count_ == 0; }
  /// The smallest gap taken; infinity where there is none.
  double smallest() const;
  double margin() const { return margin_; }
  double size() const { return size_; }
  /// Chooses what stays; how many.
  std::size_t finish(Keep keep);
  /// What stays, in the order of their ids.
  const Proximity& kept(std::size_t i) const { return found_[order_[i]]; }

 private:
  const Proximity& at(std::size_t i) const { return found_[order_[i]]; }
  void sort();
  void drop_copies();
  void keep_spread();

  static constexpr std::size_t kRoom = 128;
  int pair_ = 0;
  std::uint32_t shape_pair_ = 0;
  double margin_ = 0.0, size_ = 0.0, least_ = 0.0;
  std::size_t count_ = 0;
  std::array<Proximity, kRoom> found_;
  std::array<std::uint8_t, kRoom> order_{};  // places in found_: sorted and chosen from instead of them
};

}  // namespace tactus::collide

// A figure as an SVG picture: panels above each other over one horizontal axis, with ticks and legends; events in a strip of
// their own above them; paths in a plane below. It is drawn for light and for dark pages, as the viewer prefers.
#pragma once

#include <string>
#include <vector>

namespace tactus::display {

struct Series {
  std::string name;
  std::vector<double> x, y;  // values that are not finite leave a gap
};

/// What is smaller all along, in SI units, is rounding and shown as zero.
inline constexpr double kRounding = 1e-12;

/// Panels in which nothing changes are written as a line of text: "zero all the time: a, b". What is not a number, or infinite, is called so.
struct Panel {
  std::string label;  // what is drawn, with the unit
  std::vector<Series> series;
  /// Names of the whole numbers 0, 1, ... (modes): ticks are there, and curves that lie on each other are drawn side by side.
  std::vector<std::string> levels{};
  bool whole = false;  // whole numbers: no ticks between them
  /// A path in a plane: x over an axis of its own with this label, both axes to the same scale.
  std::string x_label{};
  /// Values and changes below this are noise: who draws knows the scale of the quantity. 0: kRounding alone.
  double noise = 0.0;

  bool is_path() const { return !x_label.empty(); }
};

/// Something that happened at one place of the horizontal axis: a sign of its kind, by shape and colour, in the strip of events, and
/// a thin line through all panels.
struct Mark {
  double x = 0.0;
  std::string kind;
};

struct Figure {
  std::string title;
  std::string x_label;
  std::vector<Panel> panels;
  std::vector<Mark> marks{};
};

/// Ticks at 1, 2 or 5 times a power of ten that cover the range in about `count` intervals.
std::vector<double> nice_ticks(double low, double high, int count);

/// The picture. Long series are thinned to what the picture's width can show, keeping every peak; of marks of one kind that fall
/// into the same pixel one is drawn; of more series than a legend has room for the rest is counted; names that are too long are
/// shortened in the middle.
std::string to_svg(const Figure& figure);

}  // namespace tactus::display

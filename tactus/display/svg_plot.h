// A figure as an SVG picture: panels above each other over one horizontal axis, with ticks and legends.
#pragma once

#include <string>
#include <vector>

namespace tactus::display {

struct Series {
  std::string name;
  std::vector<double> x, y;  // values that are not finite leave a gap
};

struct Panel {
  std::string label;  // of the vertical axis, with the unit
  std::vector<Series> series;
};

/// Something that happened at one place of the horizontal axis: a thin line through all panels, in a colour
/// of its kind.
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

/// The picture. Long series are thinned to what the picture's width can show, keeping every peak;
/// of marks of one kind that fall into the same pixel one is drawn.
std::string to_svg(const Figure& figure);

}  // namespace tactus::display

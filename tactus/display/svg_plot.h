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

struct Figure {
  std::string title;
  std::string x_label;
  std::vector<Panel> panels;
};

/// Ticks at 1, 2 or 5 times a power of ten that cover the range in about `count` intervals.
std::vector<double> nice_ticks(double low, double high, int count);

/// The picture. Long series are thinned to what the picture's width can show, keeping every peak.
std::string to_svg(const Figure& figure);

}  // namespace tactus::display

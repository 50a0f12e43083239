// A series as the path of a pen.
#pragma once

#include <functional>
#include <string>

#include <tactus/display/svg_plot.h>

namespace tactus::display::plot {

/// From values to pixels.
using Scale = std::function<double(double)>;

/// A curve over x: where several points fall into one column of pixels only the first, lowest, highest and last are kept.
std::string curve_over_x(const Series& series, const Scale& px, const Scale& py);

/// A path in a plane: points that are within a tenth of a pixel of the last one are left out.
std::string path_in_plane(const Series& series, const Scale& px, const Scale& py);

}  // namespace tactus::display::plot

// Panels in which nothing changes: a sentence instead of straight lines.
#pragma once

#include <string>

#include <tactus/display/svg_plot.h>

namespace tactus::display::plot {

/// The size of the largest value of a panel, or that against which its noise is rounding.
double scale_of(const Panel& panel);

/// Every series is constant but for rounding, or has no values.
bool is_still(const Panel& panel);

/// A value that a series has all the time, in words: "0", "2.5", "sticking", "not a number".
std::string value_text(const Panel& panel, const Series& series);

/// "zero all the time: a, b and 3 more", "constant: a = 2, b = sticking": no wider than that in pixels.
std::string in_words(const Panel& still, double width);

}  // namespace tactus::display::plot

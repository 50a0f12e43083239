// The text of an SVG picture: lines, words, signs, and the style sheet with its colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tactus::display::plot {

/// [px] of the letters.
inline constexpr double kLetters = 12.0;

/// [px] that a line of letters is wide at most: by the widths of DejaVu Sans, which is wider than the other usual fonts.
double width_of(std::string_view text);

/// The text itself, or its beginning and end with an ellipsis between, so that it is no wider than that.
std::string fitted(std::string_view text, double width);

/// Styles of curves: the first colours in solid lines, then again dashed, dotted, dash-dotted.
std::string curve_class(std::size_t number);
/// Styles of kinds of marks: each a colour, a shape, and a dash of its own.
std::string mark_class(std::size_t kind);

class Canvas {
 public:
  void line(std::string_view style, double x1, double y1, double x2, double y2);
  void path(std::string_view style, std::string_view d);
  void frame(double x, double y, double width, double height);
  /// anchor: start, middle, end.
  void text(std::string_view anchor, double x, double y, std::string_view text, std::string_view style = {});
  /// Shortened to the width; the whole of it is shown when it is pointed at.
  void fitted_text(double x, double y, double width, std::string_view text);
  /// The shape of a kind of marks.
  void sign(std::size_t kind, double x, double y);
  void circle(std::string_view style, double x, double y, double radius);

  /// The whole picture.
  std::string document(double width, double height) const;

 private:
  std::string text_;
};

}  // namespace tactus::display::plot

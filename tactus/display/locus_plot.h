// Root loci as an SVG picture: panels beside and above each other, in the plane of s with its axis, or in that of z with the unit circle.
#pragma once

#include <complex>
#include <string>
#include <vector>

namespace tactus::display {

struct LocusPanel {
  std::string label;
  bool unit_circle = false;  // roots z, stable within; otherwise s [1/s], stable to the left of the axis
  std::vector<std::vector<std::complex<double>>>
      roots;  // [value of what is varied][root], each followed from the one before
  std::vector<std::complex<double>> marked;  // where the model is right
  struct Crossing {
    std::complex<double> at;
    std::string text;  // "alpha = 2.571"
  };
  std::vector<Crossing> crossings{};  // of the border of stability
  std::string words{};                // instead of a picture, where there is nothing to draw
};

/// Two columns. Each panel shows the border, the crossings and the marked roots with what lies around them; roots that go farther leave it.
std::string locus_svg(const std::string& title, const std::vector<LocusPanel>& panels);

}  // namespace tactus::display

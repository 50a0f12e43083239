#include <tactus/display/plot/canvas.h>

#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace tactus::display::plot {

namespace {

// Hues of Okabe and Ito, which stay apart for colour-blind readers, each darkened or lightened until it stands out from its
// page by a contrast of 3 to 1 at least.
constexpr std::array<std::string_view, 8> kOnLight{"#0072b2", "#d55e00", "#008c66", "#b8558f",
                                                   "#a87900", "#2b8cc4", "#7a5195", "#444444"};
constexpr std::array<std::string_view, 8> kOnDark{"#4fa8e8", "#ff8c42", "#2cc295", "#e796c4",
                                                  "#e8b430", "#8fd3ff", "#b69be6", "#cfcfcf"};
constexpr std::array<std::string_view, 4> kDashes{"none", "7 3", "2 3", "8 3 2 3"};
constexpr std::array<std::string_view, 6> kMarkDashes{"none", "6 3", "2 3", "8 3 2 3", "4 4", "1 4"};

// Signs of 8 px about the origin: point down, diamond, square, cross, point up, star.
constexpr std::array<std::string_view, 6> kSigns{
    "M-4 -3.5L4 -3.5L0 4Z",     "M0 -4.5L4.5 0L0 4.5L-4.5 0Z",
    "M-3.5 -3.5H3.5V3.5H-3.5Z", "M-3.5 -3.5L3.5 3.5M-3.5 3.5L3.5 -3.5",
    "M-4 3.5L4 3.5L0 -4Z",      "M0 -4.5V4.5M-4 -2.3L4 2.3M-4 2.3L4 -2.3",
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Of the letters' size.
double letter_width(char c) {
  constexpr std::string_view kNarrow = "iljI.,:;'|! ()[]ft/-r";
  constexpr std::string_view kWide = "mwMW@%";
  if (kNarrow.find(c) != std::string_view::npos) return 0.42;
  if (kWide.find(c) != std::string_view::npos) return 1.0;
  return c >= 'A' && c <= 'Z' ? 0.78 : 0.64;
}

bool begins_a_letter(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

/// A text as its letters: of UTF-8 several bytes each.
std::vector<std::string_view> letters_of(std::string_view text) {
  std::vector<std::string_view> letters;
  for (std::size_t from = 0; from < text.size();) {
    std::size_t to = from + 1;
    while (to < text.size() && !begins_a_letter(text[to])) ++to;
    letters.push_back(text.substr(from, to - from));
    from = to;
  }
  return letters;
}

std::string style_sheet() {
  std::string style =
      "text{font:12px sans-serif;fill:#333}.title{font-size:16px;font-weight:bold}.label{font-weight:bold}"
      ".quiet{fill:#666}.page{fill:#fff}.grid{stroke:#e4e4e4;stroke-width:1}"
      ".frame{fill:none;stroke:#888;stroke-width:1}"
      ".curve{fill:none;stroke-width:1.6;stroke-linejoin:round}"
      ".mark{stroke-width:1;opacity:0.45}.sign{stroke-width:1.4}.end{fill:#888}";
  std::string dark =
      "text{fill:#ddd}.quiet{fill:#aaa}.page{fill:#15181c}.grid{stroke:#33383e}.frame{stroke:#7a8088}";
  for (std::size_t i = 0; i < kOnLight.size(); ++i) {
    style += fmt::format(".c{0}{{stroke:{1}}}.f{0}{{fill:{1};stroke:{1}}}", i, kOnLight[i]);
    dark += fmt::format(".c{0}{{stroke:{1}}}.f{0}{{fill:{1};stroke:{1}}}", i, kOnDark[i]);
  }
  for (std::size_t i = 1; i < kDashes.size(); ++i)
    style += fmt::format(".d{}{{stroke-dasharray:{}}}", i, kDashes[i]);
  for (std::size_t i = 1; i < kMarkDashes.size(); ++i)
    style += fmt::format(".m{}{{stroke-dasharray:{}}}", i, kMarkDashes[i]);
  return style + "@media (prefers-color-scheme:dark){" + dark + "}";
}

/// The colour of a kind of marks: not in the order of the curves, so that the first impact is not in the colour of the first curve.
std::size_t mark_color(std::size_t kind) {
  constexpr std::array<std::size_t, 6> kOrder{1, 0, 2, 7, 4, 3};
  return kOrder[kind % kOrder.size()];
}

}  // namespace

double width_of(std::string_view text) {
  double width = 0.0;
  for (const std::string_view letter : letters_of(text))
    width += letter.size() == 1 ? letter_width(letter[0]) : 1.0;
  return kLetters * width;
}

std::string fitted(std::string_view text, double width) {
  if (width_of(text) <= width) return std::string(text);
  const std::vector<std::string_view> letters = letters_of(text);
  const std::string ellipsis = "\u2026";
  // The end tells more than the middle: "left_front_wheel.position_error".
  for (std::size_t kept = letters.size() - 1; kept > 0; --kept) {
    const std::size_t ahead = (kept + 1) / 2;
    std::string shorter;
    for (std::size_t i = 0; i < ahead; ++i) shorter += letters[i];
    shorter += ellipsis;
    for (std::size_t i = letters.size() - (kept - ahead); i < letters.size(); ++i) shorter += letters[i];
    if (width_of(shorter) <= width) return shorter;
  }
  return ellipsis;
}

std::string curve_class(std::size_t number) {
  const std::size_t round = number / kOnLight.size() % kDashes.size();
  return fmt::format("curve c{}{}", number % kOnLight.size(), round == 0 ? "" : fmt::format(" d{}", round));
}

std::string mark_class(std::size_t kind) {
  const std::size_t dash = kind % kMarkDashes.size();
  return fmt::format("mark c{}{}", mark_color(kind), dash == 0 ? "" : fmt::format(" m{}", dash));
}

void Canvas::line(std::string_view style, double x1, double y1, double x2, double y2) {
  fmt::format_to(std::back_inserter(text_),
                 "<line class=\"{}\" x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"/>\n", style, x1,
                 y1, x2, y2);
}

void Canvas::path(std::string_view style, std::string_view d) {
  fmt::format_to(std::back_inserter(text_), "<path class=\"{}\" d=\"{}\"/>\n", style, d);
}

void Canvas::frame(double x, double y, double width, double height) {
  fmt::format_to(std::back_inserter(text_),
                 "<rect class=\"frame\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>\n", x,
                 y, width, height);
}

void Canvas::text(std::string_view anchor, double x, double y, std::string_view text,
                  std::string_view style) {
  const std::string of_class = style.empty() ? "" : fmt::format(" class=\"{}\"", style);
  fmt::format_to(std::back_inserter(text_),
                 "<text{} x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", of_class, x, y, anchor,
                 escaped(text));
}

void Canvas::fitted_text(double x, double y, double width, std::string_view text) {
  const std::string shown = fitted(text, width);
  if (shown == text) return this->text("start", x, y, text);
  fmt::format_to(std::back_inserter(text_),
                 "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"start\">{}<title>{}</title></text>\n", x, y,
                 escaped(shown), escaped(text));
}

void Canvas::sign(std::size_t kind, double x, double y) {
  fmt::format_to(std::back_inserter(text_),
                 "<path class=\"sign f{}\" transform=\"translate({:.2f} {:.2f})\" d=\"{}\"/>\n",
                 mark_color(kind), x, y, kSigns[kind % kSigns.size()]);
}

void Canvas::circle(std::string_view style, double x, double y, double radius) {
  fmt::format_to(std::back_inserter(text_),
                 "<circle class=\"{}\" cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\"/>\n", style, x, y, radius);
}

std::string Canvas::document(double width, double height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n"
      "<style>{2}</style>\n<rect class=\"page\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n{3}</svg>\n",
      width, height, style_sheet(), text_);
}

}  // namespace tactus::display::plot

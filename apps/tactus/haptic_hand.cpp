#include "haptic_hand.h"

#include <cmath>

#include <tactus/base/error.h>

namespace tactus::apps {

namespace {

constexpr double kPeriod = 2.0;  // [s] of strokes and circles: an unhurried hand

}  // namespace

std::vector<std::string> hand_names() {
  return {"stroke", "circle", "tap", "hold", "push", "tremble", "let-go", "none"};
}

device::HandPointer hand_of(const HandChoice& choice) {
  using namespace device;
  const auto stroke = [&] { return following(strokes(choice.ahead, kPeriod)); };
  if (choice.name == "stroke") return stroke();
  if (choice.name == "circle") return following(circles(choice.ahead, choice.aside, kPeriod));
  if (choice.name == "tap") return following(taps(choice.ahead, 0.5 * kPeriod));
  if (choice.name == "hold") return hold();
  if (choice.name == "push") {
    const double size = std::sqrt(dot(choice.ahead, choice.ahead));
    Vector6 F{};
    for (std::size_t i = 0; i < 3 && size > 0.0; ++i) F[3 + i] = choice.force / size * choice.ahead[i];
    return constant(F);
  }
  if (choice.name == "tremble") return trembling(stroke(), choice.force, choice.seed);
  if (choice.name == "let-go") return letting_go(stroke(), 0.5 * choice.duration);
  if (choice.name == "none") return none();
  throw InputError({}, "there is no hand `" + choice.name + "`",
                   "known: stroke, circle, tap, hold, push, tremble, let-go, none");
}

}  // namespace tactus::apps

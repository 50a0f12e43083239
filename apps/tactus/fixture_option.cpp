#include "fixture_option.h"

#include <vector>

#include <fmt/format.h>

#include "options.h"
#include "refuse.h"

namespace tactus::apps {

device::Fixture fixture_of(const std::string& option, const std::string& text) {
  const std::vector<double> numbers = listed_numbers(option, text, 0, ListedUnit::none);
  if (numbers.size() != 1 && numbers.size() != 4 && numbers.size() != 7)
    refuse(fmt::format("{} {}: {} numbers", option, text, numbers.size()),
           fmt::format("give {}", kFixtureForm));
  device::Fixture fixture;
  fixture.mass = numbers[0];
  if (!(fixture.mass >= 0.0))
    refuse(fmt::format("{} {}: a mass of {:g} kg", option, text, fixture.mass), "a mass is not negative");
  if (numbers.size() > 1) fixture.centre = {numbers[1], numbers[2], numbers[3]};
  if (numbers.size() == 7) fixture.inertia = {numbers[4], numbers[5], numbers[6]};
  const auto& I = fixture.inertia;
  for (std::size_t i = 0; i < 3; ++i) {
    // I_xx = I_yy + I_zz is a plate; decimals round.
    constexpr double kRounding = 1.0 + 1e-6;
    if (!(I[i] >= 0.0 && I[i] <= kRounding * (I[(i + 1) % 3] + I[(i + 2) % 3])))
      refuse(fmt::format("{} {}: nothing has moments of inertia of {:g}, {:g} and {:g} kg m^2", option, text,
                         I[0], I[1], I[2]),
             "none is negative, and none more than the other two together");
  }
  return fixture;
}

}  // namespace tactus::apps

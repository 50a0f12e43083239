#include "arm_settings.h"

#include <numbers>

#include <fmt/format.h>

#include "fixture_option.h"
#include "options.h"

namespace tactus::apps {

void ArmSettings::add_to(CLI::App& verb) {
  const char* group = "Arms as devices";
  verb.add_option("--arm-law", law, "by which its motors follow")
      ->capture_default_str()
      ->check(CLI::IsMember({"pole-placement", "sampled-pole-placement", "computed-torque", "diagonal",
                             "gravity", "inverse-dynamics"}))
      ->group(group);
  verb.add_option("--arm-poles", poles, "RE,IM of its joints' errors [1/s]; -12,45")->group(group);
  verb.add_option("--arm-integral", integral,
                  "of its joints' errors besides, of all joints or of each [1/s^3]; none")
      ->group(group);
  verb.add_option("--arm-start", start,
                  "six angles to begin with: 0,-30 deg,60 deg,20 deg,60 deg,0; the model's own, or far from "
                  "singular places")
      ->group(group);
  verb.add_option("--arm-encoders", encoders, "steps in a radian, of all joints or of each; 0: none; 10000")
      ->group(group);
  verb.add_option("--arm-rates", rates, "how rates are had from the encoders")
      ->capture_default_str()
      ->check(CLI::IsMember({"difference", "second-order", "adaptive-window", "kalman"}))
      ->group(group);
  verb.add_option("--arm-rate-cut-off", rate_cut_off,
                  "of second-order [rad/s]; of kalman the motion's acceleration [rad/s^2]")
      ->capture_default_str()
      ->check(numbers(Range::positive()))
      ->group(group);
  verb.add_option("--arm-friction", friction, "of the true arm, by that of the model its law knows")
      ->capture_default_str()
      ->check(numbers(Range::not_negative()))
      ->group(group);
  verb.add_option("--arm-torque", torque,
                  "of the motors' largest that a fuse leaves, which its law does not know")
      ->capture_default_str()
      ->check(numbers(Range::positive()))
      ->group(group);
  verb.add_option(
          "--arm-no-load", no_load,
          "rates at which back-emf leaves its motors no torque, of all joints or of each [rad/s]; 0: none")
      ->group(group);
  verb.add_option("--arm-elasticity", elasticity,
                  "with which rotors swing on their gears while the links are held, of all joints or of each "
                  "[Hz]; 0: rigid")
      ->group(group);
  verb.add_option("--arm-backlash", backlash, "play of elastic gears [arcmin]")
      ->capture_default_str()
      ->check(numbers(Range::not_negative()))
      ->group(group);
  verb.add_option("--arm-encoder-phase", encoder_phase, "where the encoders' steps lie, from 0 to 1")
      ->capture_default_str()
      ->check(numbers(Range::not_negative()))
      ->group(group);
  verb.add_option("--arm-noise", noise, "of its force transducer, standard deviations: N,N m; none")
      ->group(group);
  verb.add_option("--arm-bias", bias, "of its force transducer in the tool's axes: FX,FY,FZ,TX,TY,TZ")
      ->group(group);
  verb.add_option("--arm-force-cut-off", force_cut_off,
                  "of two equal poles through which forces are read [rad/s]; 0: none")
      ->capture_default_str()
      ->check(numbers(Range::not_negative()))
      ->group(group);
  verb.add_option("--arm-gripper", gripper,
                  fmt::format("what hangs beyond the transducer: {}, in the tool's axes [kg, m, kg m^2]",
                              kFixtureForm))
      ->group(group);
  verb.add_flag("--arm-uncompensated", uncompensated,
                "the gripper's weight and inertia are left in what the transducer reads")
      ->group(group);
  verb.add_flag("--arm-uncarried", uncarried, "the motors do not take what the hand pushes")->group(group);
}

std::string ArmSettings::first_given(const CLI::App& verb) const {
  for (const CLI::Option* option : verb.get_options())
    if (!option->get_lnames().empty() && option->get_lnames()[0].starts_with("arm-") && option->count() > 0 &&
        (option->get_expected_max() > 0 || option->as<bool>()))
      return "--" + option->get_lnames()[0];
  return {};
}

control::ArmDeviceOptions ArmSettings::options() const {
  control::ArmDeviceOptions o;
  o.law = *control::arm_law(law);
  o.rates = *control::rate_estimate(rates);
  if (!poles.empty()) {
    const std::vector<double> pair = listed_numbers("--arm-poles", poles, 2, ListedUnit::none);
    o.poles = {control::PolePair::complex(pair[0], pair[1])};
  }
  if (!integral.empty()) o.integral = listed_numbers("--arm-integral", integral, 0, ListedUnit::none);
  if (!start.empty()) o.start = listed_numbers("--arm-start", start, 6, ListedUnit::angle);
  if (!encoders.empty()) o.encoder = listed_numbers("--arm-encoders", encoders, 0, ListedUnit::none);
  if (!no_load.empty()) o.drive.no_load = listed_numbers("--arm-no-load", no_load, 0, ListedUnit::none);
  if (!elasticity.empty())
    o.drive.elasticity = listed_numbers("--arm-elasticity", elasticity, 0, ListedUnit::none);
  o.drive.torque = torque;
  o.drive.backlash = backlash * std::numbers::pi / (180.0 * 60.0);
  o.drive.encoder_phase = encoder_phase;
  if (!noise.empty()) {
    const std::vector<double> pair = listed_numbers("--arm-noise", noise, 2, ListedUnit::none);
    o.transducer.noise = {pair[1], pair[0]};
  }
  if (!bias.empty()) {
    const std::vector<double> six = listed_numbers("--arm-bias", bias, 6, ListedUnit::none);
    for (std::size_t i = 0; i < 6; ++i) o.transducer.bias[i] = six[(i + 3) % 6];
  }
  if (!gripper.empty()) {
    const device::Fixture fixture = fixture_of("--arm-gripper", gripper);
    o.gripper.mass = fixture.mass;
    o.gripper.centre = fixture.centre;
    o.gripper.inertia = fixture.inertia;
  }
  o.transducer.cut_off = force_cut_off;
  o.rate_cut_off = rate_cut_off;
  o.friction = friction;
  o.gripper.compensated = !uncompensated;
  o.carries_hand = !uncarried;
  return o;
}

}  // namespace tactus::apps

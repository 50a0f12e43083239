// Laws of contact: how two shapes rebound, slide and yield.
#include <array>

#include <fmt/format.h>

#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;
using algebra::Dimension;

constexpr std::array<std::string_view, 3> kRenderings = {"compliant", "rigid", "stepping"};
constexpr std::array<std::string_view, 2> kRestitutionLaws = {"newton", "poisson"};

double not_negative(const Reader& reader, const Value& value, Dimension dimension, std::string_view what) {
  return reader.read_once(reader.positive_number(value, dimension, what), what);
}

double above_zero(const Reader& reader, const Value& value, Dimension dimension, std::string_view what) {
  const double number = reader.read_once(reader.number(value, dimension), what);
  if (!(number > 0.0)) reader.fail(value, fmt::format("{} is {:.6g}", what, number), "it must be above zero");
  return number;
}

/// mu of sticking is that of sliding unless it is said along with it: a pair that gives `friction` alone does
/// not keep the `static_friction` of the defaults.
void read_friction(const Reader& reader, const Fields& fields, ContactLaw& law) {
  const Value* sliding = fields["friction"];
  const Value* sticking = fields["static_friction"];
  if (sliding != nullptr)
    law.friction = law.static_friction = not_negative(reader, *sliding, kNumber, "the friction");
  if (sticking == nullptr) return;
  law.static_friction = not_negative(reader, *sticking, kNumber, "the friction of sticking");
  if (law.static_friction < law.friction) {
    reader.fail(*sticking,
                fmt::format("the friction of sticking, {:.6g}, is below that of sliding, {:.6g}",
                            law.static_friction, law.friction),
                "give static_friction at least the value of friction, or leave it out");
  }
}

}  // namespace

std::string_view name_of(Rendering rendering) { return kRenderings[static_cast<std::size_t>(rendering)]; }
std::string_view name_of(RestitutionLaw law) { return kRestitutionLaws[static_cast<std::size_t>(law)]; }

double read_restitution(const Reader& reader, const Value& value) {
  const double e = reader.read_once(reader.number(value, kNumber), "a restitution");
  if (!(e >= 0.0 && e <= 1.0)) {
    reader.fail(value, fmt::format("the restitution is {:.6g}, outside 0 to 1", e),
                "0 is plastic, 1 loses nothing");
  }
  return e;
}

double read_rest_speed(const Reader& reader, const Value& value, Dimension dimension) {
  return above_zero(reader, value, dimension, "the speed of rest");
}

ContactLaw read_contact_law(const Reader& reader, const Fields& fields, ContactLaw law) {
  if (const Value* render = fields["render"])
    law.rendering = static_cast<Rendering>(reader.choice(*render, "a way to render contact", kRenderings));
  if (const Value* e = fields["restitution"]) law.restitution = read_restitution(reader, *e);
  if (const Value* name = fields["restitution_law"])
    law.restitution_law =
        static_cast<RestitutionLaw>(reader.choice(*name, "a law of restitution", kRestitutionLaws));
  if (const Value* speed = fields["rest_speed"]) law.rest_speed = read_rest_speed(reader, *speed, kSpeed);
  read_friction(reader, fields, law);
  if (const Value* k = fields["stiffness"])
    law.stiffness = above_zero(reader, *k, kStiffness, "the stiffness");
  if (const Value* b = fields["damping"]) law.damping = not_negative(reader, *b, kDamping, "the damping");
  if (const Value* speed = fields["slip_speed"])
    law.slip_speed = above_zero(reader, *speed, kSpeed, "the speed of slip");
  if (law.rendering == Rendering::compliant && law.stiffness == 0.0) {
    reader.fail(fields.map(), "a compliant contact has no stiffness", "write stiffness: 15000 N/m");
  }
  return law;
}

}  // namespace tactus::describe

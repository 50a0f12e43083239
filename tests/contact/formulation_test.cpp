// The law of re-derivation: code made for a set of constraints and contacts gives the bits of the general
// path.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>

#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/events/contact_motion.h>
#include <tactus/contact/rederive/rederive.h>
#include <tactus/describe/read/load.h>

namespace tactus::contact {
namespace {

using collide::FeaturePair;

/// A chain that holds a free box by a ball joint, another free body, and a slider with a lock.
constexpr const char* kModel = R"(
name: set
bodies:
  box: {mass: 1.5, com: [0.1, 0, 0.05], inertia: [0.5, 0.6, 0.7]}
  upper: {mass: 1, com: [0.2, 0, 0.1], inertia: [0.1, 0.2, 0.25]}
  fore: {mass: 0.8, com: [0.1, 0.1, 0], inertia: [0.1, 0.15, 0.2]}
  ball: {mass: 0.4, inertia: [0.01, 0.01, 0.01]}
  slider: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.05, 0.06, 0.07]}
joints:
  box: {type: free, parent: world, child: box}
  q1: {type: revolute, parent: world, child: upper, axis: z, placement: {xyz: [0.1, 0.2, 0.3], rpy: [0.3, 0.2, 0.1]}}
  q2: {type: revolute, parent: upper, child: fore, axis: [0.6, 0, 0.8], placement: {xyz: [0.5, 0, 0]}}
  ball: {type: free, parent: world, child: ball}
  q3: {type: prismatic, parent: world, child: slider, axis: x, damping: 0.2}
frames:
  hand: {body: fore, placement: {xyz: [0.1, 0.2, 0.3]}}
constraints:
  hold: {type: spherical, a: box, b: hand}
  lock: {type: lock, joint: q3, at: 0.1}
)";

/// All bodies may touch each other.
describe::Model model() {
  describe::Model model = describe::load_text(kModel, "set");
  for (int a = 0; a < 6; ++a)
    for (int b = a + 1; b < 6; ++b) {
      describe::ContactPair pair;
      pair.body_a = a;
      pair.body_b = b;
      model.contact.pairs.push_back(pair);
    }
  return model;
}

struct Random {
  explicit Random(unsigned seed) : generator(seed) {}
  std::mt19937 generator;
  double operator()(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator);
  }
  std::size_t below(std::size_t n) { return generator() % n; }
  /// Often 0, 1 or -1.
  double plain() {
    const double some[] = {0.0, 1.0, -1.0};
    return below(2) == 0 ? some[below(3)] : (*this)(-1.0, 1.0);
  }
  Vec3<double> unit() {
    Vec3<double> v;
    do v = {plain(), plain(), plain()};
    while (dot(v, v) < 0.1);
    return (1.0 / std::sqrt(dot(v, v))) * v;
  }
  void state(std::vector<double>& arguments, const simulate::Coordinates& coordinates) {
    for (double& x : arguments) x = (*this)(-1.0, 1.0);
    coordinates.normalize(arguments.data() + 1);
  }
};

Touch random_touch(Random& random, const describe::ContactLaw& law, FeaturePair kind, Mode mode) {
  Touch touch;
  touch.body_a = static_cast<int>(random.below(5));
  touch.body_b =
      1 + touch.body_a + static_cast<int>(random.below(5 - static_cast<std::size_t>(touch.body_a)));
  const bool round = kind == FeaturePair::point_point || kind == FeaturePair::line_point;
  touch.form = {kind, round && random.below(3) == 0};
  touch.a = {{random.plain(), random.plain(), random.plain()}, random.unit(), touch.form.hollow ? -1.5 : 0.0};
  touch.b = {
      {random.plain(), random.plain(), random.plain()}, random.unit(), random.below(2) == 0 ? 0.0 : 0.1};
  if (kind == FeaturePair::plane_circle) touch.b.radius = 0.3;
  touch.tangent = {random(-1, 1), random(-1, 1), random(-1, 1)};
  touch.tangents = random.below(3);
  touch.slip = {0.6, -0.8};
  touch.law = &law;
  touch.mode = mode;
  return touch;
}

bool same_bits(const std::vector<double>& x, const std::vector<double>& y) {
  for (std::size_t k = 0; k < x.size(); ++k)
    if (std::bit_cast<std::uint64_t>(x[k]) != std::bit_cast<std::uint64_t>(y[k])) return false;
  return x.size() == y.size();
}

TEST(Formulation, GivesTheBitsOfTheGeneralPath) {
  const ContactModel contact_model(model());
  Rederiver rederiver(contact_model, {.when = RederiveOptions::When::at_once});
  ContactMotion general(contact_model, 8), fast(contact_model, 8);
  fast.attach(&rederiver);
  const std::size_t nq = static_cast<std::size_t>(contact_model.terms.nq),
                    n = static_cast<std::size_t>(contact_model.terms.nv);
  describe::ContactLaw laws[3];
  laws[0].friction = laws[0].static_friction = 0.3;
  laws[2].rendering = describe::Rendering::compliant;
  laws[2].stiffness = 1000.0;
  laws[2].damping = 3.0;
  laws[2].friction = 0.4;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    for (ContactMotion* motion : {&general, &fast}) motion->touches.clear();
    for (std::size_t row = 0; row < general.row_on.size(); ++row)
      general.row_on[row] = fast.row_on[row] = random.below(3) != 0;
    for (std::size_t i = random.below(4); i-- > 0;) {
      const Touch touch =
          random_touch(random, laws[random.below(3)], static_cast<FeaturePair>((seed + i) % 5),
                       static_cast<Mode>(random.below(3)));
      general.touches.push_back(touch);
      fast.touches.push_back(touch);
    }
    general.update();
    fast.update();
    std::vector<double> arguments(contact_model.terms.kernel.input_size());
    for (int draw = 0; draw < 3; ++draw) {
      random.state(arguments, contact_model.dynamics.coordinates);
      const ContactMotion::Stretch stretch(fast);
      std::vector<double> udot[2], qdot[2], q[2], u[2];
      ContactMotion* motions[] = {&general, &fast};
      double error[2];
      for (std::size_t k = 0; k < 2; ++k) {
        udot[k].resize(n);
        qdot[k].resize(nq);
        motions[k]->accelerate(arguments.data(), udot[k].data(), qdot[k].data());
        q[k].assign(arguments.begin() + 1, arguments.begin() + 1 + static_cast<std::ptrdiff_t>(nq));
        u[k].assign(n, 0.25);
        motions[k]->settle_velocity(arguments[0], q[k].data(), u[k].data());
        error[k] = motions[k]->settle_position(arguments[0], q[k].data(), u[k].data());
      }
      EXPECT_TRUE(same_bits(udot[0], udot[1])) << "accelerations";
      EXPECT_TRUE(same_bits(qdot[0], qdot[1])) << "rates";
      EXPECT_TRUE(same_bits(u[0], u[1])) << "speeds that agree with the constraints";
      EXPECT_TRUE(same_bits(q[0], q[1])) << "coordinates that do";
      EXPECT_EQ(error[0], error[1]);
      for (std::size_t i = 0; i < general.touches.size(); ++i)
        EXPECT_EQ(general.touches[i].slip, fast.touches[i].slip);
    }
  }
  EXPECT_GT(fast.paths().changes, 50);
  EXPECT_EQ(fast.paths().hits, fast.paths().changes) << "every set had its code";
  EXPECT_LT(fast.paths().fallbacks, 20) << "dependent rows are the exception here";
  EXPECT_EQ(rederiver.statistics().refused, 0);
}

TEST(Formulation, AKeyNamesASet) {
  Random random(5);
  describe::ContactLaw law;
  SetForm set;
  set.rows = {0, 3, 70};
  std::vector<TouchNumbers<double>> numbers;
  for (int i = 0; i < 4; ++i) {
    const Touch touch = random_touch(random, law, static_cast<FeaturePair>(i), Mode::sticking);
    set.touches.push_back({touch.form, touch.body_a, touch.body_b, static_cast<Part>(i), touch.tangents});
    numbers.push_back({touch.a, touch.b, touch.tangent, touch.slip, 0.1, 0.2, 0.3, 0.4});
  }
  SetKey key, other;
  ASSERT_TRUE(make_key(set, numbers, key));
  const SetForm read = form_of(key);
  EXPECT_EQ(read.rows, set.rows);
  ASSERT_EQ(read.touches.size(), set.touches.size());
  for (std::size_t i = 0; i < set.touches.size(); ++i) {
    EXPECT_EQ(read.touches[i].gap.kind, set.touches[i].gap.kind);
    EXPECT_EQ(read.touches[i].gap.hollow, set.touches[i].gap.hollow);
    EXPECT_EQ(read.touches[i].part, set.touches[i].part);
    EXPECT_EQ(read.touches[i].tangents, set.touches[i].tangents);
    EXPECT_EQ(read.touches[i].body_a, set.touches[i].body_a);
    EXPECT_EQ(read.touches[i].body_b, set.touches[i].body_b);
    const auto values = flat(numbers[i]);
    for (std::size_t k = 0; k < kFeatureNumbers; ++k) {
      const double known = known_number(key, i, k);
      const bool special = values[k] == 0.0 || values[k] == 1.0 || values[k] == -1.0;
      EXPECT_EQ(special, known == values[k]);
    }
  }
  ASSERT_TRUE(make_key(set, numbers, other));
  EXPECT_EQ(key, other);
  EXPECT_EQ(key.hash(), other.hash());
  numbers[2].b.p.x = 0.12345;
  numbers[2].tangent.x = 0.5;
  ASSERT_TRUE(make_key(set, numbers, key));
  numbers[2].b.p.x = 0.54321;
  numbers[2].tangent.x = 0.6;
  ASSERT_TRUE(make_key(set, numbers, other));
  EXPECT_EQ(key, other) << "numbers are inputs of the code";
  set.touches[1].part = Part::compliant;
  ASSERT_TRUE(make_key(set, numbers, other));
  EXPECT_FALSE(key == other);
  set.touches.resize(SetKey::kMostTouches + 1);
  numbers.resize(set.touches.size());
  EXPECT_FALSE(make_key(set, numbers, other)) << "too large to be named";
}

}  // namespace
}  // namespace tactus::contact

// Users' expressions: what they mean, their units, and where they go wrong (more of that:
// describe/bad_models.txt).
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/parse.h>
#include <tactus/algebra/print.h>

namespace tactus::algebra {
namespace {

class Parse : public testing::Test {
 protected:
  Graph graph_;
  Graph::Scope scope_{graph_};
  Names names_{[](std::string_view name) -> std::optional<Quantity> {
                 if (name == "x" || name == "y") return Quantity{symbol(name), Quantity::Known::no, {}};
                 if (name == "L") return Quantity{symbol(name), Quantity::Known::yes, dimension::kLength};
                 return std::nullopt;
               },
               [] {
                 return std::vector<std::string>{"L", "x", "y"};
               }};

  Quantity read(std::string_view text) { return parse(text, names_); }
  /// With x = 2, y = -3, L = 0.5.
  double value(std::string_view text) {
    return evaluate(read(text).value, [&](Expr s) {
      const std::string& name = graph_.symbol_name(s);
      return name == "x" ? 2.0 : name == "y" ? -3.0 : 0.5;
    });
  }
  ParseError error(std::string_view text) {
    try {
      read(text);
    } catch (const ParseError& e) {
      return e;
    }
    ADD_FAILURE() << text << " is accepted";
    return ParseError(0, "");
  }
};

TEST_F(Parse, ArithmeticBindsAsInMathematics) {
  EXPECT_EQ(value("1 + 2*3"), 7.0);
  EXPECT_EQ(value("(1 + 2)*3"), 9.0);
  EXPECT_EQ(value("2 - 3 - 4"), -5.0);
  EXPECT_EQ(value("24/4/2"), 3.0);
  EXPECT_EQ(value("2^3^2"), 512.0);
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("--2"), 2.0);
  EXPECT_EQ(value("2*-3"), -6.0);
  EXPECT_EQ(value("  1\t+\n1 "), 2.0);
  EXPECT_EQ(value("1.5e-3"), 1.5e-3);
  EXPECT_EQ(value(".5 + 5."), 5.5);
  EXPECT_EQ(value("x*y + L"), -5.5);
}

TEST_F(Parse, EveryFunctionIsTheOneItsNameSays) {
  const double a = 0.3;
  EXPECT_EQ(value("sin(0.3)"), std::sin(a));
  EXPECT_EQ(value("cos(0.3)"), std::cos(a));
  EXPECT_DOUBLE_EQ(value("tan(0.3)"), std::tan(a));
  EXPECT_DOUBLE_EQ(value("asin(0.3)"), std::asin(a));
  EXPECT_DOUBLE_EQ(value("acos(0.3)"), std::acos(a));
  EXPECT_DOUBLE_EQ(value("atan(0.3)"), std::atan(a));
  EXPECT_DOUBLE_EQ(value("atan2(0.3, -1)"), std::atan2(a, -1.0));
  EXPECT_DOUBLE_EQ(value("sinh(0.3)"), std::sinh(a));
  EXPECT_DOUBLE_EQ(value("cosh(0.3)"), std::cosh(a));
  EXPECT_DOUBLE_EQ(value("tanh(0.3)"), std::tanh(a));
  EXPECT_DOUBLE_EQ(value("exp(0.3)"), std::exp(a));
  EXPECT_DOUBLE_EQ(value("log(0.3)"), std::log(a));
  EXPECT_DOUBLE_EQ(value("sqrt(0.3)"), std::sqrt(a));
  EXPECT_DOUBLE_EQ(value("pow(0.3, 1.5)"), std::pow(a, 1.5));
  EXPECT_EQ(value("abs(y)"), 3.0);
  EXPECT_EQ(value("sign(y)"), -1.0);
  EXPECT_EQ(value("sign(0)"), 1.0);
  EXPECT_EQ(value("min(x, y)"), -3.0);
  EXPECT_EQ(value("max(x, y)"), 2.0);
  EXPECT_EQ(value("floor(-2.5)"), -3.0);
  EXPECT_EQ(value("if(x, 10, 20)"), 10.0);
  EXPECT_EQ(value("if(y, 10, 20)"), 20.0);
  EXPECT_EQ(value("if(0, 10, 20)"), 10.0);
  EXPECT_EQ(value("step(x) + step(y)"), 1.0);
  EXPECT_EQ(value("pi"), std::numbers::pi);
}

TEST_F(Parse, UnitsBecomeSi) {
  EXPECT_EQ(value("12 mm"), 0.012);
  EXPECT_EQ(value("3 kg"), 3.0);
  EXPECT_EQ(value("2.5 N/m"), 2.5);
  EXPECT_EQ(value("1 kg m^2"), 1.0);
  EXPECT_EQ(value("5 kg cm^2"), 5e-4);
  EXPECT_EQ(value("90 rpm"), 90.0 * 2.0 * std::numbers::pi / 60.0);
  EXPECT_DOUBLE_EQ(value("5 mm/rev"), 0.005 / (2.0 * std::numbers::pi));
  EXPECT_EQ(value("180 deg"), std::numbers::pi);
  EXPECT_EQ(value("90 deg"), std::numbers::pi / 2.0);
  EXPECT_EQ(value("2 s^-1"), 2.0);
  EXPECT_EQ(value("2 m/s^2"), 2.0);
  EXPECT_EQ(value("-35 mm"), -0.035);
  EXPECT_EQ(value("3 m*x"), 6.0);
}

TEST_F(Parse, RightAnglesHaveTrueZeros) {
  EXPECT_TRUE(read("cos(90 deg)").value.is_constant(0.0));
  EXPECT_TRUE(read("sin(-180 deg)").value.is_constant(0.0));
  EXPECT_TRUE(read("sin(pi/2)").value.is_constant(1.0));
  EXPECT_TRUE(read("cos(60 deg)").value.is_constant(0.5));
}

TEST_F(Parse, ADivisionWithSpacesIsNotPartOfTheUnit) {
  EXPECT_EQ(value("3 m / x"), 1.5);
  EXPECT_EQ(value("3 m/x"), 1.5);  // x is no unit
}

TEST_F(Parse, DimensionsFollowTheExpression) {
  const auto known_as = [&](std::string_view text, Dimension dimension) {
    const Quantity q = read(text);
    return q.known == Quantity::Known::yes && q.dimension == dimension;
  };
  EXPECT_TRUE(known_as("L", dimension::kLength));
  EXPECT_TRUE(known_as("L + 3", dimension::kLength));
  EXPECT_TRUE(known_as("3 kg*L^2", dimension::kInertia));
  EXPECT_TRUE(known_as("sqrt(L^2)", dimension::kLength));
  EXPECT_TRUE(known_as("L/2 s", dimension::kSpeed));
  EXPECT_NO_THROW(require_dimension(read("cos(30 deg)"), dimension::kLength));  // of one metre
  EXPECT_TRUE(known_as("2 N m/rad", dimension::kAngularStiffness));
  EXPECT_EQ(read("x*L").known, Quantity::Known::no);     // nobody has said what x is
  EXPECT_EQ(read("7850*L").known, Quantity::Known::no);  // nor what 7850 is
  EXPECT_EQ(read("2*3").known, Quantity::Known::bare);
  EXPECT_NE(error("L + 2 kg").wrong.find("wrong unit"), std::string::npos);
  EXPECT_THROW(require_dimension(read("35 deg"), dimension::kLength), ParseError);
  EXPECT_NO_THROW(require_dimension(read("0.35"), dimension::kLength));
  EXPECT_NO_THROW(require_dimension(read("x"), dimension::kLength));
}

TEST_F(Parse, ErrorsKnowTheirPlace) {
  EXPECT_EQ(error("1 + foo").offset, 4u);
  EXPECT_EQ(error("2*(3 + 4").offset, 2u);
  EXPECT_EQ(error("1 $ 2").offset, 2u);
  EXPECT_EQ(error("3 kq").offset, 2u);
}

TEST_F(Parse, WhatIsPrintedReadsBackAsTheSameExpression) {
  for (const char* text :
       {"x*sin(y)^2 - 3*(x + y)/L", "-x^2 + if(x - y, 2, y)*step(x)", "atan2(x, y) - min(x, 1e-9)",
        "exp(-x)*cos(2*y + 0.1) - abs(sign(y))", "x^0.5 + pow(x, y) - floor(x/3)"}) {
    const Expr expression = read(text).value;
    EXPECT_TRUE(read(to_text(expression)).value == expression) << text << " -> " << to_text(expression);
  }
}

TEST(Units, ProductsAndPowers) {
  EXPECT_EQ(parse_unit("kg m^2")->dimension, dimension::kInertia);
  EXPECT_EQ(parse_unit("N*m/rad")->dimension, dimension::kTorque);
  EXPECT_EQ(parse_unit("1/s")->dimension, dimension::kAngularSpeed);
  EXPECT_EQ(parse_unit(" m s^-2 ")->dimension, dimension::kAcceleration);
  EXPECT_FALSE(parse_unit("").has_value());
  EXPECT_FALSE(parse_unit("kg m^").has_value());
  EXPECT_FALSE(parse_unit("furlong").has_value());
  EXPECT_FALSE(parse_unit("m/").has_value());
}

TEST(Units, EveryUnitHasASoundFactor) {
  for (const std::string_view name : unit_names()) {
    const std::optional<Unit> unit = find_unit(name);
    ASSERT_TRUE(unit.has_value()) << name;
    EXPECT_GT(unit->factor, 0.0) << name;
    EXPECT_GT(unit->divisor, 0.0) << name;
  }
}

}  // namespace
}  // namespace tactus::algebra

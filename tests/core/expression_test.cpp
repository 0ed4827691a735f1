#include "core/expression.h"

#include "about.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>

using namespace hydrolith;

namespace {

constexpr double pi = std::numbers::pi;
const std::map<std::string, double> none;

double value(std::string_view text, std::string_view unit = "",
             const std::map<std::string, double>& constants = none) {
  return Expression::parse(text, unit, constants, {})({});
}

struct Fault {
  std::size_t position;
  std::string message;
};

Fault fault(std::string_view text, std::string_view unit = "",
            const std::map<std::string, double>& constants = none) {
  try {
    Expression::parse(text, unit, constants, {});
  } catch (const ExpressionError& e) {
    return {e.position, e.what()};
  }
  return {0, "no fault"};
}

}  // namespace

TEST_CASE("arithmetic follows the usual order of operations, to the last bit") {
  CHECK(value("1 + 2*3") == 1 + 2 * 3);
  CHECK(value("(1 + 2)*3") == 9);
  CHECK(value("2 - 3 - 4") == -5);
  CHECK(value("12 / 3 / 2") == 2);
  CHECK(value("-2^2") == -4);
  CHECK(value("2^3^2") == 512);
  CHECK(value("2^-1") == 0.5);
  CHECK(value("--3 + +2") == 5);
  CHECK(value(".5e1*1E-3") == .5e1 * 1E-3);
  CHECK(value("  7\t") == 7);
}

TEST_CASE("every function gives what C++ gives") {
  CHECK(value("sin(0.3)") == std::sin(0.3));
  CHECK(value("cos(0.3)") == std::cos(0.3));
  CHECK(value("tan(0.3)") == std::tan(0.3));
  CHECK(value("asin(0.3)", "rad") == std::asin(0.3));
  CHECK(value("acos(0.3)", "rad") == std::acos(0.3));
  CHECK(value("atan(0.3)", "rad") == std::atan(0.3));
  CHECK(value("atan2(1, -2)", "rad") == std::atan2(1., -2.));
  CHECK(value("sqrt(2)") == std::sqrt(2.));
  CHECK(value("exp(2)") == std::exp(2.));
  CHECK(value("log(2)") == std::log(2.));
  CHECK(value("abs(-2)") == 2);
  CHECK(value("floor(-1.5)") == -2);
  CHECK(value("ceil(-1.5)") == -1);
  CHECK(value("round(2.5)") == 3);
  CHECK(value("min(2, 3)") == 2);
  CHECK(value("max(2, 3)") == 3);
  CHECK(value("mod(-1, 3)") == 2);
  CHECK(value("clamp(5, 0, 2)") == 2);
  CHECK(value("step(1, 0.5)") == 0);
  CHECK(value("step(1, 1)") == 1);
  CHECK(value("pi") == pi);
}

TEST_CASE("an expression in variables equals the same C++ code at random points") {
  constexpr std::string_view variables[] = {"x", "z"};
  const Expression e = Expression::parse("0.1*sin(2*pi*x) + max(0, A - z^2)/(1 + abs(x*z))", "m",
                                         {{"A", 0.7}}, variables);
  CHECK_FALSE(e.is_constant());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (int i = 0; i < 1000; ++i) {
    const double x = uniform(random), z = uniform(random);
    const double point[] = {x, z};
    const double expected =
        0.1 * std::sin(2 * pi * x) + std::max(0., 0.7 - std::pow(z, 2.)) / (1 + std::abs(x * z));
    CHECK(e(point) == about(expected, 1e-14));  // folding 2*pi may round once more
  }
}

TEST_CASE("constants are folded, so that a constant expression is known as one") {
  constexpr std::string_view t[] = {"t"};
  CHECK(Expression::parse("2*L + sin(1)", "", {{"L", 3}}, t).is_constant());
  CHECK_FALSE(Expression::parse("2*t", "", none, t).is_constant());
  CHECK(Expression().is_constant());
  CHECK(Expression()({}) == 0);
  CHECK(Expression::constant(4)({}) == 4);
}

TEST_CASE("numbers with units become numbers in the unit asked for") {
  CHECK(value("20 mm", "m") == 20 * 1e-3);
  CHECK(value("2 in", "m") == about(0.0508, 1e-14));
  CHECK(value("1 g/cm^3", "kg/m^3") == doctest::Approx(1000));
  CHECK(value("0.5 bar", "Pa") == 50000);
  CHECK(value("1 mPa s", "Pa s") == 1e-3);
  CHECK(value("10 l/min", "m^3/s") == about(0.01 / 60, 1e-14));
  CHECK(value("36 km/h", "m/s") == doctest::Approx(10));
  CHECK(value("60 rpm", "rad/s") == doctest::Approx(2 * pi));
  CHECK(value("2 kN*m", "N m") == 2000);
  CHECK(value("25 1/s", "1/s") == 25);
  CHECK(value("25 Hz", "1/s") == 25);
  CHECK(value("5 %") == 0.05);
  CHECK(value("3 m\u00b2", "m^2") == 3);
  CHECK(value("2 ft", any_unit) == doctest::Approx(0.6096));
}

TEST_CASE("angles are in degrees where the key is, and in radians inside sin") {
  CHECK(value("30", "deg") == 30);
  CHECK(value("30 deg", "deg") == about(30, 1e-15));
  CHECK(value("0.5 rad", "deg") == doctest::Approx(0.5 * 180 / pi));
  CHECK(value("30\u00b0", "deg") == doctest::Approx(30));
  CHECK(value("atan(1)", "deg") == doctest::Approx(45));
  CHECK(value("sin(30 deg)", "m") == doctest::Approx(0.5));
  CHECK(value("sin(30 deg)*40", "deg") == doctest::Approx(20));
  CHECK(value("tilt", "deg", {{"tilt", 12}}) == 12);
  CHECK(value("sin(tilt deg)", "", {{"tilt", 30}}) == doctest::Approx(0.5));
}

TEST_CASE("units are followed through the arithmetic") {
  CHECK(value("10 m / 2 s", "m/s") == 5);
  CHECK(value("2*L + 3 cm", "m", {{"L", 1}}) == 2.03);
  CHECK(value("(1 + 2) cm", "m") == 0.03);
  CHECK(value("(2 m)^3", "m^3") == 8);
  CHECK(value("sqrt(4 m^2)", "m") == 2);
  CHECK(value("max(1, 20 mm)", "m") == 1);
  CHECK(value("1 m / (2 m)", "") == 0.5);
  CHECK(value("2 m * 30 deg", "m") == doctest::Approx(pi / 3));
}

TEST_CASE("a unit of another dimension is an error that says so") {
  CHECK(fault("20 mm", "kg/m^3").message == "20 mm is a length; this value is in kg/m^3");
  CHECK(fault("3 s").message == "3 s is a time; a plain number is needed");
  CHECK(fault("30 deg", "m").message == "30 deg is an angle; this value is in m");
  CHECK(fault("5 Hz", "rad/s").message == "5 Hz is a frequency; this value is in rad/s");
  CHECK(fault("1 m + 2 s", "m").message == "a length and a time cannot be combined");
  CHECK(fault("1 m + 2 s", "m").position == 4);
  CHECK(fault("1 m^2 s", "m").message == "1 m^2 s is in m^2 s; this value is in m");
  CHECK(fault("30 deg", any_unit).message.find("plain number of degrees") != std::string::npos);
}

TEST_CASE("what cannot be read is refused with the place and the reason") {
  const std::map<std::string, double> names = {{"scale", 2}, {"L", 1}};
  CHECK(fault("").message == "a number is missing");
  CHECK(fault("2 +").message == "the expression ends too early");
  CHECK(fault("2 + * 3").position == 4);
  CHECK(fault("2 + * 3").message == "unexpected \"*\"");
  CHECK(fault("(1 + 2").message == "\")\" is missing");
  CHECK(fault("2*scal", "", names).message == "unknown name \"scal\". Did you mean \"scale\"?");
  CHECK(fault("2*scal", "", names).position == 2);
  CHECK(fault("2*q", "", names).message == "unknown name \"q\". Known here: L, scale.");
  CHECK(fault("sine(1)").message == "unknown function \"sine\". Did you mean \"sin\"?");
  CHECK(fault("max(1)").message == "max takes 2 arguments");
  CHECK(fault("sin(1, 2)").message == "sin takes 1 argument");
  CHECK(fault("3 bananas").message == "unknown unit \"bananas\"");
  CHECK(fault("3 L", "m", names).message ==
        "an operator is missing before \"L\" (write * to multiply)");
  CHECK(fault("1e999").message == "this number is out of range");
  CHECK(fault("1.2.3").message == "unexpected \".\"");
  CHECK(fault("2 $ 3").message == "unexpected \"$\"");
  constexpr std::string_view t[] = {"t"};
  CHECK_THROWS_WITH_AS(Expression::parse("(2 m)^t", "m", none, t),
                       "a number with a unit needs a constant exponent", ExpressionError);
}

TEST_CASE("deep nesting is refused and does not overflow the stack") {
  CHECK(fault(std::string(1000, '(') + "1").message == "this is nested too deeply");
  std::string towers = "2";
  for (int i = 0; i < 500; ++i) towers += "^2";
  CHECK(fault(towers).message == "this is nested too deeply");
  CHECK(fault(std::string(5000, ' ') + "1").message.find("long") != std::string::npos);
  CHECK(value(std::string(1000, '-') + "1") == 1);
}

TEST_CASE("equal programs compare equal whatever their text") {
  CHECK(Expression::parse("2*3", "", none, {}) == Expression::constant(6));
  CHECK_FALSE(Expression::constant(5) == Expression::constant(6));
}

TEST_CASE("identifiers and reserved names are told apart") {
  CHECK(is_identifier("row_2"));
  CHECK_FALSE(is_identifier("2row"));
  CHECK_FALSE(is_identifier(""));
  CHECK_FALSE(is_identifier("a-b"));
  CHECK(is_reserved_name("sin"));
  CHECK(is_reserved_name("pi"));
  CHECK_FALSE(is_reserved_name("row"));
}

#pragma once
// Arithmetic as written in scenes: 2*L + 3 cm, max(0, 1 - t/5), 0.1*sin(2*pi*x).
// Parsed once, evaluated often and without allocation.

#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hydrolith {

/// A text that is not an expression. `position` counts characters from 0.
struct ExpressionError : std::runtime_error {
  ExpressionError(std::size_t position_, const std::string& message)
      : std::runtime_error(message), position(position_) {}
  std::size_t position;
};

/// The unit of a value that may have any dimension: what is written with a unit becomes SI.
inline constexpr std::string_view any_unit = "any";

/// Numbers with an optional unit, + - * / ^, parentheses, the functions sin cos tan asin acos atan
/// atan2 sqrt exp log abs floor ceil round min max mod clamp step, the constant pi, named
/// constants known when parsing and named variables given when evaluating.
///
/// Dimensions are followed through the arithmetic as far as units are written: 10 m / 2 s is a
/// velocity, 20 mm + 1 s an error. Bare numbers and names fit everywhere. sin, cos and tan take
/// radians or a number with a unit (sin(30 deg)); asin, acos, atan and atan2 give an angle in the
/// unit asked for. A unit may follow a number, a name or a closing parenthesis. Names known here
/// are never read as units.
class Expression {
 public:
  Expression() = default;  // the constant 0

  /// Throws ExpressionError. `unit` is the unit a bare number is in and the result is in: "m",
  /// "deg", "kg/m^3", "" (none), any_unit. It is SI but for angles, which may be in "deg". A number
  /// written with a unit of another dimension is an error.
  static Expression parse(std::string_view text, std::string_view unit,
                          const std::map<std::string, double>& constants,
                          std::span<const std::string_view> variables);
  static Expression constant(double value);

  /// `variables` in the order given to parse().
  double operator()(std::span<const double> variables) const;
  bool is_constant() const;
  const std::string& text() const { return text_; }
  /// The same program (the text may differ).
  bool operator==(const Expression& other) const { return code_ == other.code_; }

 private:
  friend class ExpressionParser;
  // clang-format off
  enum class Op : unsigned char {
    constant, variable,
    negate, add, subtract, multiply, divide, power,
    sin, cos, tan, asin, acos, atan, atan2, sqrt, exp, log, abs, floor, ceil, round,
    min, max, mod, clamp, step
  };
  // clang-format on
  struct Instruction {
    Op op = Op::constant;
    int variable = 0;  // index, with Op::variable
    double value = 0;  // with Op::constant
    bool operator==(const Instruction&) const = default;
  };
  static constexpr std::size_t max_stack = 64;
  static int arity(Op op);
  static double apply(Op op, const double* arguments);

  std::vector<Instruction> code_;  // postfix; constants are folded; empty: 0
  std::string text_;
};

/// Letters, digits and _, not starting with a digit.
bool is_identifier(std::string_view name);
/// True for the names of functions and constants of the language (sin, max, pi, ...).
bool is_reserved_name(std::string_view name);

}  // namespace hydrolith

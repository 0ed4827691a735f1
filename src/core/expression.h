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

/// Numbers with an optional unit, + - * / ^, parentheses, the functions sin cos tan asin acos atan
/// atan2 sqrt exp log abs floor ceil round min max mod clamp step, the constant pi, named
/// constants known when parsing and named variables given when evaluating.
class Expression {
 public:
  Expression() = default;  // the constant 0

  /// Throws ExpressionError. `unit` is the unit a bare number is in and the result is in: "m",
  /// "deg", "kg/m^3", "" (none). A number written with a unit of another dimension is an error.
  static Expression parse(std::string_view text, std::string_view unit,
                          const std::map<std::string, double>& constants,
                          std::span<const std::string_view> variables);
  static Expression constant(double value);

  /// `variables` in the order given to parse().
  double operator()(std::span<const double> variables) const;
  bool is_constant() const;
  const std::string& text() const { return text_; }

 private:
  enum class Op : unsigned char;
  struct Instruction;
  std::vector<Instruction> code_;  // postfix
  std::string text_;
};

}  // namespace hydrolith

#include "core/expression.h"

#include "core/suggest.h"
#include "core/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

namespace hydrolith {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

// Recursive descent:
//   sum     = product { (+|-) product }
//   product = signed { (*|/) signed }
//   signed  = (-|+) signed | power
//   power   = primary [ ^ signed ]
//   primary = (number | name | function ( sum {, sum} ) | ( sum )) [unit]
class ExpressionParser {
 public:
  using Op = Expression::Op;

  // What a part of an expression measures. Bare numbers fit any unit; names hide their unit, so
  // nothing is known once they are multiplied in.
  struct Measure {
    enum Kind { bare, hidden, known } kind = bare;
    Dimension dimension;  // if known
  };

  ExpressionParser(std::string_view text, std::string_view unit,
                   const std::map<std::string, double>& constants,
                   std::span<const std::string_view> variables)
      : text_(text), unit_(unit), constants_(constants), variables_(variables) {}

  Expression parse() {
    constexpr std::size_t longest = 4096;
    if (text_.size() > longest) fail(longest, "an expression this long is not readable");
    const bool any = unit_ == any_unit;
    const Unit wanted = any ? Unit{} : parse_unit(unit_);
    degrees_ = !any && wanted.dimension.angle() != 0 && wanted.factor != 1;
    skip_blanks();
    if (done()) fail(position_, "a number is missing");
    const Measure result = sum();
    if (!done()) unexpected();
    check_unit(result, any, wanted.dimension);
    Expression expression;
    expression.code_ = std::move(code_);
    expression.text_ = std::string(text_);
    return expression;
  }

 private:
  // --- What the result measures -----------------------------------------------------------------

  void check_unit(const Measure& result, bool any, const Dimension& wanted) const {
    if (result.kind != Measure::known || result.dimension.none()) return;
    const Dimension& found = result.dimension;
    const bool pure_angle = found == Dimension{{0, 0, 0, 1}};
    if (any && pure_angle)
      fail(0, fmt::format("{} is an angle, and angles of either unit could be meant where it is "
                          "used. Write a plain number of degrees here and `angle: name` or "
                          "`sin(name deg)` there.",
                          trimmed()));
    if (any || found == wanted) return;
    Dimension without_angle = found;
    without_angle.exponent[3] = 0;
    if (!pure_angle && wanted.angle() == 0 && without_angle == wanted) return;
    fail(0, unit_.empty()
                ? fmt::format("{} is {}; a plain number is needed", trimmed(), describe(found))
                : fmt::format("{} is {}; this value is in {}", trimmed(), describe(found), unit_));
  }

  // Both sides of a sum, or the arguments of min and max.
  Measure common(const Measure& a, const Measure& b, std::size_t at) const {
    if (a.kind == Measure::known && b.kind == Measure::known && !(a.dimension == b.dimension))
      fail(at, fmt::format("{} and {} cannot be combined", describe(a.dimension),
                           describe(b.dimension)));
    if (a.kind == Measure::known) return a;
    if (b.kind == Measure::known) return b;
    return a.kind == Measure::hidden ? a : b;
  }

  static Measure product_of(const Measure& a, const Measure& b, double sign) {
    if (a.kind == Measure::hidden || b.kind == Measure::hidden) return {Measure::hidden, {}};
    if (a.kind == Measure::bare && b.kind == Measure::bare) return {};
    return {Measure::known, a.dimension * b.dimension.pow(sign)};
  }

  // --- Grammar ----------------------------------------------------------------------------------

  Measure sum() {
    const Nesting nesting(*this);
    Measure left = product();
    for (std::size_t at = position_; peek() == '+' || peek() == '-'; at = position_) {
      const Op op = take() == '+' ? Op::add : Op::subtract;
      left = common(left, product(), at);
      emit(op);
    }
    return left;
  }

  Measure product() {
    Measure left = signed_factor();
    while (peek() == '*' || peek() == '/') {
      const bool multiply = take() == '*';
      left = product_of(left, signed_factor(), multiply ? 1 : -1);
      emit(multiply ? Op::multiply : Op::divide);
    }
    return left;
  }

  Measure signed_factor() {
    bool negative = false;
    while (peek() == '-' || peek() == '+') negative ^= take() == '-';
    const Measure factor = power();
    if (negative) emit(Op::negate);
    return factor;
  }

  Measure power() {
    const Measure base = primary();
    if (peek() != '^') return base;
    const Nesting nesting(*this);
    const std::size_t at = position_;
    take();
    const std::size_t exponent_begin = code_.size();
    signed_factor();
    const bool fixed = code_.size() == exponent_begin + 1 && code_.back().op == Op::constant;
    const double exponent = code_.back().value;
    emit(Op::power);
    if (base.kind != Measure::known) return base;
    if (!fixed) fail(at, "a number with a unit needs a constant exponent");
    return {Measure::known, base.dimension.pow(exponent)};
  }

  Measure primary() {
    const char c = peek();
    if (c == '(') {
      take();
      const Measure inner = sum();
      expect(')');
      return with_unit(inner);
    }
    if (is_digit(c) || c == '.') {
      emit_constant(number());
      return with_unit({});
    }
    if (is_letter(c)) return with_unit(name());
    unexpected();
  }

  // A unit behind a value multiplies it.
  Measure with_unit(const Measure& value) {
    const auto taken = [this](std::string_view name) { return is_known(name); };
    const auto scanned = scan_unit(text_, position_, taken);
    if (!scanned) {
      if (!done() && is_letter(text_[position_])) unknown_unit();
      return value;
    }
    double factor = scanned->unit.factor;
    if (degrees_) factor *= std::pow(180 / std::numbers::pi, scanned->unit.dimension.angle());
    if (factor != 1) {
      emit_constant(factor);
      emit(Op::multiply);
    }
    position_ = scanned->end;
    skip_blanks();
    const Dimension inner = value.kind == Measure::known ? value.dimension : Dimension{};
    return {Measure::known, inner * scanned->unit.dimension};
  }

  double number() {
    double value = 0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail(position_, "this number is out of range");
    if (error != std::errc()) unexpected();
    position_ += static_cast<std::size_t>(end - begin);
    skip_blanks();
    return value;
  }

  Measure name() {
    const std::size_t begin = position_;
    while (position_ < text_.size() && (is_letter(text_[position_]) || is_digit(text_[position_])))
      ++position_;
    const std::string_view name = text_.substr(begin, position_ - begin);
    skip_blanks();
    if (peek() == '(') return call(name, begin);
    if (name == "pi") return emit_constant(std::numbers::pi), Measure{};
    const auto variable = std::find(variables_.begin(), variables_.end(), name);
    if (variable != variables_.end()) {
      push({Op::variable, static_cast<int>(variable - variables_.begin()), 0});
      return {Measure::hidden, {}};
    }
    const auto constant = constants_.find(std::string(name));
    if (constant != constants_.end())
      return emit_constant(constant->second), Measure{Measure::hidden, {}};
    fail(begin, fmt::format("unknown name \"{}\".{}", name, hint(name)));
  }

  Measure call(std::string_view name, std::size_t begin);

  // --- Instructions -----------------------------------------------------------------------------

  void push(const Expression::Instruction& instruction) {
    code_.push_back(instruction);
    if (++stack_ > Expression::max_stack) fail(position_, "this is nested too deeply");
  }
  void emit_constant(double value) { push({Op::constant, 0, value}); }

  // Appends an operation, or its result if all arguments are constants.
  void emit(Op op) {
    const auto n = static_cast<std::size_t>(Expression::arity(op));
    stack_ -= n - 1;
    std::array<double, 3> arguments{};
    bool constant = code_.size() >= n;
    for (std::size_t i = 0; i < n && constant; ++i) {
      const auto& argument = code_[code_.size() - n + i];
      constant = argument.op == Op::constant;
      arguments[i] = argument.value;
    }
    if (!constant) return code_.push_back({op, 0, 0});
    code_.resize(code_.size() - n);
    code_.push_back({Op::constant, 0, Expression::apply(op, arguments.data())});
  }

  // --- Characters -------------------------------------------------------------------------------

  bool done() const { return position_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[position_]; }
  char take() {
    const char c = text_[position_++];
    skip_blanks();
    return c;
  }
  void skip_blanks() {
    while (!done() &&
           (text_[position_] == ' ' || text_[position_] == '\t' || text_[position_] == '\n'))
      ++position_;
  }
  void expect(char c) {
    if (peek() != c) fail(position_, fmt::format("\"{}\" is missing", c));
    take();
  }
  std::string_view trimmed() const {
    const std::size_t begin = text_.find_first_not_of(" \t\n");
    return text_.substr(begin, text_.find_last_not_of(" \t\n") - begin + 1);
  }

  // --- Faults -----------------------------------------------------------------------------------

  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    throw ExpressionError(at, message);
  }
  [[noreturn]] void unexpected() const {
    if (done()) fail(position_, "the expression ends too early");
    const auto c = static_cast<unsigned char>(text_[position_]);
    if (c < 0x20 || c >= 0x7f) fail(position_, "unexpected character");
    fail(position_, fmt::format("unexpected \"{}\"", text_[position_]));
  }
  [[noreturn]] void unknown_unit() const {
    std::size_t end = position_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    const std::string_view name = text_.substr(position_, end - position_);
    if (is_known(name) || is_reserved_name(name))
      fail(position_,
           fmt::format("an operator is missing before \"{}\" (write * to multiply)", name));
    fail(position_, fmt::format("unknown unit \"{}\"", name));
  }
  bool is_known(std::string_view name) const {
    return std::find(variables_.begin(), variables_.end(), name) != variables_.end() ||
           constants_.contains(std::string(name));
  }
  std::string hint(std::string_view name) const;

  // Parentheses and exponents may be nested this deep.
  struct Nesting {
    explicit Nesting(ExpressionParser& p) : parser(p) {
      if (++parser.depth_ > 64) parser.fail(parser.position_, "this is nested too deeply");
    }
    ~Nesting() { --parser.depth_; }
    ExpressionParser& parser;
  };

  std::string_view text_, unit_;
  const std::map<std::string, double>& constants_;
  std::span<const std::string_view> variables_;
  std::vector<Expression::Instruction> code_;
  std::size_t position_ = 0, stack_ = 0;
  int depth_ = 0;
  bool degrees_ = false;  // angles with a unit become degrees here, radians elsewhere

  struct Function {
    std::string_view name;
    Op op;
  };
  static constexpr Function functions[] = {
      {"sin", Op::sin},   {"cos", Op::cos},     {"tan", Op::tan},     {"asin", Op::asin},
      {"acos", Op::acos}, {"atan", Op::atan},   {"atan2", Op::atan2}, {"sqrt", Op::sqrt},
      {"exp", Op::exp},   {"log", Op::log},     {"abs", Op::abs},     {"floor", Op::floor},
      {"ceil", Op::ceil}, {"round", Op::round}, {"min", Op::min},     {"max", Op::max},
      {"mod", Op::mod},   {"clamp", Op::clamp}, {"step", Op::step},
  };
  friend bool is_reserved_name(std::string_view name);
};

ExpressionParser::Measure ExpressionParser::call(std::string_view name, std::size_t begin) {
  const auto* function = std::find_if(std::begin(functions), std::end(functions),
                                      [&](const Function& f) { return f.name == name; });
  if (function == std::end(functions))
    fail(begin, fmt::format("unknown function \"{}\".{}", name, hint(name)));
  const Op op = function->op;
  const bool takes_angle = op == Op::sin || op == Op::cos || op == Op::tan;
  const bool gives_angle = op == Op::asin || op == Op::acos || op == Op::atan || op == Op::atan2;

  // Arguments.
  const bool outer_degrees = degrees_;
  if (takes_angle) degrees_ = false;
  expect('(');
  Measure argument = sum();
  for (int i = 1; i < Expression::arity(op); ++i) {
    if (peek() != ',')
      fail(position_, fmt::format("{} takes {} arguments", name, Expression::arity(op)));
    take();
    const std::size_t at = position_;
    argument = common(argument, sum(), at);
  }
  if (peek() == ',')
    fail(position_, fmt::format("{} takes {} argument{}", name, Expression::arity(op),
                                Expression::arity(op) == 1 ? "" : "s"));
  expect(')');
  degrees_ = outer_degrees;
  emit(op);

  // What comes out.
  if (gives_angle) {
    if (degrees_) emit_constant(180 / std::numbers::pi), emit(Op::multiply);
    return {Measure::known, {{0, 0, 0, 1}}};
  }
  if (takes_angle || op == Op::exp || op == Op::log || op == Op::step) return {};
  if (op == Op::sqrt && argument.kind == Measure::known)
    return {Measure::known, argument.dimension.pow(0.5)};
  return argument;
}

std::string ExpressionParser::hint(std::string_view name) const {
  std::vector<std::string> known(variables_.begin(), variables_.end());
  for (const auto& [constant, value] : constants_) known.push_back(constant);
  for (const Function& f : functions) known.emplace_back(f.name);
  const std::string meant = did_you_mean(name, known);
  if (!meant.empty()) return meant;
  if (find_unit(name)) return " A unit stands behind a number: 1 " + std::string(name) + ".";
  std::string text;
  for (std::size_t i = 0; i < known.size() - std::size(functions) && i < 8; ++i)
    text += (i == 0 ? " Known here: " : ", ") + known[i];
  return text.empty() ? " No names are known here; define them under `parameters`." : text + ".";
}

bool is_reserved_name(std::string_view name) {
  return name == "pi" ||
         std::any_of(std::begin(ExpressionParser::functions), std::end(ExpressionParser::functions),
                     [&](const auto& f) { return f.name == name; });
}

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

Expression Expression::parse(std::string_view text, std::string_view unit,
                             const std::map<std::string, double>& constants,
                             std::span<const std::string_view> variables) {
  return ExpressionParser(text, unit, constants, variables).parse();
}

Expression Expression::constant(double value) {
  Expression expression;
  expression.code_ = {{Op::constant, 0, value}};
  expression.text_ = fmt::format("{}", value);
  return expression;
}

int Expression::arity(Op op) {
  switch (op) {
    case Op::constant:
    case Op::variable:
      return 0;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::mod:
    case Op::step:
      return 2;
    case Op::clamp:
      return 3;
    default:
      return 1;
  }
}

// mod is the remainder with the sign of the divisor; step(edge, x) is 0 below the edge, then 1.
double Expression::apply(Op op, const double* a) {
  switch (op) {
    case Op::constant:
    case Op::variable:
      return 0;
    case Op::negate:
      return -a[0];
    case Op::add:
      return a[0] + a[1];
    case Op::subtract:
      return a[0] - a[1];
    case Op::multiply:
      return a[0] * a[1];
    case Op::divide:
      return a[0] / a[1];
    case Op::power:
      return std::pow(a[0], a[1]);
    case Op::sin:
      return std::sin(a[0]);
    case Op::cos:
      return std::cos(a[0]);
    case Op::tan:
      return std::tan(a[0]);
    case Op::asin:
      return std::asin(a[0]);
    case Op::acos:
      return std::acos(a[0]);
    case Op::atan:
      return std::atan(a[0]);
    case Op::atan2:
      return std::atan2(a[0], a[1]);
    case Op::sqrt:
      return std::sqrt(a[0]);
    case Op::exp:
      return std::exp(a[0]);
    case Op::log:
      return std::log(a[0]);
    case Op::abs:
      return std::abs(a[0]);
    case Op::floor:
      return std::floor(a[0]);
    case Op::ceil:
      return std::ceil(a[0]);
    case Op::round:
      return std::round(a[0]);
    case Op::min:
      return std::min(a[0], a[1]);
    case Op::max:
      return std::max(a[0], a[1]);
    case Op::mod:
      return a[0] - a[1] * std::floor(a[0] / a[1]);
    case Op::clamp:
      return std::min(std::max(a[0], a[1]), a[2]);
    case Op::step:
      return a[1] < a[0] ? 0 : 1;
  }
  return 0;
}

double Expression::operator()(std::span<const double> variables) const {
  if (code_.empty()) return 0;
  std::array<double, max_stack + 1> stack;
  std::size_t top = 0;
  for (const Instruction& instruction : code_) {
    if (instruction.op == Op::constant) {
      stack[top++] = instruction.value;
    } else if (instruction.op == Op::variable) {
      stack[top++] = variables[static_cast<std::size_t>(instruction.variable)];
    } else {
      top -= static_cast<std::size_t>(arity(instruction.op));
      stack[top] = apply(instruction.op, &stack[top]);
      ++top;
    }
  }
  return stack[0];
}

bool Expression::is_constant() const {
  return std::none_of(code_.begin(), code_.end(),
                      [](const Instruction& i) { return i.op == Op::variable; });
}

}  // namespace hydrolith

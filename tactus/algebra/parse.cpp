#include <tactus/algebra/parse.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include <tactus/base/error.h>

namespace tactus::algebra {

namespace {

using Known = Quantity::Known;

struct FunctionName {
  std::string_view name;
  int arguments;
};
constexpr std::array kFunctions = {
    FunctionName{"sin", 1},  FunctionName{"cos", 1},  FunctionName{"tan", 1},   FunctionName{"asin", 1},
    FunctionName{"acos", 1}, FunctionName{"atan", 1}, FunctionName{"atan2", 2}, FunctionName{"sinh", 1},
    FunctionName{"cosh", 1}, FunctionName{"tanh", 1}, FunctionName{"exp", 1},   FunctionName{"log", 1},
    FunctionName{"sqrt", 1}, FunctionName{"pow", 2},  FunctionName{"abs", 1},   FunctionName{"sign", 1},
    FunctionName{"min", 2},  FunctionName{"max", 2},  FunctionName{"floor", 1}, FunctionName{"if", 3},
    FunctionName{"step", 1},
};

const FunctionName* find_function(std::string_view name) {
  for (const FunctionName& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

/// The largest exponent of a base unit that is followed; beyond it nobody writes real quantities.
constexpr int kLargestExponent = 99;

Quantity known(Expr value, Dimension dimension) {
  const bool sane = std::abs(dimension.kilogram) <= kLargestExponent &&
                    std::abs(dimension.metre) <= kLargestExponent &&
                    std::abs(dimension.second) <= kLargestExponent;
  return {value, sane ? Known::yes : Known::no, sane ? dimension : Dimension{}};
}

class Parser {
 public:
  Parser(std::string_view text, const Names& names) : text_(text), names_(names) {}

  Quantity whole() {
    if (text_.size() > kLongestExpression) {
      throw ParseError(0, "the expression is too long (" + std::to_string(text_.size()) + " characters)",
                       "split it into named parameters of at most " + std::to_string(kLongestExpression) +
                           " characters each");
    }
    skip_spaces();
    if (at_end()) throw ParseError(at_, "the expression is empty", "write a number or a formula");
    const Quantity result = expression();
    if (!at_end()) unexpected();
    return result;
  }

 private:
  /// Counts nesting for as long as it lives.
  struct Depth {
    explicit Depth(Parser& parser) : depth(parser.depth_) {
      if (++depth > kDeepestExpression) {
        throw ParseError(parser.at_, "the expression is nested too deeply",
                         "split it into named parameters; at most " + std::to_string(kDeepestExpression) +
                             " levels are read");
      }
    }
    ~Depth() { --depth; }
    int& depth;
  };

  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  void skip_spaces() {
    while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  }
  bool take(char c) {
    if (at_end() || peek() != c) return false;
    ++at_;
    skip_spaces();
    return true;
  }

  [[noreturn]] void unexpected() const {
    if (at_end()) throw ParseError(at_, "the expression ends too early", "a value is missing at its end");
    const char c = peek();
    if (c == ')') throw ParseError(at_, "`)` without its `(`", "remove it, or open the parenthesis before");
    if (c == '<' || c == '>' || c == '=') {
      throw ParseError(at_, std::string("comparisons such as `") + c + "` are not part of expressions",
                       "write if(a - b, x, y): x where a >= b, otherwise y");
    }
    if (text_.substr(at_, 2) == "**") throw ParseError(at_, "unexpected `**`", "a power is written x^2");
    if (starts_name(c) || is_digit(c) || c == '(') {
      throw ParseError(at_, "an operator is missing before `" + word_at(at_) + "`",
                       "write * for a product; units stand only directly after a number");
    }
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
      throw ParseError(at_, "unexpected character in an expression",
                       "use plain ASCII: + - * / ^ ( ) names numbers");
    }
    throw ParseError(at_, std::string("unexpected `") + c + "` in an expression",
                     "an expression holds numbers, names, + - * / ^, parentheses and functions");
  }

  std::string word_at(std::size_t at) const {
    std::size_t end = at;
    while (end < text_.size() && continues_name(text_[end])) ++end;
    if (end == at) end = std::min(at + 1, text_.size());
    return std::string(text_.substr(at, end - at));
  }

  Quantity expression() {
    Quantity sum = term();
    while (!at_end() && (peek() == '+' || peek() == '-')) {
      const bool minus = peek() == '-';
      const std::size_t where = at_;
      ++at_;
      skip_spaces();
      const Quantity next = term();
      sum = alike(where, minus ? "subtracts" : "adds", sum, next,
                  minus ? sum.value - next.value : sum.value + next.value);
    }
    return sum;
  }

  Quantity term() {
    Quantity product = sign();
    while (!at_end() && (peek() == '*' || peek() == '/') && text_.substr(at_, 2) != "**") {
      const bool divide = peek() == '/';
      ++at_;
      skip_spaces();
      const Quantity next = sign();
      product = combine(product, next, divide);
    }
    return product;
  }

  Quantity sign() {
    if (peek() == '-' || peek() == '+') {
      const Depth depth(*this);
      const bool minus = peek() == '-';
      ++at_;
      skip_spaces();
      Quantity x = sign();
      if (minus) x.value = -x.value;
      return x;
    }
    return power();
  }

  Quantity power() {
    const Quantity base = atom();
    if (!take('^')) return base;
    const Depth depth(*this);
    const std::size_t where = at_;
    return raise(where, base, sign());
  }

  Quantity atom() {
    const char c = peek();
    if (c == '(') {
      const Depth depth(*this);
      const std::size_t opened = at_;
      take('(');
      const Quantity inner = expression();
      if (!take(')')) {
        if (!at_end()) unexpected();
        throw ParseError(opened, "`(` is never closed", "close the parenthesis");
      }
      return inner;
    }
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    if (starts_name(c)) return name();
    if (c == '.') {
      throw ParseError(at_, "`" + word_at(at_) + "` is not a finite number", "write an ordinary number");
    }
    unexpected();
  }

  Quantity number() {
    const std::size_t start = at_;
    double value = 0.0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc{} || !std::isfinite(value)) {
      throw ParseError(start, "the number is too large or too small for a double",
                       "use SI units, or smaller powers");
    }
    const std::size_t after_number = at_;
    if (!at_end() && peek() == '.') {
      throw ParseError(start, "the number has two decimal points", "write it as 1234.5");
    }
    skip_spaces();
    if (at_end() || !starts_name(peek())) return {Expr(value), Known::bare, {}};
    if (at_ == after_number && (peek() == 'x' || peek() == 'e' || peek() == 'E')) {
      throw ParseError(start,
                       "the number `" + std::string(text_.substr(start, at_ - start)) + word_at(at_) +
                           "` is not well formed",
                       "write numbers as 12, 0.5 or 1.5e-3");
    }
    return with_unit(value);
  }

  /// unit { (space | '/') unit }, each with an optional integer power.
  Quantity with_unit(double value) {
    double factor = value, divisor = 1.0;
    Dimension dimension;
    bool divide = false;
    for (;;) {
      const std::size_t start = at_;
      while (!at_end() && (starts_name(peek()) && peek() != '_')) ++at_;
      const std::string_view word = text_.substr(start, at_ - start);
      const std::optional<Unit> unit = find_unit(word);
      if (!unit || (!at_end() && continues_name(peek()))) {
        at_ = start;
        not_a_unit(start);
      }
      int exponent = 1;
      if (peek() == '^') {
        const std::size_t caret = at_++;
        const bool negative = peek() == '-';
        if (negative) ++at_;
        if (!is_digit(peek()) || peek() == '0' || (at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
          throw ParseError(caret, "the power of a unit must be one digit from 1 to 9",
                           "write it as kg m^2 or s^-1");
        }
        exponent = (negative ? -1 : 1) * (peek() - '0');
        ++at_;
      }
      if (divide) exponent = -exponent;
      for (int k = 0; k < std::abs(exponent); ++k) {
        factor *= exponent > 0 ? unit->factor : unit->divisor;
        divisor *= exponent > 0 ? unit->divisor : unit->factor;
      }
      dimension = dimension + exponent * unit->dimension;
      if (peek() == '/' && at_ + 1 < text_.size() && starts_name(text_[at_ + 1]) &&
          find_unit(word_at(at_ + 1))) {
        divide = true;
        ++at_;
        continue;
      }
      divide = false;
      skip_spaces();
      if (at_end() || !starts_name(peek())) break;
    }
    const double si = factor / divisor;
    if (!std::isfinite(si))
      throw ParseError(at_, "the number is too large for a double", "use smaller powers");
    return known(Expr(si), dimension);
  }

  [[noreturn]] void not_a_unit(std::size_t start) const {
    const std::string word = word_at(start);
    if (names_.find && names_.find(word)) {
      throw ParseError(start, "`" + word + "` stands directly after a number, but is not a unit",
                       "write * for a product: 2*" + word);
    }
    throw ParseError(start, "unknown unit `" + word + "`", suggestion(word, std::span(unit_names())));
  }

  Quantity name() {
    const std::size_t start = at_;
    while (!at_end() && continues_name(peek())) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    skip_spaces();
    if (peek() == '(') return function(start, word);
    if (word == "pi") return {Expr(std::numbers::pi), Known::bare, {}};
    if (names_.find) {
      if (const std::optional<Quantity> found = names_.find(word)) return *found;
    }
    if (word == "nan" || word == "NaN" || word == "inf" || word == "Inf" || word == "infinity") {
      throw ParseError(start, "`" + std::string(word) + "` is not a finite number",
                       "write an ordinary number");
    }
    if (find_function(word) != nullptr) {
      throw ParseError(start, "the function `" + std::string(word) + "` has no arguments",
                       "write them in parentheses: " + std::string(word) + "(x)");
    }
    const std::vector<std::string> all = names_.known ? names_.known() : std::vector<std::string>{};
    throw ParseError(start, "unknown name `" + std::string(word) + "`",
                     all.empty() ? "no names are known here; define it first, or write a number"
                                 : suggestion(word, std::span(all)));
  }

  Quantity function(std::size_t start, std::string_view word) {
    const FunctionName* function = find_function(word);
    const std::vector<std::string> own = names_.functions ? names_.functions() : std::vector<std::string>{};
    const bool is_own = std::find(own.begin(), own.end(), word) != own.end();
    if (function == nullptr && !is_own) {
      std::vector<std::string_view> all(own.begin(), own.end());
      for (const FunctionName& f : kFunctions) all.push_back(f.name);
      throw ParseError(start, "unknown function `" + std::string(word) + "`",
                       suggestion(word, std::span<const std::string_view>(all)));
    }
    const Depth depth(*this);
    const std::size_t opened = at_;
    take('(');
    std::vector<Quantity> arguments;
    if (peek() != ')') {
      do {
        arguments.push_back(expression());
      } while (arguments.size() <= 3 && take(','));
    }
    if (!take(')')) {
      if (!at_end() && peek() != ',') unexpected();
      if (at_end()) throw ParseError(opened, "`(` is never closed", "close the parenthesis");
    }
    const int wanted = is_own ? 1 : function->arguments;
    if (static_cast<int>(arguments.size()) != wanted) {
      throw ParseError(
          start,
          "`" + std::string(word) + "` takes " + std::to_string(wanted) +
              (wanted == 1 ? " argument" : " arguments") +
              (arguments.size() > 3 ? ", not so many" : ", not " + std::to_string(arguments.size())),
          "separate arguments by commas");
    }
    if (is_own) return names_.call(word, arguments[0]).value();
    return apply_function(start, word, arguments);
  }

  Quantity apply_function(std::size_t start, std::string_view word, const std::vector<Quantity>& x) const {
    const Expr a = x[0].value;
    const Expr b = x.size() > 1 ? x[1].value : Expr(0.0);
    if (word == "abs") return {abs(a), x[0].known, x[0].dimension};
    if (word == "floor") return {floor(a), x[0].known, x[0].dimension};
    if (word == "sign") return {algebra::sign(a), Known::bare, {}};
    if (word == "step") return {select(a, 1.0, 0.0), Known::bare, {}};
    if (word == "min") return alike(start, "compares", x[0], x[1], min(a, b));
    if (word == "max") return alike(start, "compares", x[0], x[1], max(a, b));
    if (word == "if") return alike(start, "chooses between", x[1], x[2], select(a, b, x[2].value));
    if (word == "sqrt") {
      const Dimension d = x[0].dimension;
      const bool even = d.kilogram % 2 == 0 && d.metre % 2 == 0 && d.second % 2 == 0;
      if (x[0].known != Known::yes || !even)
        return {sqrt(a), x[0].known == Known::bare ? Known::bare : Known::no, {}};
      return known(sqrt(a), {d.kilogram / 2, d.metre / 2, d.second / 2});
    }
    if (word == "pow") return raise(start, x[0], x[1]);
    if (word == "atan2") {
      alike(start, "compares", x[0], x[1], a);
      return {atan2(a, b), Known::bare, {}};
    }
    if (x[0].known == Known::yes && x[0].dimension != dimension::kNumber) {
      throw ParseError(start,
                       "wrong unit: `" + std::string(word) + "` of " + describe_dimension(x[0].dimension),
                       "its argument must be an angle or a plain number");
    }
    for (const Op op : {Op::sin, Op::cos, Op::tan, Op::asin, Op::acos, Op::atan, Op::sinh, Op::cosh, Op::tanh,
                        Op::exp, Op::log}) {
      if (name_of(op) == word) return {make(op, a), Known::bare, {}};
    }
    throw ParseError(start, "unknown function `" + std::string(word) + "`");
  }

  static Quantity combine(const Quantity& x, const Quantity& y, bool divide) {
    const Expr value = divide ? x.value / y.value : x.value * y.value;
    if (x.known == Known::bare && y.known == Known::bare) return {value, Known::bare, {}};
    if (x.known != Known::yes || y.known != Known::yes) return {value, Known::no, {}};
    return known(value, divide ? x.dimension - y.dimension : x.dimension + y.dimension);
  }

  static Quantity raise(std::size_t where, const Quantity& base, const Quantity& exponent) {
    if (exponent.known == Known::yes && exponent.dimension != dimension::kNumber) {
      throw ParseError(where, "wrong unit: an exponent is " + describe_dimension(exponent.dimension),
                       "an exponent must be a plain number");
    }
    const Expr value = pow(base.value, exponent.value);
    if (base.known != Known::yes || base.dimension == dimension::kNumber)
      return {value, base.known, base.dimension};
    const double n = exponent.value.is_constant() ? exponent.value.value() : 0.5;
    if (n != std::floor(n) || std::fabs(n) > kLargestExponent) return {value, Known::no, {}};
    return known(value, static_cast<int>(n) * base.dimension);
  }

  static Quantity alike(std::size_t where, std::string_view what, const Quantity& x, const Quantity& y,
                        Expr value) {
    if (x.known == Known::yes && y.known == Known::yes && x.dimension != y.dimension) {
      throw ParseError(where,
                       "wrong unit: the expression " + std::string(what) + " " +
                           describe_dimension(x.dimension) + " and " + describe_dimension(y.dimension),
                       "both sides must be of the same kind");
    }
    if (x.known == Known::yes) return {value, Known::yes, x.dimension};
    if (y.known == Known::yes) return {value, Known::yes, y.dimension};
    const bool bare = x.known == Known::bare && y.known == Known::bare;
    return {value, bare ? Known::bare : Known::no, {}};
  }

  std::string_view text_;
  const Names& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Quantity parse(std::string_view text, const Names& names) { return Parser(text, names).whole(); }

void require_dimension(const Quantity& quantity, Dimension expected) {
  if (quantity.known != Known::yes || quantity.dimension == expected) return;
  throw ParseError(0,
                   "wrong unit: this is " + describe_dimension(quantity.dimension) + ", but " +
                       describe_dimension(expected) + " is expected",
                   "bare numbers are SI; give a unit of that kind or none");
}

bool is_reserved_name(std::string_view name) { return name == "pi" || find_function(name) != nullptr; }

}  // namespace tactus::algebra

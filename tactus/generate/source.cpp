#include <tactus/generate/source.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include <tactus/generate/dialect.h>
#include <tactus/generate/reserved.h>
#include <tactus/generate/source_text.h>
#include <tactus/generate/step_program.h>
#include <tactus/generate/tape.h>

namespace tactus::generate {

namespace {

constexpr std::size_t kColumns = 100;

/// Bytes of a sign of Unicode that begins here and must not stand in source: marks of the direction of writing, with which text
/// can look like other text than the compiler reads (compilers warn), and ends of lines. 0: none.
std::size_t length_of_unfit(std::string_view text) {
  if (text.starts_with("\xd8\x9c")) return 2;  // U+061C
  if (text.size() < 3 || text[0] != '\xe2') return 0;
  const auto second = static_cast<unsigned char>(text[1]), third = static_cast<unsigned char>(text[2]);
  if (second == 0x80 && (third == 0x8e || third == 0x8f)) return 3;  // U+200E, U+200F
  if (second == 0x80 && third >= 0xa8 && third <= 0xae) return 3;    // U+2028 to U+202E
  if (second == 0x81 && third >= 0xa6 && third <= 0xa9) return 3;    // U+2066 to U+2069
  return 0;
}

/// One line of text that cannot end a comment.
std::string comment_safe(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (const std::size_t unfit = length_of_unfit(text.substr(i)); unfit > 0) {
      i += unfit - 1;
      continue;
    }
    const bool control = static_cast<unsigned char>(c) < 32;
    if (c == '/' && !result.empty() && (result.back() == '*' || result.back() == '/')) result += ' ';
    if (c == '*' && !result.empty() && result.back() == '/') result += ' ';
    result += control || c == '\\' ? ' ' : c;
  }
  return result;
}

std::string literal(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0.0 ? "-INFINITY" : "INFINITY";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// An identifier that is not taken outside of namespaces.
std::string global_name(std::string_view text) {
  std::string name = identifier(text);
  if (is_library_name(name)) name += "_";
  return name;
}

bool uses(std::span<const Tape> tapes, Code code) {
  return std::any_of(tapes.begin(), tapes.end(), [&](const Tape& tape) {
    return std::any_of(tape.code.begin(), tape.code.end(),
                       [&](const Instruction& i) { return i.code == code; });
  });
}

class SourceWriter {
 public:
  SourceWriter(std::span<const algebra::Function> functions, const SourceOptions& options)
      : functions_(functions.begin(), functions.end()),
        step_(options.step),
        programs_(options.programs),
        dialect_(dialect_of(options.language)),
        name_(global_name(options.name)),
        about_(comment_safe(options.about)),
        std_(dialect_.std) {
    std::set<std::string> taken{"sincos_of"};
    if (step_ != nullptr)
      for (algebra::Function& function : step_->functions()) functions_.push_back(std::move(function));
    for (const SourceProgram& program : programs_)
      functions_.insert(functions_.end(), program.functions.begin(), program.functions.end());
    for (const algebra::Function& function : functions_) {
      tapes_.push_back(make_tape(function));
      std::string name = identifier(function.name);
      while (!taken.insert(name).second) name += "_";
      function_names_.push_back(name);
    }
  }

  std::string write() {
    head();
    if (uses(tapes_, Code::sincos) ||
        std::any_of(programs_.begin(), programs_.end(), [](const SourceProgram& p) { return p.sines; }))
      sine_and_cosine();
    for (std::size_t k = 0; k < functions_.size(); ++k)
      function(functions_[k], tapes_[k], function_names_[k]);
    if (step_ != nullptr) step();
    programs();
    tail();
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  void comment(const std::string& words, std::string_view indent = "") {
    // Wrapped lines stand under the beginning of the text.
    std::string rest = words;
    std::string lead;
    while (!rest.empty()) {
      std::size_t cut = rest.size();
      const std::size_t room = kColumns - 6 - lead.size();
      if (cut > room) {
        const std::size_t space = rest.rfind(' ', room);
        cut = space == std::string::npos || space == 0 ? cut : space;
      }
      line("{}{}{}{}", dialect_.doc_line, indent, lead, rest.substr(0, cut));
      rest.erase(0, std::min(rest.size(), cut + 1));
      lead = "    ";
    }
  }

  /// A piece of the dialect, with the file's name put in.
  std::string named(std::string_view piece) const {
    constexpr std::string_view kName = "{name}";
    std::string text(piece);
    // Two underscores in a row belong to the compiler.
    for (std::size_t at = 0; name_.ends_with('_') && (at = text.find("{name}_", at)) != std::string::npos;)
      text.erase(at + kName.size(), 1);
    for (std::size_t at = 0; (at = text.find(kName, at)) != std::string::npos; at += name_.size())
      text.replace(at, kName.size(), name_);
    return text;
  }

  void head() {
    const std::string_view more = dialect_.head_line;
    line("{} Generated by Tactus{}{}. Do not edit.", dialect_.head_first, about_.empty() ? "" : ": ", about_);
    line("{}", more);
    if (programs_.empty()) {
      line(
          "{} Every function (but `step`) is a straight line of double arithmetic without allocation. Blocks "
          "are",
          more);
    } else {
      line("{} To be called, with memory that is the caller's alone:", more);
      for (const SourceProgram& program : programs_) line("{}   {}", more, program.name);
      line("{}", more);
      line("{} Blocks are", more);
    }
    line(
        "{} arrays of double; matrices stand row by row; units are SI. Outputs may be the same arrays as "
        "inputs.",
        more);
    line(
        "{} GCC and Clang give the same results to the last bit (but for the sign and payload of NaN) with "
        "any",
        more);
    line("{} -O, -march and with -ffast-math. Compile for a processor with fused multiply-add (for instance",
         more);
    line("{} -march=native or -mfma) to make it fast.{}", more, dialect_.head_end);
    text_ += named(dialect_.begin_file);
    text_ += kStrictBegin;
    line("");
    text_ += named(dialect_.begin_names);
  }

  void tail() {
    text_ += named(dialect_.end_names);
    text_ += kStrictEnd;
    text_ += named(dialect_.end_file);
  }

  std::string begin() const { return named(dialect_.begin_function); }

  void sine_and_cosine() {
    line(
        "{}Sines and cosines of n angles [rad]: error below 1 ulp for |x| <= 2^20, the library's functions "
        "beyond.{}",
        dialect_.remark_open, dialect_.remark_close);
    text_ += fmt::format(fmt::runtime(kSinCosText), fmt::arg("std", std_), fmt::arg("begin", begin()));
    line("");
  }

  void step() {
    constexpr std::string_view kNothing = "void";
    std::string begin_step = begin();
    begin_step.replace(begin_step.find(kNothing), kNothing.size(), "int");
    text_ += step_text(
        *step_, {begin_step, named(dialect_.own_name), std::string(std_), std::string(dialect_.doc_open),
                 std::string(dialect_.doc_line), std::string(dialect_.doc_close)});
  }

  void programs() {
    const std::string own = named(dialect_.own_name);
    const std::string qualifier(dialect_.begin_function.substr(0, dialect_.begin_function.find("void")));
    const SourceWords words{qualifier,
                            own,
                            std::string(std_),
                            std::string(dialect_.doc_open),
                            std::string(dialect_.doc_line),
                            std::string(dialect_.doc_close)};
    std::set<std::string_view> pasted;
    for (const SourceProgram& program : programs_)
      for (const std::string_view kernel : program.kernels)
        if (pasted.insert(kernel).second) text_ += pasted_text(kernel, words);
    for (const SourceProgram& program : programs_) text_ += program.text(words) + "\n";
  }

  // One function:

  void function(const algebra::Function& function, const Tape& tape, const std::string& name) {
    name_blocks(function);
    describe(function, tape);
    std::vector<std::string> parameters;
    for (std::size_t k = 0; k < function.inputs.size(); ++k)
      parameters.push_back("const double* " + in_names_[k]);
    for (std::size_t k = 0; k < function.outputs.size(); ++k)
      parameters.push_back("double* " + out_names_[k]);
    std::string signature = fmt::format("{}{}({}) {{", begin(), name, fmt::join(parameters, ", "));
    if (signature.size() > kColumns) {
      signature = fmt::format("{}{}({}) {{", begin(), name, fmt::join(parameters, ",\n    "));
    }
    line("{}", signature);
    body(function, tape);
    line("}}\n");
  }

  void name_blocks(const algebra::Function& function) {
    std::set<std::string> taken;
    const auto fresh = [&](const std::string& wanted) {
      std::string name = identifier(wanted);
      // Names of our own temporaries: a word and a number.
      for (const std::string_view own : {"z", "angle", "sine", "cosine"}) {
        if (name.starts_with(own) && name.find_first_not_of("0123456789", own.size()) == std::string::npos)
          name += "_";
      }
      while (!taken.insert(name).second) name += "_";
      return name;
    };
    in_names_.clear();
    out_names_.clear();
    for (const algebra::Block& block : function.inputs) in_names_.push_back(fresh(block.name));
    for (const algebra::Block& block : function.outputs) out_names_.push_back(fresh(block.name));
  }

  void describe(const algebra::Function& function, const Tape& tape) {
    text_ += dialect_.doc_open;
    if (!function.meaning.empty()) comment(comment_safe(function.meaning));
    const auto block = [&](const algebra::Block& b, const std::string& name, bool is_input) {
      std::string words = fmt::format("{} {}[{}]", is_input ? "in " : "out", name, b.size());
      if (b.cols > 1) words += fmt::format(" ({} x {})", b.rows, b.cols);
      if (!b.meaning.empty()) words += ": " + comment_safe(b.meaning);
      if (is_input) {
        std::vector<std::string> names;
        for (const algebra::Expr entry : b.entries) {
          if (entry.is_symbol()) names.push_back(comment_safe(function.graph->symbol_name(entry)));
        }
        if (!names.empty() && !(names.size() == 1 && names.front() == name)) {
          words += fmt::format(": {}", fmt::join(names, ", "));
        }
      }
      comment(words, "  ");
    };
    for (std::size_t k = 0; k < function.inputs.size(); ++k) block(function.inputs[k], in_names_[k], true);
    for (std::size_t k = 0; k < function.outputs.size(); ++k)
      block(function.outputs[k], out_names_[k], false);
    const algebra::OperationCount count = count_operations(tape);
    std::string words = fmt::format("{} multiplications, {} additions", count.mul, count.add);
    if (count.div > 0) words += fmt::format(", {} divisions", count.div);
    if (count.trig > 0) words += fmt::format(", {} sines and cosines", count.trig);
    if (count.other > 0) words += fmt::format(", {} other functions", count.other);
    comment(words + ".");
    text_ += dialect_.doc_close;
  }

  void body(const algebra::Function& function, const Tape& tape) {
    value_.assign(tape.value_count, {});
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < function.inputs.size(); ++k) {
      for (std::size_t i = 0; i < function.inputs[k].size(); ++i)
        value_[next++] = fmt::format("{}[{}]", in_names_[k], i);
    }
    for (const double constant : tape.constants) value_[next++] = literal(constant);
    for (const std::string& unused : unused_inputs(function, tape)) line("  (void){};", unused);

    std::size_t temporaries = 0, groups = 0;
    for (std::size_t k = 0; k < tape.code.size(); ++k) {
      const Instruction& i = tape.code[k];
      if (i.code == Code::sincos) {
        sine_group(std::span(tape.code).subspan(k, i.group), ++groups);
        k += i.group - 1;
        continue;
      }
      const std::string formula = formula_of(i);
      value_[i.to] = fmt::format("z{}", ++temporaries);
      line("  const double {} = {};", value_[i.to], formula);
    }

    next = 0;
    for (std::size_t k = 0; k < function.outputs.size(); ++k) {
      for (std::size_t i = 0; i < function.outputs[k].size(); ++i) {
        outputs_.push_back(fmt::format("  {}[{}] = ", out_names_[k], i));
        assign_output(tape.outputs[next++], tape);
      }
    }
    for (const std::string& output : outputs_) line("{}", output);
    outputs_.clear();
  }

  /// An input that goes straight to an output is read before any output is written, since they may be the
  /// same array.
  void assign_output(std::uint32_t value, const Tape& tape) {
    std::string& assignment = outputs_.back();
    if (tape.is_input(value)) {
      const std::string copy = fmt::format("z0{}", outputs_.size());
      line("  const double {} = {};", copy, value_[value]);
      assignment += copy + ";";
    } else {
      assignment += value_[value] + ";";
    }
  }

  std::vector<std::string> unused_inputs(const algebra::Function& function, const Tape& tape) const {
    std::vector<bool> used(tape.value_count, false);
    for (const Instruction& i : tape.code) {
      used[i.a] = true;
      if (operand_count(i.code) > 1) used[i.b] = true;
      if (operand_count(i.code) > 2) used[i.c] = true;
    }
    for (const std::uint32_t output : tape.outputs) used[output] = true;
    std::vector<std::string> unused;
    std::size_t next = 0;
    for (std::size_t k = 0; k < function.inputs.size(); ++k) {
      const auto first = used.begin() + static_cast<std::ptrdiff_t>(next);
      next += function.inputs[k].size();
      if (std::none_of(first, used.begin() + static_cast<std::ptrdiff_t>(next), [](bool b) { return b; })) {
        unused.push_back(in_names_[k]);
      }
    }
    for (std::size_t k = 0; k < function.outputs.size(); ++k) {
      if (function.outputs[k].entries.empty()) unused.push_back(out_names_[k]);
    }
    return unused;
  }

  void sine_group(std::span<const Instruction> group, std::size_t number) {
    std::vector<std::string> angles;
    for (const Instruction& i : group) angles.push_back(value_[i.a]);
    line("  const double angle{}[] = {{{}}};", number, fmt::join(angles, ", "));
    line("  double sine{0}[{1}], cosine{0}[{1}];", number, group.size());
    line("  {0}sincos_of(angle{1}, sine{1}, cosine{1}, {2});", named(dialect_.own_name), number,
         group.size());
    for (std::size_t k = 0; k < group.size(); ++k) {
      value_[group[k].to] = fmt::format("sine{}[{}]", number, k);
      value_[group[k].to + 1] = fmt::format("cosine{}[{}]", number, k);
    }
  }

  std::string formula_of(const Instruction& i) const {
    const std::string& a = value_[i.a];
    const std::string& b = value_[i.b];
    const std::string& c = value_[i.c];
    const auto minus = [](const std::string& x) { return x.starts_with('-') ? x.substr(1) : "-" + x; };
    switch (i.code) {
      case Code::neg:
        return minus(a);
      case Code::add:
        return a + " + " + b;
      case Code::sub:
        return a + " - " + (b.starts_with('-') ? "(" + b + ")" : b);
      case Code::mul:
        return a + " * " + b;
      case Code::div:
        return a + " / " + b;
      case Code::fma:
        return fmt::format("{}fma({}, {}, {})", std_, a, b, c);
      case Code::fms:
        return fmt::format("{}fma({}, {}, {})", std_, a, b, minus(c));
      case Code::fnma:
        return fmt::format("{}fma({}, {}, {})", std_, minus(a), b, c);
      case Code::fnms:
        return fmt::format("{}fma({}, {}, {})", std_, minus(a), b, minus(c));
      case Code::abs:
        return fmt::format("{}fabs({})", std_, a);
      case Code::sign:
        return fmt::format("{0} >= 0.0 ? 1.0 : ({0} < 0.0 ? -1.0 : {0})", a);
      case Code::min:
        return fmt::format("{0} < {1} ? {0} : {1}", a, b);
      case Code::max:
        return fmt::format("{0} > {1} ? {0} : {1}", a, b);
      case Code::select:
        return fmt::format("{} >= 0.0 ? {} : {}", a, b, c);
      case Code::atan2:
      case Code::pow:
        return fmt::format("{}{}({}, {})", std_, name_of(i.code), a, b);
      default:
        return fmt::format("{}{}({})", std_, name_of(i.code), a);
    }
  }

  std::vector<algebra::Function> functions_;
  const StepProgram* step_;
  const std::span<const SourceProgram> programs_;
  const Dialect& dialect_;
  const std::string name_;
  const std::string about_;
  const std::string_view std_;
  std::vector<Tape> tapes_;
  std::vector<std::string> function_names_;
  std::string text_;
  std::vector<std::string> in_names_, out_names_;
  std::vector<std::string> value_;    // how each value of the tape is written
  std::vector<std::string> outputs_;  // the assignments at the end
};

}  // namespace

std::string write_source(std::span<const algebra::Function> functions, const SourceOptions& options) {
  return SourceWriter(functions, options).write();
}

std::string_view suffix_of(Language language) { return dialect_of(language).suffix; }

std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_')
    name = "x" + name;
  // Two underscores in a row belong to the compiler.
  for (std::size_t k; (k = name.find("__")) != std::string::npos;) name.erase(k, 1);
  if (is_word_or_macro(name)) name += "_";
  return name;
}

algebra::OperationCount operations_of(const algebra::Function& function) {
  return count_operations(make_tape(function));
}

}  // namespace tactus::generate

// Reproducing a paper: each case computes what the paper printed and says how the two compare.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::study {

enum class Verdict {
  reproduced,        // numbers that are printed come out, all of them, within their rounding
  corrected,         // what is printed is wrong, which the case computes, and comes out once it is mended
  closed_form,       // no number is printed: against a closed form, a printed formula or a second computation
  not_reproducible,  // the paper does not say enough, or contradicts itself: the note says how
  failed,            // ours to explain: a regression
};
/// "reproduced", "corrected", "closed-form", "not-reproducible", "failed".
std::string_view name_of(Verdict verdict);

/// A verdict, and with what the results were compared: for a verdict of not-reproducible, what was required instead.
struct Judgement {
  Verdict verdict = Verdict::failed;
  std::string compared{};
};

struct Result {
  std::string published;  // one line: what the paper says
  std::string here;       // one line: what came out
  Judgement judgement{};
  std::string note;                // the misprint, the reason, the tolerance
  std::vector<std::string> files;  // written: CSV, SVG
  std::string table{};             // to be printed as it is
};

/// Where a case finds its models and leaves its files.
struct Context {
  std::filesystem::path models;
  std::filesystem::path out;
  bool full = false;  // all that a long case has, however long it takes; otherwise a minute's worth of it
  std::function<void(const std::string&)> progress{};  // told what a long case is at; may be empty
};

struct Case {
  std::string id;     // "table-v"
  std::string title;  // "M, C, K at rest"
  std::function<Result(const Context&)> run;
};

struct Study {
  std::string name;   // "clover1996"
  std::string paper;  // author, title, year
  std::vector<Case> cases;
};

/// A case run: its result, or a failure whose note is the exception's message. Never throws.
Result run(const Case& one, const Context& context);

/// The folder of the models: TACTUS_MODELS if set, otherwise ./models, those beside the program's source or
/// in its install tree (share/tactus/models), the first that exists. Throws InputError where none does.
std::filesystem::path find_models();

}  // namespace tactus::study

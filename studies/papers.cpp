#include <studies/papers.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <tactus/base/error.h>

namespace tactus::studies {

/// studies/papers.yaml; cmake makes it a part of the program.
extern const char* const kPapersText;

namespace {

constexpr std::array<const char*, 11> kKinds{"table",    "figure",  "algorithm", "equation",
                                             "appendix", "example", "theorem",   "proposition",
                                             "remark",   "lemma",   "claim"};

std::string roman(int n) {
  constexpr std::array<std::pair<int, const char*>, 5> kSigns{
      {{10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}}};
  std::string text;
  for (const auto& [value, sign] : kSigns)
    for (; n >= value; n -= value) text += sign;
  return text;
}

enum class Numerals { arabic, roman, letters, none };

std::string numeral(int n, Numerals numerals) {
  switch (numerals) {
    case Numerals::roman:
      return roman(n);
    case Numerals::letters:
      return std::string(1, static_cast<char>('A' + n - 1));
    default:
      return std::to_string(n);
  }
}

std::string label_of(const std::string& kind, int first, int last, Numerals numerals) {
  if (kind == "equation")
    return last > first ? fmt::format("({})-({})", first, last) : fmt::format("({})", first);
  std::string name = kind;
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  if (numerals == Numerals::none) return name;
  return last > first ? fmt::format("{} {}-{}", name, numeral(first, numerals), numeral(last, numerals))
                      : fmt::format("{} {}", name, numeral(first, numerals));
}

[[noreturn]] void refuse(const YAML::Node& node, const std::string& what) {
  throw InputError({"studies/papers.yaml", node.Mark().line + 1, node.Mark().column + 1}, what,
                   "the head of the file says what an item has");
}

std::vector<std::string> strings(const YAML::Node& node) {
  std::vector<std::string> all;
  for (const YAML::Node& one : node) all.push_back(one.as<std::string>());
  return all;
}

bool has(const YAML::Node& list, const std::string& word) {
  const std::vector<std::string> all = strings(list);
  return std::find(all.begin(), all.end(), word) != all.end();
}

PaperItem item_of(const YAML::Node& node, const YAML::Node& part) {
  PaperItem item;
  for (const char* kind : kKinds) {
    if (!node[kind]) continue;
    if (!item.kind.empty()) refuse(node, "an item of two kinds");
    item.kind = kind;
    const std::string numbers = node[kind].as<std::string>();
    const std::size_t dash = numbers.find('-');
    item.first = std::stoi(numbers);
    item.last = dash == std::string::npos ? item.first : std::stoi(numbers.substr(dash + 1));
  }
  if (item.kind.empty()) refuse(node, "an item without a kind");
  if (item.first < 1 || item.last < item.first) refuse(node, "numbers that do not rise from 1");
  const Numerals numerals = has(part["roman"], item.kind)        ? Numerals::roman
                            : has(part["letters"], item.kind)    ? Numerals::letters
                            : has(part["unnumbered"], item.kind) ? Numerals::none
                                                                 : Numerals::arabic;
  item.label = label_of(item.kind, item.first, item.last, numerals);
  item.what = node["what"].as<std::string>();
  item.cases = strings(node["cases"]);
  item.tests = strings(node["tests"]);
  if (node["misprint"]) item.misprint = node["misprint"].as<std::string>();
  if (node["verdict"]) item.verdict = node["verdict"].as<std::string>();
  if (node["not yet"]) item.issue = node["not yet"].as<int>();
  if (node["none"]) item.reason = node["none"].as<std::string>();
  const int said = (item.verdict.empty() ? 0 : 1) + (item.issue > 0 ? 1 : 0) + (item.reason.empty() ? 0 : 1);
  if (said != 1) refuse(node, item.label + " needs one of verdict, not yet, none");
  if (item.verdict.empty() != (item.cases.empty() && item.tests.empty()))
    refuse(node, item.label + " needs a verdict where cases or tests evaluate it, and only there");
  if ((item.verdict == "corrected") == item.misprint.empty())
    refuse(node, item.label + " needs the misprint where it is corrected, and only there");
  const std::vector<std::string>& statuses = paper_statuses();
  if (std::find(statuses.begin(), statuses.end(), item.status()) == statuses.end())
    refuse(node, item.label + " has no such verdict: " + item.verdict);
  return item;
}

}  // namespace

std::string PaperItem::status() const { return !verdict.empty() ? verdict : issue > 0 ? "not yet" : "none"; }

const std::vector<std::string>& paper_statuses() {
  static const std::vector<std::string> kAll{"reproduced",       "corrected", "closed-form",
                                             "not-reproducible", "not yet",   "none"};
  return kAll;
}

int count_of(const PaperPart& part, const std::string& status) {
  int count = 0;
  for (const PaperItem& item : part.items) count += item.status() == status ? item.count() : 0;
  return count;
}

std::vector<PaperPart> papers() {
  std::vector<PaperPart> all;
  const YAML::Node list = YAML::Load(kPapersText);
  for (const YAML::Node& paper : list["papers"])
    for (const YAML::Node& part : paper["parts"]) {
      all.push_back(
          {paper["study"].as<std::string>(), part["part"] ? part["part"].as<std::string>() : "", {}});
      for (const YAML::Node& node : part["items"]) all.back().items.push_back(item_of(node, part));
    }
  return all;
}

}  // namespace tactus::studies

// tactus study, as a user calls it: the list, whole studies, single cases, mistakes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include <nlohmann/json.hpp>

#include <studies/compare.h>

#include "program.h"

namespace tactus::apps::test {
namespace {

nlohmann::json run_study(const std::string& arguments, const Folder& folder) {
  const Outcome outcome = tactus("study " + arguments + " --json --out '" + folder.path("out") + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(Study, ListsStudiesAndCases) {
  const Outcome outcome = tactus("study");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"clover1996", "gillespie2003", "aghili2005", "faulring2006", "fig-4-gravity"})
    EXPECT_NE(outcome.out.find(name), std::string::npos) << name;
}

TEST(Study, TheListIsJsonWhereThatIsAskedFor) {
  const Outcome outcome = tactus("study --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json report = nlohmann::json::parse(outcome.out);
  std::set<std::string> names;
  for (const nlohmann::json& one : report["studies"]) {
    names.insert(one["study"]);
    EXPECT_FALSE(one["paper"].get<std::string>().empty());
    EXPECT_GE(one["cases"].size(), 4u) << one;
    for (const nlohmann::json& c : one["cases"]) EXPECT_FALSE(c["id"].get<std::string>().empty()) << c;
  }
  EXPECT_EQ(names, (std::set<std::string>{"clover1996", "gillespie2003", "aghili2005", "constantinescu2005",
                                          "faulring2006", "iftomm-a02"}));
}

/// The cells of a row of a table in a page: "| `clover1996` | 19 | 13 |" -> 19, 13.
std::vector<int> cells_of(const std::string& page, const std::string& row) {
  const std::size_t at = page.find("\n| " + row + " |");
  EXPECT_NE(at, std::string::npos) << row;
  std::vector<int> cells;
  if (at == std::string::npos) return cells;
  const std::string line = page.substr(at + 1, page.find('\n', at + 1) - at - 1);
  static const std::regex kNumber(R"(\| *([0-9]+) *(?=\|))");
  for (std::sregex_iterator it(line.begin(), line.end(), kNumber), end; it != end; ++it)
    cells.push_back(std::stoi((*it)[1]));
  return cells;
}

std::string page() { return content_of(tactus::support::source_dir() + "/docs/studies.md"); }

std::string name_of_part(const nlohmann::json& part) {
  const std::string chapter = part["part"];
  return "`" + part["study"].get<std::string>() + "`" + (chapter.empty() ? "" : " " + chapter);
}

nlohmann::json listed_papers() {
  const Outcome outcome = tactus("study --papers --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out)["papers"];
}

/// The numbers that a text names: "(27)-(29)" and "(39)".
std::set<int> equations_in(const std::string& text) {
  static const std::regex kNumbers(R"(\((\d+)\)(?:-\((\d+)\))?)");
  std::set<int> named;
  for (std::sregex_iterator it(text.begin(), text.end(), kNumbers), end; it != end; ++it) {
    const int first = std::stoi((*it)[1].str());
    const int last = (*it)[2].matched ? std::stoi((*it)[2].str()) : first;
    for (int k = first; k <= last; ++k) named.insert(k);
  }
  return named;
}

const char* const kPapers[] = {"clover1996", "gillespie2003", "aghili2005", "constantinescu2005",
                               "faulring2006"};

/// The number of an ordinal, "7" or "VII".
int number_in(const std::string& text) {
  if (text.find_first_not_of("0123456789") == std::string::npos) return std::stoi(text);
  const std::map<char, int> digits{{'I', 1}, {'V', 5}, {'X', 10}};
  int sum = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const int digit = digits.at(text[k]);
    sum += k + 1 < text.size() && digits.at(text[k + 1]) > digit ? -digit : digit;
  }
  return sum;
}

/// That a paper prints the figures and tables that are said to be in it.
void expect_printed(const std::string& study, const std::string& words) {
  const std::map<std::string, std::pair<int, int>> last{{"clover1996", {21, 8}},
                                                        {"gillespie2003", {4, 3}},
                                                        {"aghili2005", {8, 2}},
                                                        {"constantinescu2005", {14, 1}},
                                                        {"faulring2006", {12, 0}}};
  static const std::regex kNamed(R"((Fig(?:ures?|s?\.)|Tables?) ([0-9]+|[IVX]+)\b)");
  for (std::sregex_iterator it(words.begin(), words.end(), kNamed), end; it != end; ++it) {
    const auto [figures, tables] = last.at(study);
    EXPECT_LE(number_in((*it)[2]), (*it)[1].str()[0] == 'F' ? figures : tables)
        << study << " has no " << it->str() << ": " << words;
  }
}

// Runs every case of the papers. No case fails, every verdict says what it compared, the page counts them as they are, and the list of
// what the papers print gives each item a verdict that one of its cases has.
TEST(Study, NoCaseFailsAndEveryVerdictSaysWhatItCompared) {
  const std::vector<std::string> verdicts{"reproduced", "corrected", "closed-form", "not-reproducible"};
  const std::string docs = page();
  std::map<std::string, std::string> verdict_of, words_of;  // "study case"
  for (const char* name : kPapers) {
    const Folder folder;
    const nlohmann::json report = run_study(name, folder);
    EXPECT_EQ(report["study"], name);
    EXPECT_GE(report["cases"].size(), 5u);
    std::size_t files = 0;
    std::map<std::string, int> counts;
    for (const nlohmann::json& one : report["cases"]) {
      const std::string id = one["id"], verdict = one["verdict"], compared = one["compared"];
      EXPECT_FALSE(id.empty());
      EXPECT_FALSE(one["published"].get<std::string>().empty()) << one;
      EXPECT_FALSE(one["here"].get<std::string>().empty()) << one;
      EXPECT_NE(std::find(verdicts.begin(), verdicts.end(), verdict), verdicts.end()) << one;
      EXPECT_FALSE(compared.empty()) << one;
      // What is reproduced was compared with numbers that are printed, and nothing else is called so.
      static const std::regex kPrinted("[1-9][0-9]* printed numbers");
      EXPECT_TRUE(verdict != "reproduced" || std::regex_match(compared, kPrinted)) << one;
      // Where a number with decimals is printed, it is compared: no number is, where closed forms are all that there is.
      static const std::regex kDecimals("[0-9][.][0-9]");
      EXPECT_FALSE(verdict == "closed-form" &&
                   std::regex_search(one["published"].get<std::string>(), kDecimals))
          << one;
      expect_printed(name, one.dump());
      words_of[std::string(name) + " " + id] =
          one["published"].get<std::string>() + " " + compared + " " + one["note"].get<std::string>();
      // What deviates says why.
      EXPECT_TRUE(verdict == "reproduced" || !one["note"].get<std::string>().empty()) << one;
      EXPECT_TRUE(verdict_of.emplace(std::string(name) + " " + id, verdict).second) << "twice: " << id;
      ++counts[verdict];
      for (const nlohmann::json& file : one["files"]) {
        EXPECT_GT(content_of(folder.path("out/" + file.get<std::string>())).size(), 1000u) << file;
        ++files;
      }
    }
    EXPECT_GE(files, 2u) << name;
    std::vector<int> expected{static_cast<int>(report["cases"].size())};
    for (const std::string& verdict : verdicts) expected.push_back(counts[verdict]);
    EXPECT_EQ(cells_of(docs, "`" + std::string(name) + "`"), expected) << "docs/studies.md: " << name;
  }
  for (const nlohmann::json& part : listed_papers())
    for (const nlohmann::json& item : part["items"]) {
      if (item["cases"].empty()) continue;
      std::set<std::string> found;
      for (const nlohmann::json& one : item["cases"])
        found.insert(verdict_of[part["study"].get<std::string>() + " " + one.get<std::string>()]);
      const std::string status = item["status"];
      // A case that mends one equation evaluates others as printed: these are closed-form, and never corrected.
      if (status == "closed-form")
        EXPECT_EQ(found.count("closed-form") + found.count("corrected") > 0, true) << part["study"] << item;
      else
        EXPECT_EQ(found.count(status), 1u) << part["study"] << " " << item;
      EXPECT_TRUE(status != "not-reproducible" || found.count("reproduced") == 0) << part["study"] << item;
      if (status != "corrected" || item["kind"] != "equation") continue;
      // A case that corrects says so of this equation, by its number.
      std::set<int> named;
      for (const nlohmann::json& one : item["cases"]) {
        const std::string key = part["study"].get<std::string>() + " " + one.get<std::string>();
        if (verdict_of[key] == "corrected") named.merge(equations_in(words_of[key]));
      }
      for (int k = item["first"]; k <= item["last"].get<int>(); ++k)
        EXPECT_EQ(named.count(k), 1u) << "(" << k << ") of " << part["study"] << " " << item;
    }
}

// Equations that are wrong in print, found by recomputing the papers before any of this was written. What is known to be misprinted is never said to
// have been found right.
TEST(Papers, EveryKnownMisprintIsCorrected) {
  const std::map<std::string, std::set<int>> errata{
      {"`faulring2006`", {27, 28, 29, 31, 32, 41, 44}},
      {"`constantinescu2005`", {5, 11, 13, 16, 18, 23, 28, 29, 30, 31}},
      {"`gillespie2003`", {67}},
      {"`aghili2005`", {10, 16, 23, 37, 38, 49, 51, 52, 68, 69, 71, 72, 75, 79}},
      {"`clover1996` II", {4, 15, 17, 32, 36}},
      {"`clover1996` III", {12, 21, 24, 25, 26}},
      {"`clover1996` IV", {8, 9, 12, 15, 17, 24, 25, 40, 41, 42, 44, 46}}};
  std::size_t parts = 0;
  for (const nlohmann::json& part : listed_papers()) {
    const auto known = errata.find(name_of_part(part));
    ASSERT_NE(known, errata.end()) << name_of_part(part);
    ++parts;
    std::set<int> corrected;
    for (const nlohmann::json& item : part["items"])
      if (item["kind"] == "equation" && item["status"] == "corrected")
        for (int k = item["first"]; k <= item["last"].get<int>(); ++k) corrected.insert(k);
    for (const int k : known->second)
      EXPECT_EQ(corrected.count(k), 1u) << "(" << k << ") of " << name_of_part(part) << " is misprinted";
  }
  EXPECT_EQ(parts, errata.size());
}

TEST(Papers, EveryItemIsListedOnceAndEveryCaseIsNamed) {
  std::map<std::string, std::set<std::string>> cases, named;
  const nlohmann::json list = nlohmann::json::parse(tactus("study --json").out);
  for (const nlohmann::json& study : list["studies"])
    for (const nlohmann::json& one : study["cases"]) {
      cases[study["study"]].insert(one["id"]);
      if (study["study"] != "iftomm-a02") expect_printed(study["study"], one.dump());
    }
  std::map<std::string, std::map<std::string, int>> last;  // part -> kind -> the last number
  std::set<std::string> studies;
  for (const nlohmann::json& part : listed_papers()) {
    studies.insert(part["study"]);
    std::map<std::string, int> reached;
    for (const nlohmann::json& item : part["items"]) {
      // Numbers go on where the item before of the same kind ended: none is missing, none is twice.
      int& before = reached[item["kind"]];
      EXPECT_EQ(item["first"], before + 1) << part["study"] << " " << item["label"];
      EXPECT_GE(item["last"], item["first"]) << item;
      before = item["last"];
      EXPECT_FALSE(item["what"].get<std::string>().empty()) << item;
      for (const nlohmann::json& one : item["cases"]) {
        named[part["study"]].insert(one);
        EXPECT_EQ(cases[part["study"]].count(one), 1u) << "no such case: " << part["study"] << " " << one;
      }
      EXPECT_TRUE(item["status"] != "reproduced" || !item["cases"].empty()) << item;
      EXPECT_TRUE(!item["cases"].empty() || item["tests"].empty() || item["status"] == "closed-form") << item;
    }
    last[name_of_part(part)] = reached;
  }
  EXPECT_EQ(studies, std::set<std::string>(std::begin(kPapers), std::end(kPapers)));
  for (const std::string& study : studies) EXPECT_EQ(named[study], cases[study]) << study;

  // The last numbers that the papers print.
  using Numbers = std::map<std::string, int>;
  const auto without_claims = [](Numbers numbers) {
    numbers.erase("claim");
    return numbers;
  };
  EXPECT_EQ(without_claims(last["`faulring2006`"]),
            (Numbers{{"equation", 46}, {"figure", 12}, {"algorithm", 1}, {"appendix", 2}}));
  EXPECT_EQ(without_claims(last["`constantinescu2005`"]),
            (Numbers{{"equation", 31}, {"figure", 14}, {"table", 1}, {"appendix", 1}}));
  EXPECT_EQ(without_claims(last["`gillespie2003`"]),
            (Numbers{{"equation", 67}, {"figure", 4}, {"table", 3}, {"example", 3}}));
  EXPECT_EQ(without_claims(last["`aghili2005`"]), (Numbers{{"equation", 80},
                                                           {"figure", 8},
                                                           {"table", 2},
                                                           {"theorem", 4},
                                                           {"proposition", 3},
                                                           {"remark", 5},
                                                           {"lemma", 1},
                                                           {"appendix", 5}}));
  EXPECT_EQ(without_claims(last["`clover1996` II"]),
            (Numbers{{"equation", 41}, {"figure", 7}, {"table", 8}, {"appendix", 2}}));
  EXPECT_EQ(without_claims(last["`clover1996` III"]),
            (Numbers{{"equation", 33}, {"figure", 10}, {"table", 2}, {"appendix", 1}}));
  EXPECT_EQ(without_claims(last["`clover1996` IV"]),
            (Numbers{{"equation", 48}, {"figure", 21}, {"table", 2}, {"appendix", 1}}));
}

// "(27)-(29)" and "(39)": every number of a corrected equation stands in what is said of the misprint.
TEST(Papers, WhatIsCorrectedSaysWhatIsMisprintedEquationByEquation) {
  int corrected = 0;
  for (const nlohmann::json& part : listed_papers())
    for (const nlohmann::json& item : part["items"]) {
      EXPECT_EQ(item.contains("misprint"), item["status"] == "corrected") << item;
      if (!item.contains("misprint")) continue;
      ++corrected;
      const std::string misprint = item["misprint"];
      EXPECT_GT(misprint.size(), 15u) << item;
      if (item["kind"] != "equation") continue;
      const std::set<int> named = equations_in(misprint);
      for (int k = item["first"]; k <= item["last"].get<int>(); ++k)
        EXPECT_EQ(named.count(k), 1u) << "(" << k << ") of " << part["study"] << " " << item;
    }
  EXPECT_GT(corrected, 20);
}

TEST(Papers, TestsThatAreNamedExist) {
  std::set<std::string> tests;
  static const std::regex kTest(R"(TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(tactus::support::source_dir() + "/tests")) {
    if (file.path().extension() != ".cpp") continue;
    const std::string text = content_of(file.path());
    for (std::sregex_iterator it(text.begin(), text.end(), kTest), end; it != end; ++it)
      tests.insert((*it)[1].str() + "." + (*it)[2].str());
  }
  for (const nlohmann::json& part : listed_papers())
    for (const nlohmann::json& item : part["items"])
      for (const nlohmann::json& one : item["tests"])
        EXPECT_EQ(tests.count(one), 1u) << "no such test: " << one << " of " << item["label"];
}

TEST(Papers, AreCountedInTheProgramAsOnThePage) {
  const std::string docs = page();
  for (const nlohmann::json& part : listed_papers()) {
    std::map<std::string, int> sums;
    for (const nlohmann::json& item : part["items"])
      sums[item["status"]] += item["last"].get<int>() - item["first"].get<int>() + 1;
    std::vector<int> counted;
    for (const char* status :
         {"reproduced", "corrected", "closed-form", "not-reproducible", "not yet", "none"}) {
      EXPECT_EQ(part["counts"][status], sums[status]) << part["study"] << " " << status;
      counted.push_back(part["counts"][status]);
    }
    EXPECT_EQ(part["counts"].size(), counted.size());
    EXPECT_EQ(cells_of(docs, "items of " + name_of_part(part)), counted) << name_of_part(part);
  }
  const Outcome text = tactus("study --papers aghili2005");
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* words : {"Table II", "figure-8", "photograph", "(68)-(69)", "together"})
    EXPECT_NE(text.out.find(words), std::string::npos) << words;
  EXPECT_EQ(text.out.find("Algorithm 1"), std::string::npos) << "that is another paper's";
  EXPECT_EQ(tactus("study --papers aghili2006").code, 2);
}

// The coefficients themselves are judged: an arm with a heavier link has as many of them.
TEST(Study, AppendixAFailsForAnotherRobot) {
  const Folder folder;
  std::filesystem::copy(tactus::support::source_dir() + "/models", folder.path("models"),
                        std::filesystem::copy_options::recursive);
  std::string puma = content_of(folder.path("models/puma560.yaml"));
  static const std::regex kMass(R"((mass|m3): *4\.80?\b)");
  const std::string heavier = std::regex_replace(puma, kMass, "$1: 6");
  ASSERT_NE(heavier, puma) << "link 3 has 4.8 kg";
  folder.file("models/puma560.yaml", heavier);
  ::setenv("TACTUS_MODELS", folder.path("models").c_str(), 1);
  const Outcome outcome = tactus("study clover1996 appendix-a --json --out '" + folder.path("out") + "'");
  ::unsetenv("TACTUS_MODELS");
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["cases"][0]["verdict"], "failed") << outcome.out;
}

TEST(Study, DrawsFaulringsFiguresAndTheEnergy) {
  const Folder folder;
  run_study("faulring2006", folder);
  for (const char* name : {"figure-8", "figure-9", "figure-10", "figure-11", "figure-12", "energy"}) {
    const std::string file = folder.path(std::string("out/faulring2006-") + name);
    EXPECT_NE(content_of(file + ".svg").find("</svg>"), std::string::npos) << name;
    EXPECT_GT(content_of(file + ".csv").size(), 1000u) << name;
  }
}

TEST(Study, OneLoopConvergesByEveryIntegratorAndFormulation) {
  const Folder folder;
  const nlohmann::json report = run_study("iftomm-a02 loops-1", folder);
  ASSERT_EQ(report["cases"].size(), 1u);
  EXPECT_EQ(report["cases"][0]["verdict"], "closed-form") << report;
  const std::string table = report["cases"][0]["table"];
  for (const char* integrator : {"euler", "rk4", "implicit", "adaptive", "stiff", "passive"})
    EXPECT_NE(table.find(std::string("1 loop, ") + integrator), std::string::npos) << integrator;
  EXPECT_EQ(table.find("stops"), std::string::npos) << table;
}

TEST(Study, ACaseIsNamedByItsPlaceOrByAnOptionAndAMistakeNamesThemAll) {
  const Folder folder;
  const nlohmann::json by_option = run_study("clover1996 --case table-v", folder);
  ASSERT_EQ(by_option["cases"].size(), 1u);
  EXPECT_EQ(by_option["cases"][0]["id"], "table-v");
  const Outcome outcome = tactus("study clover1996 table-6 --out '" + folder.path("out") + "'");
  EXPECT_EQ(outcome.code, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("its cases are: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("table-v"), std::string::npos) << outcome.err;
}

int times(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// What a figure's CSV file is read by: a name with a comma in it would be two columns.
TEST(Study, EveryFileHasAsManyColumnsAsNamesAndEveryBorderIsJudged) {
  const Folder folder;
  for (const char* study : {"faulring2006", "constantinescu2005", "gillespie2003"}) {
    const nlohmann::json report = run_study(study, folder);
    for (const nlohmann::json& one : report["cases"]) {
      // Borders are what they are only where the lines of their tables are judged.
      if (one["id"] == "stability") {
        const std::string table = one["table"];
        EXPECT_GE(times(table, "  holds "), 5) << table;
        EXPECT_EQ(times(table, "  FAILS "), 0) << table;
      }
      for (const std::string file : one["files"]) {
        if (!file.ends_with(".csv")) continue;
        const std::string text = content_of(folder.path("out/" + file));
        const auto columns = [&](std::size_t from) {
          return std::count(text.begin() + static_cast<std::ptrdiff_t>(from),
                            text.begin() + static_cast<std::ptrdiff_t>(text.find('\n', from)), ',');
        };
        const std::size_t second = text.find('\n') + 1;
        ASSERT_LT(second, text.size()) << file;
        EXPECT_EQ(columns(0), columns(second)) << file;
      }
    }
  }
}

// std::max and std::min drop what is not a number where it comes second, and a bound would hold of the rest.
TEST(Study, MeasuresKeepWhatIsNotANumber) {
  const double nan = std::nan("");
  EXPECT_EQ(studies::larger(1.0, 2.0), 2.0);
  EXPECT_EQ(studies::larger(2.0, 1.0), 2.0);
  EXPECT_EQ(studies::smaller(1.0, 2.0), 1.0);
  EXPECT_EQ(studies::smaller(2.0, 1.0), 1.0);
  for (const double number : {-1.0, 0.0, 1.0}) {
    EXPECT_TRUE(std::isnan(studies::larger(number, nan)) && std::isnan(studies::larger(nan, number)));
    EXPECT_TRUE(std::isnan(studies::smaller(number, nan)) && std::isnan(studies::smaller(nan, number)));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> all{1.0, 3.0, 2.0};
    EXPECT_EQ(studies::largest(all), 3.0);
    all[k] = nan;
    EXPECT_TRUE(std::isnan(studies::largest(all))) << k;
  }
}

TEST(Study, OneCaseAlone) {
  const Folder folder;
  const nlohmann::json report = run_study("clover1996 table-v", folder);
  ASSERT_EQ(report["cases"].size(), 1u);
  EXPECT_EQ(report["cases"][0]["id"], "table-v");
  EXPECT_EQ(report["cases"][0]["verdict"], "reproduced");

  const Outcome text = tactus("study gillespie2003 example-3-stuck --out '" + folder.path("out") + "'");
  EXPECT_EQ(text.code, 0);
  for (const char* part : {"published  (67): u1' = 0.9912", "here       u1' = 0.5192555393",
                           "verdict    corrected", "compared   (67)", "(67) has a sign wrong"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
}

TEST(Study, AFileInTheFoldersPlaceIsRefusedWithWords) {
  const Folder folder;
  const std::string file = folder.file("taken", "keep me\n");
  const Outcome outcome = tactus("study aghili2005 v-d --out '" + file + "'");
  EXPECT_EQ(outcome.code, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("taken"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("a file, not a folder"), std::string::npos) << outcome.err;
  EXPECT_EQ(content_of(file), "keep me\n");
}

TEST(Study, UnknownNamesEndWithCodeTwoAndSayWhatThereIs) {
  const Outcome study = tactus("study clover1997");
  EXPECT_EQ(study.code, 2);
  EXPECT_NE(study.err.find("clover1996"), std::string::npos) << study.err;
  const Folder folder;
  const Outcome one = tactus("study aghili2005 fig-5 --out '" + folder.path("out") + "'");
  EXPECT_EQ(one.code, 2);
  EXPECT_NE(one.err.find("no case `fig-5`"), std::string::npos) << one.err;
}

}  // namespace
}  // namespace tactus::apps::test

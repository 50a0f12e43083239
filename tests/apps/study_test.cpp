// tactus study, as a user calls it: the list, whole studies, single cases, mistakes.
#include <gtest/gtest.h>

#include <set>

#include <nlohmann/json.hpp>

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

TEST(Study, NoCaseFailsAndPlotsAreWritten) {
  const std::set<std::string> verdicts{"reproduced", "corrected", "not-reproducible"};
  for (const char* name : {"gillespie2003", "aghili2005", "constantinescu2005", "faulring2006"}) {
    const Folder folder;
    const nlohmann::json report = run_study(name, folder);
    EXPECT_EQ(report["study"], name);
    EXPECT_GE(report["cases"].size(), 5u);
    std::size_t files = 0;
    for (const nlohmann::json& one : report["cases"]) {
      EXPECT_FALSE(one["id"].get<std::string>().empty());
      EXPECT_FALSE(one["published"].get<std::string>().empty()) << one;
      EXPECT_FALSE(one["here"].get<std::string>().empty()) << one;
      EXPECT_EQ(verdicts.count(one["verdict"].get<std::string>()), 1u) << one;
      // What deviates says why.
      EXPECT_TRUE(one["verdict"] == "reproduced" || !one["note"].get<std::string>().empty()) << one;
      for (const nlohmann::json& file : one["files"]) {
        EXPECT_GT(content_of(folder.path("out/" + file.get<std::string>())).size(), 1000u) << file;
        ++files;
      }
    }
    EXPECT_GE(files, 2u) << name;
  }
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
  EXPECT_EQ(report["cases"][0]["verdict"], "reproduced") << report;
  const std::string table = report["cases"][0]["table"];
  for (const char* integrator : {"euler", "rk4", "implicit", "adaptive", "stiff", "passive"})
    EXPECT_NE(table.find(std::string("1 loop, ") + integrator), std::string::npos) << integrator;
  EXPECT_EQ(table.find("stops"), std::string::npos) << table;
}

TEST(Study, OneCaseAlone) {
  const Folder folder;
  const nlohmann::json report = run_study("clover1996 table-v", folder);
  ASSERT_EQ(report["cases"].size(), 1u);
  EXPECT_EQ(report["cases"][0]["id"], "table-v");
  EXPECT_EQ(report["cases"][0]["verdict"], "reproduced");

  const Outcome text = tactus("study gillespie2003 example-3-stuck --out '" + folder.path("out") + "'");
  EXPECT_EQ(text.code, 0);
  for (const char* part : {"published", "here", "verdict    corrected", "(67) has a sign wrong"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
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

// tactus study NAME [CASE]: what a paper printed, what comes out here, and the verdict.
#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <studies/studies.h>
#include <tactus/base/error.h>

#include "verbs.h"

namespace tactus::apps {

namespace {

struct StudyOptions {
  std::string name, one;
  std::string out = "out";
  bool json = false, full = false;
};

std::string names_of(const std::vector<study::Study>& all) {
  std::string names;
  for (const study::Study& s : all) names += (names.empty() ? "" : ", ") + s.name;
  return names;
}

void list(const std::vector<study::Study>& all) {
  for (const study::Study& s : all) {
    fmt::print("{}  {}\n", s.name, s.paper);
    for (const study::Case& c : s.cases) fmt::print("  {:<28} {}\n", c.id, c.title);
  }
}

/// Runs the cases asked for; the number that failed.
int run_study(const StudyOptions& options, const study::Study& study) {
  study::Context context{study::find_models(), options.out, options.full};
  std::error_code error;
  std::filesystem::create_directories(context.out, error);
  if (error)
    throw InputError({options.out}, "the folder cannot be made: " + error.message(),
                     "--out names a folder for CSV files and plots");
  // One line that is written over on a terminal; elsewhere lines of a full run alone, which takes long.
  const bool terminal = isatty(fileno(stderr)) != 0, live = !options.json && terminal;
  if (live)
    context.progress = [](const std::string& at) { fmt::print(stderr, "\r{} ...\x1b[K", at); };
  else if (options.full && !terminal)
    context.progress = [](const std::string& at) { fmt::print(stderr, "{}\n", at); };
  nlohmann::ordered_json report{{"study", study.name}, {"cases", nlohmann::ordered_json::array()}};
  int failed = 0, found = 0;
  if (!options.json) fmt::print("{}\n\n", study.paper);
  for (const study::Case& one : study.cases) {
    if (!options.one.empty() && one.id != options.one) continue;
    ++found;
    if (context.progress) context.progress(one.id);
    const study::Result result = study::run(one, context);
    if (live) fmt::print(stderr, "\r\x1b[K");
    failed += result.verdict == study::Verdict::failed ? 1 : 0;
    const std::string verdict(study::name_of(result.verdict));
    if (options.json) {
      report["cases"].push_back({{"id", one.id},
                                 {"title", one.title},
                                 {"published", result.published},
                                 {"here", result.here},
                                 {"verdict", verdict},
                                 {"note", result.note},
                                 {"files", result.files}});
      if (!result.table.empty()) report["cases"].back()["table"] = result.table;
    } else {
      fmt::print("{}: {}\n  published  {}\n  here       {}\n  verdict    {}\n", one.id, one.title,
                 result.published, result.here, verdict);
      if (!result.note.empty()) fmt::print("             {}\n", result.note);
      for (const std::string& file : result.files)
        fmt::print("  wrote      {}\n", (context.out / file).string());
      if (!result.table.empty()) fmt::print("\n{}", result.table);
      fmt::print("\n");
    }
  }
  if (found == 0) {
    throw InputError({}, "the study `" + study.name + "` has no case `" + options.one + "`",
                     "tactus study lists all cases");
  }
  if (options.json) fmt::print("{}\n", report.dump(2));
  return failed;
}

}  // namespace

void add_study(CLI::App& program) {
  const auto options = std::make_shared<StudyOptions>();
  CLI::App* verb =
      program.add_subcommand("study", "Reproduce a paper's tables and figures: published, here, verdict");
  verb->add_option("NAME", options->name, "the study; without it all are listed");
  verb->add_option("CASE", options->one, "one case; without it all are run");
  verb->add_option("--out", options->out, "folder for CSV files and plots")->capture_default_str();
  verb->add_flag("--full", options->full, "all that long cases have: hours for iftomm-a02");
  verb->add_flag("--json", options->json, "print JSON");
  verb->callback([options] {
    const std::vector<study::Study> all = studies::all();
    if (options->name.empty()) return list(all);
    for (const study::Study& s : all) {
      if (s.name != options->name) continue;
      if (const int failed = run_study(*options, s)) throw Failed(fmt::format("{} case(s) failed", failed));
      return;
    }
    throw InputError({}, "there is no study `" + options->name + "`", "the studies are: " + names_of(all));
  });
}

}  // namespace tactus::apps

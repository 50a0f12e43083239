// tactus study NAME [CASE]: what a paper printed, what comes out here, and the verdict.
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <studies/papers.h>
#include <studies/studies.h>
#include <tactus/base/error.h>

#include "verbs.h"

namespace tactus::apps {

namespace {

struct StudyOptions {
  std::string name, one;
  std::string out = "out";
  bool json = false, full = false, papers = false;
};

std::string names_of(const std::vector<study::Study>& all) {
  std::string names;
  for (const study::Study& s : all) names += (names.empty() ? "" : ", ") + s.name;
  return names;
}

std::string cases_of(const study::Study& study) {
  std::string names;
  for (const study::Case& one : study.cases) names += (names.empty() ? "" : ", ") + one.id;
  return names;
}

void list(const std::vector<study::Study>& all) {
  for (const study::Study& s : all) {
    fmt::print("{}  {}\n", s.name, s.paper);
    for (const study::Case& c : s.cases) fmt::print("  {:<28} {}\n", c.id, c.title);
  }
}

nlohmann::ordered_json as_json(const std::vector<study::Study>& all) {
  nlohmann::ordered_json report{{"studies", nlohmann::ordered_json::array()}};
  for (const study::Study& s : all) {
    nlohmann::ordered_json cases = nlohmann::ordered_json::array();
    for (const study::Case& c : s.cases) cases.push_back({{"id", c.id}, {"title", c.title}});
    report["studies"].push_back({{"study", s.name}, {"paper", s.paper}, {"cases", std::move(cases)}});
  }
  return report;
}

/// Of the list of what the papers print: those of one study, or all.
std::vector<studies::PaperPart> listed(const std::string& name, const std::vector<study::Study>& all) {
  std::vector<studies::PaperPart> parts = studies::papers();
  if (name.empty()) return parts;
  std::erase_if(parts, [&](const studies::PaperPart& part) { return part.study != name; });
  if (parts.empty())
    throw InputError({}, "there is no paper `" + name + "` in the list", "the studies are: " + names_of(all));
  return parts;
}

void print_papers_json(const std::vector<studies::PaperPart>& parts) {
  nlohmann::ordered_json report{{"papers", nlohmann::ordered_json::array()}};
  for (const studies::PaperPart& part : parts) {
    nlohmann::ordered_json items = nlohmann::ordered_json::array(), counts;
    for (const studies::PaperItem& item : part.items) {
      items.push_back({{"kind", item.kind},
                       {"first", item.first},
                       {"last", item.last},
                       {"label", item.label},
                       {"what", item.what},
                       {"status", item.status()},
                       {"cases", item.cases},
                       {"tests", item.tests}});
      if (item.issue > 0) items.back()["issue"] = item.issue;
      if (!item.reason.empty()) items.back()["reason"] = item.reason;
      if (!item.misprint.empty()) items.back()["misprint"] = item.misprint;
    }
    for (const std::string& status : studies::paper_statuses()) counts[status] = count_of(part, status);
    report["papers"].push_back({{"study", part.study},
                                {"part", part.part},
                                {"items", std::move(items)},
                                {"counts", std::move(counts)}});
  }
  fmt::print("{}\n", report.dump(2));
}

void print_papers(const std::vector<studies::PaperPart>& parts) {
  const auto name_of = [](const studies::PaperPart& part) {
    return part.part.empty() ? part.study : part.study + " " + part.part;
  };
  for (const studies::PaperPart& part : parts) {
    fmt::print("{}\n", name_of(part));
    for (const studies::PaperItem& item : part.items) {
      std::string by = item.reason;
      for (const auto* names : {&item.cases, &item.tests})
        for (const std::string& one : *names) by += (by.empty() ? "" : ", ") + one;
      if (item.issue > 0) by = fmt::format("issue {}", item.issue);
      fmt::print("  {:<14} {:<17} {} [{}]\n", item.label, item.status(), item.what, by);
      if (!item.misprint.empty()) fmt::print("  {:<14} {:<17} in print: {}\n", "", "", item.misprint);
    }
    fmt::print("\n");
  }
  // Items, each number of a range counted.
  fmt::print("{:<20}", "");
  for (const std::string& status : studies::paper_statuses()) fmt::print(" {:>16}", status);
  std::vector<int> sums(studies::paper_statuses().size(), 0);
  for (const studies::PaperPart& part : parts) {
    fmt::print("\n{:<20}", name_of(part));
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const int count = count_of(part, studies::paper_statuses()[k]);
      sums[k] += count;
      fmt::print(" {:>16}", count);
    }
  }
  fmt::print("\n{:<20}", "together");
  for (const int sum : sums) fmt::print(" {:>16}", sum);
  fmt::print("\n");
}

/// Runs the cases asked for; the number that failed.
int run_study(const StudyOptions& options, const study::Study& study) {
  const auto is_wanted = [&](const study::Case& one) { return options.one.empty() || one.id == options.one; };
  if (std::none_of(study.cases.begin(), study.cases.end(), is_wanted))
    throw InputError({}, "the study `" + study.name + "` has no case `" + options.one + "`",
                     "its cases are: " + cases_of(study));
  study::Context context{study::find_models(), options.out, options.full};
  std::error_code error;
  if (std::filesystem::exists(context.out, error) && !std::filesystem::is_directory(context.out, error))
    throw InputError({options.out}, "this is a file, not a folder",
                     "--out names a folder for CSV files and plots");
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
  int failed = 0;
  if (!options.json) fmt::print("{}\n\n", study.paper);
  for (const study::Case& one : study.cases) {
    if (!is_wanted(one)) continue;
    if (context.progress) context.progress(one.id);
    const study::Result result = study::run(one, context);
    if (live) fmt::print(stderr, "\r\x1b[K");
    failed += result.judgement.verdict == study::Verdict::failed ? 1 : 0;
    const std::string verdict(study::name_of(result.judgement.verdict));
    if (options.json) {
      report["cases"].push_back({{"id", one.id},
                                 {"title", one.title},
                                 {"published", result.published},
                                 {"here", result.here},
                                 {"verdict", verdict},
                                 {"compared", result.judgement.compared},
                                 {"note", result.note},
                                 {"files", result.files}});
      if (!result.table.empty()) report["cases"].back()["table"] = result.table;
    } else {
      fmt::print("{}: {}\n  published  {}\n  here       {}\n  verdict    {}\n", one.id, one.title,
                 result.published, result.here, verdict);
      if (!result.judgement.compared.empty()) fmt::print("  compared   {}\n", result.judgement.compared);
      if (!result.note.empty()) fmt::print("             {}\n", result.note);
      for (const std::string& file : result.files)
        fmt::print("  wrote      {}\n", (context.out / file).string());
      if (!result.table.empty()) fmt::print("\n{}", result.table);
      fmt::print("\n");
      std::fflush(stdout);  // a pipe sees every case as it is done
    }
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
  verb->add_option("CASE,--case", options->one, "one case; without it all are run");
  verb->add_option("--out", options->out, "folder for CSV files and plots")->capture_default_str();
  verb->add_flag("--full", options->full, "all that long cases have: hours for iftomm-a02");
  verb->add_flag(
      "--papers", options->papers,
      "list what the papers print, item by item, with what evaluates it and the verdict, and count");
  verb->add_flag("--json", options->json, "print JSON");
  verb->callback([options] {
    const std::vector<study::Study> all = studies::all();
    if (options->papers) {
      if (!options->one.empty())
        throw InputError({}, "--papers lists whole papers, not a case", "leave out `" + options->one + "`");
      const std::vector<studies::PaperPart> parts = listed(options->name, all);
      return options->json ? print_papers_json(parts) : print_papers(parts);
    }
    if (options->name.empty() && options->json) {
      fmt::print("{}\n", as_json(all).dump(2));
      return;
    }
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

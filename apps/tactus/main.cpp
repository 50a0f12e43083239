// tactus: one program, whose verbs are the stages of the flow: tactus VERB MODEL [options].
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <tactus/base/error.h>
#include <tactus/base/output_file.h>

#include "options.h"
#include "verbs.h"

namespace {

using namespace tactus::apps;

std::vector<std::string> verbs_of(const CLI::App& program) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    verbs.push_back(verb->get_name());
  return verbs;
}

/// `tactus MODEL` means `tactus check MODEL`: a file just opens. Any other first word must be a verb or an
/// option.
std::vector<std::string> with_default_verb(const CLI::App& program, std::vector<std::string> words) {
  if (words.empty() || words[0].starts_with('-')) return words;
  const std::vector<std::string> verbs = verbs_of(program);
  if (std::find(verbs.begin(), verbs.end(), words[0]) != verbs.end()) return words;
  if (words[0].find_first_of("./") == std::string::npos)
    throw tactus::InputError({}, "`" + words[0] + "` is neither a verb nor a model file",
                             tactus::suggestion(words[0], verbs));
  words.insert(words.begin(), "check");
  return words;
}

int run(int argc, char** argv) {
  CLI::App program{"Tactus: describe a mechanism, derive its equations, generate code, simulate.", "tactus"};
  program.set_version_flag("--version", "tactus " TACTUS_VERSION);
  program.require_subcommand(0, 1);
  program.failure_message([](const CLI::App* app, const CLI::Error& error) {
    std::string verb = app->get_name();
    for (const CLI::App* chosen : app->get_subcommands()) verb += " " + chosen->get_name();
    return std::string("error: ") + error.what() + "\n  help: " + verb + " --help lists the options\n";
  });
  program.footer(
      "A verb's options: tactus VERB --help. Exit codes: 0 ok, 1 failed, 2 bad input, 3 internal error.");

  // The verbs, in the order of the flow: add_<verb>(program), one line each.
  add_check(program);
  add_derive(program);
  add_generate(program);
  add_eval(program);
  add_linear(program);
  add_ik(program);
  add_robust(program);
  add_simulate(program);
  add_devices(program);
  add_haptic(program);
  add_replay(program);
  add_serve(program);
  add_study(program);
  refuse_empty_texts(program);

  std::vector<std::string> words = with_default_verb(program, {argv + 1, argv + argc});
  try {
    program.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes the last word first
    if (program.get_subcommands().empty()) std::fputs(program.help().c_str(), stdout);
  } catch (const CLI::ParseError& error) {
    return program.exit(error) == 0 ? kOk : kBadInput;
  }
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is noticed by the write that fails
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file that may not grow further
  try {
    const int code = run(argc, argv);
    tactus::finish_standard_output();
    return code;
  } catch (const tactus::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kBadInput;
  } catch (const Failed& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return kFailed;
  } catch (const tactus::OutputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kFailed;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "error: there is not enough memory for that\n");
    return kFailed;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) {  // a print that did not get through throws an error of the library's
      std::fprintf(stderr, "error: the standard output could not be written: %s\n", error.what());
      return kFailed;
    }
    std::fprintf(stderr, "tactus: internal error: %s. Please report this.\n", error.what());
    return kInternal;
  }
}

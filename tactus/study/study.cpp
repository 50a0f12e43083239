#include <tactus/study/study.h>

#include <cstdlib>
#include <exception>
#include <system_error>

#include <tactus/base/error.h>

namespace tactus::study {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::reproduced:
      return "reproduced";
    case Verdict::corrected:
      return "corrected";
    case Verdict::closed_form:
      return "closed-form";
    case Verdict::not_reproducible:
      return "not-reproducible";
    case Verdict::failed:
      return "failed";
  }
  return "?";
}

Result run(const Case& one, const Context& context) {
  try {
    return one.run(context);
  } catch (const std::exception& error) {
    Result result;
    result.here = "nothing";
    result.note = error.what();
    return result;
  }
}

std::filesystem::path find_models() {
  namespace fs = std::filesystem;
  if (const char* given = std::getenv("TACTUS_MODELS")) return given;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& candidate : {fs::path("models"), program / "../../models",
                                    program / "../share/tactus/models", program / "../../../models"}) {
    if (fs::is_directory(candidate, ignored)) return fs::weakly_canonical(candidate, ignored);
  }
  throw InputError({}, "the folder of the models was not found",
                   "run in the project's folder, or set TACTUS_MODELS to the folder that holds puma560.yaml");
}

}  // namespace tactus::study

// Whatever stands in a file, reading it ends in a model or in an InputError.
#include <cstddef>
#include <cstdint>
#include <string>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/describe/words/report.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const tactus::describe::Model model = tactus::describe::load_text(text, "fuzz", {}, {.files = false});
    tactus::describe::report_text(model);
  } catch (const tactus::InputError&) {
  }
  return 0;
}

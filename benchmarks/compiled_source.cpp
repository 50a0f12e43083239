#include "compiled_source.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>

#include <fmt/format.h>

#include <tactus/generate/source.h>

namespace tactus::bench {

namespace fs = std::filesystem;

std::shared_ptr<CompiledSource> CompiledSource::make(const algebra::Function& function) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("tactus_bench_{}", ::getpid());
  fs::create_directories(folder);
  generate::SourceOptions options;
  options.name = "emitted";
  std::string arguments;
  const auto add = [&](const char* array, const std::vector<algebra::Block>& blocks) {
    std::size_t offset = 0;
    for (const algebra::Block& block : blocks) {
      arguments += fmt::format("{}{} + {}", arguments.empty() ? "" : ", ", array, offset);
      offset += block.size();
    }
  };
  add("in", function.inputs);
  add("out", function.outputs);
  std::ofstream(folder / "emitted.hpp") << generate::write_source(std::span(&function, 1), options);
  std::ofstream(folder / "emitted.cpp") << fmt::format(
      "#include \"emitted.hpp\"\nextern \"C\" void entry(const double* in, double* out) {{ emitted::{}({}); "
      "}}\n",
      function.name, arguments);
  const std::string command =
      fmt::format("\"{}\" -std=c++17 -O3 -march=native -shared -fPIC -o \"{}\" \"{}\"", TACTUS_COMPILER,
                  (folder / "emitted.so").string(), (folder / "emitted.cpp").string());
  std::shared_ptr<CompiledSource> result;
  if (std::system(command.c_str()) == 0) {
    if (void* library = ::dlopen((folder / "emitted.so").c_str(), RTLD_NOW | RTLD_LOCAL)) {
      result.reset(new CompiledSource);
      result->library_ = library;
      result->entry_ = reinterpret_cast<void (*)(const double*, double*)>(::dlsym(library, "entry"));
    }
  }
  fs::remove_all(folder);
  return result;
}

CompiledSource::~CompiledSource() { ::dlclose(library_); }

}  // namespace tactus::bench

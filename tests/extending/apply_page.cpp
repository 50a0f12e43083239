// Applies the code of docs/extending.md to a copy of the files that it names: apply_page PAGE SOURCE SCRATCH
//
// A block belongs to the last file that the paragraph right above it names in code marks. Marked `diff` it
// changes the file: the lines without `+` must stand there exactly once, and those without `-` take their
// place. A block of another language below "New file" is the file. Prints the files, one per line.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what) {
  std::cerr << "apply_page: " << what << '\n';
  std::exit(1);
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  if (!file) fail("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

struct Block {
  std::string language, file, text;
  bool is_new = false;
};

/// The blocks that have a file, in the order of the page.
std::vector<Block> blocks_of(const std::string& page) {
  static const std::regex kFile(R"(`((?:tactus|docs|models|tests)/[A-Za-z0-9_./-]+)`)");
  std::vector<Block> blocks;
  std::istringstream lines(page);
  std::string line, paragraph, before;  // the paragraph being read, and the one that ended last
  while (std::getline(lines, line)) {
    if (!line.starts_with("```")) {
      if (!line.empty()) {
        paragraph += line + ' ';
      } else if (!paragraph.empty()) {
        before = std::exchange(paragraph, {});
      }
      continue;
    }
    Block block{line.substr(3), {}, {}, false};
    while (std::getline(lines, line) && line != "```") block.text += line + '\n';
    for (std::sregex_iterator at(before.begin(), before.end(), kFile), end; at != end; ++at) {
      block.file = (*at)[1];
      block.is_new = at->prefix().str().ends_with("New file ");
    }
    if (!block.file.empty() && (block.language == "diff" || block.is_new)) blocks.push_back(block);
    before.clear();
  }
  return blocks;
}

/// The file's text with the block's change made.
std::string changed(const std::string& text, const Block& block) {
  std::string old_lines, new_lines;
  std::istringstream lines(block.text);
  for (std::string line; std::getline(lines, line);) {
    const char mark = line.empty() ? ' ' : line[0];
    const std::string rest = line.empty() ? "" : line.substr(1);
    if (mark != '+') old_lines += rest + '\n';
    if (mark != '-') new_lines += rest + '\n';
  }
  const std::size_t at = text.find(old_lines);
  if (at == std::string::npos) fail(block.file + " has no such lines:\n" + old_lines);
  if (text.find(old_lines, at + 1) != std::string::npos)
    fail(block.file + " has these lines more than once:\n" + old_lines);
  std::string result = text;
  return result.replace(at, old_lines.size(), new_lines);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) fail("usage: apply_page PAGE SOURCE SCRATCH");
  const fs::path source = argv[2], scratch = argv[3];
  std::set<std::string> files;
  for (const Block& block : blocks_of(content_of(argv[1]))) {
    const fs::path from = source / block.file, to = scratch / block.file;
    if (block.is_new && fs::exists(from)) fail(block.file + " is not new");
    write(to, block.is_new ? block.text : changed(content_of(files.contains(block.file) ? to : from), block));
    files.insert(block.file);
  }
  if (files.empty()) fail("the page has no blocks");
  for (const std::string& file : files) std::puts(file.c_str());
}

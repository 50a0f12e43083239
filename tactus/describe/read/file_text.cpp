#include <tactus/describe/read/file_text.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::describe {

namespace {

/// Bytes that a UTF-8 sequence with this first byte has; 0 where no sequence begins so.
int utf8_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

/// Bytes of the UTF-8 sequence that begins there; 0 where none does, or it is cut short.
int whole_utf8(std::string_view text, std::size_t at) {
  const int length = utf8_length(static_cast<unsigned char>(text[at]));
  if (at + static_cast<std::size_t>(length) > text.size()) return 0;
  for (int k = 1; k < length; ++k)
    if ((static_cast<unsigned char>(text[at + static_cast<std::size_t>(k)]) & 0xc0) != 0x80) return 0;
  return length;
}

void require_size(std::size_t size, const std::string& file) {
  if (size <= kLargestFile) return;
  throw InputError(
      {file}, fmt::format("the file is too large ({} MiB)", size >> 20),
      fmt::format("models of up to {} MiB are read; use `repeat` for long chains", kLargestFile >> 20));
}

}  // namespace

std::string read_source(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (path.empty() || !fs::exists(status)) {
    throw InputError({path}, "there is no such file", "check the path; model files end in .yaml or .urdf");
  }
  if (fs::is_directory(status)) {
    throw InputError({path}, "this is a directory, not a file", "name a file in it");
  }
  if (!fs::is_regular_file(status)) {
    throw InputError({path}, "this is not a regular file", "copy it into a file first");
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error) require_size(size, path);
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  if (stream) text.assign(std::istreambuf_iterator<char>(stream), {});
  if (!stream.is_open() || stream.bad()) {
    throw InputError({path}, "the file cannot be read", "check its permissions");
  }
  return text;
}

void require_text(std::string_view text, const std::string& file) {
  require_size(text.size(), file);
  const bool may_be_latin_1 = is_xml(text);
  int line = 1, column = 1;
  bool blank = true;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    int length = whole_utf8(text, i);
    const bool control = (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
    if (length == 0 && may_be_latin_1) length = 1;
    if (length == 0 || control) {
      throw InputError({file, line, column}, fmt::format("this is not a text file (byte 0x{:02x})", c),
                       "save the model as UTF-8 text without control characters");
    }
    if (c > ' ' && c < 0x80) blank = false;
    if (c == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
    i += static_cast<std::size_t>(length);
  }
  if (blank)
    throw InputError({file, 1, 1}, "the file is empty",
                     "a model needs at least `name`, `bodies` and `joints`");
}

std::size_t first_latin_1(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const int length = whole_utf8(text, i);
    if (length == 0) return i;
    i += static_cast<std::size_t>(length);
  }
  return std::string_view::npos;
}

std::string utf8_of_latin_1(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
      continue;
    }
    result += static_cast<char>(0xc0 | (byte >> 6));
    result += static_cast<char>(0x80 | (byte & 0x3f));
  }
  return result;
}

bool is_xml(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

}  // namespace tactus::describe

// Files that a program writes: whole or not at all, and never in silence.
//
// A file is written beside its place, under a name of its own, and takes its place when it is whole: a full disk, an
// error or a crash leaves what was there before. What is no regular file (the standard output, a pipe, a device) is
// written straight. A write that fails, whatever the reason, throws OutputError.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// Something could not be written though it was begun: a full disk, a closed pipe.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "-", or a name that the system has for it.
bool is_standard_output(std::string_view path);

class OutputFile {
 public:
  /// "-" is the standard output; nothing is opened without a path, and what is written to it is dropped. Throws
  /// InputError where the path cannot be written.
  explicit OutputFile(std::string path = {});
  /// What was not finished is thrown away; what stood at the path stays.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool wanted() const { return !path_.empty(); }
  /// Kept until there is enough for the system, or flush().
  void write(std::string_view text);
  void flush();
  /// Everything is written, and the file is in its place.
  void finish();
  /// Of a file that could not be finished: what was written of it by whole calls of flush() stays, under the
  /// name that is given back; "" where it was written straight, or nothing was. Nothing more is written.
  std::string keep() noexcept;

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::string target_, part_;  // where it belongs, where it is written; none: straight
  int file_ = -1;
  std::int64_t whole_ = 0;  // [bytes] by calls of flush() that came to their end
  std::string text_;
};

/// Writes a whole file.
void write_file(const std::string& path, std::string_view text);

/// A file and how a user knows it: "--out", "the model".
struct NamedFile {
  std::string name, path;
};

/// Throws InputError where an output is one of the inputs or another output, by whatever name, link or redirection of
/// the standard output. Empty paths count for nothing; devices (/dev/null) may be named twice.
void require_distinct_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

/// Flushes the standard output. Throws OutputError where something that was printed did not get through.
void finish_standard_output();

}  // namespace tactus

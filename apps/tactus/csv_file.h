// A CSV file, written as the rows come, so that those so far are there whatever happens.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include <tactus/base/error.h>

namespace tactus::apps {

class CsvFile {
 public:
  /// No path: everything is thrown away; "-": the standard output. Throws InputError where the file cannot be
  /// written. `header` is the first line.
  CsvFile(const std::string& path, std::string_view header) {
    if (path.empty()) return;
    file_.reset(path == "-" ? stdout : std::fopen(path.c_str(), "w"));
    if (!file_) throw InputError({path, 0, 0}, "the file cannot be written", "does its folder exist?");
    text_ = header;
  }
  ~CsvFile() { flush(); }

  bool wanted() const { return file_ != nullptr; }
  /// To be added to; row_done() after every whole line.
  std::string& text() { return text_; }
  void row_done() {
    if (text_.size() > 1u << 16) flush();
  }
  void flush() {
    if (!file_ || text_.empty()) return;
    std::fwrite(text_.data(), 1, text_.size(), file_.get());
    std::fflush(file_.get());
    text_.clear();
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::string text_;
};

}  // namespace tactus::apps

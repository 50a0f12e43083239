#include <tactus/base/output_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <tactus/base/error.h>

namespace tactus {

namespace fs = std::filesystem;

bool is_standard_output(std::string_view path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

namespace {

/// [bytes] Text is given to the system in pieces of about this size.
constexpr std::size_t kPiece = 1u << 16;

[[noreturn]] void refuse(const std::string& path, int error) {
  throw InputError({path}, std::string("the file cannot be written: ") + std::strerror(error),
                   "is its folder there, and may files be made in it?");
}

/// What belongs at the path when all links are followed, also where it is not there yet.
fs::path followed(fs::path path) {
  constexpr int kMostLinks = 40;  // as Linux
  std::error_code error;
  for (int k = 0; k < kMostLinks && fs::is_symlink(fs::symlink_status(path, error)); ++k) {
    const fs::path to = fs::read_symlink(path, error);
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  // Of a path no part of which is there, weakly_canonical() leaves the folder out.
  if (fs::path whole = fs::absolute(path, error); !error) path = std::move(whole);
  const fs::path plain = fs::weakly_canonical(path, error);
  return error ? path : plain;
}

/// The rights that a file made at the path has: those of the file there, or the usual ones.
mode_t rights_of(const std::string& path) {
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0) return there.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

/// One file by whatever name: its device and number, or its path where it is not there yet.
struct Identity {
  bool known = false, regular = false;
  dev_t device = 0;
  ino_t number = 0;
  fs::path path;

  bool operator==(const Identity& other) const {
    if (known != other.known) return false;
    return known ? device == other.device && number == other.number : path == other.path;
  }
};

Identity identity_of(const std::string& path) {
  Identity identity;
  struct stat there {};
  const bool standard = is_standard_output(path);
  const fs::path place = standard ? fs::path() : followed(path);
  if ((standard ? ::fstat(STDOUT_FILENO, &there) : ::stat(place.c_str(), &there)) == 0) {
    identity.known = true;
    identity.regular = S_ISREG(there.st_mode);
    identity.device = there.st_dev;
    identity.number = there.st_ino;
  } else {
    identity.regular = true;
    identity.path = place;
  }
  return identity;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  if (is_standard_output(path_)) return;
  const std::string place = followed(path_).string();
  std::error_code error;
  const fs::file_status status = fs::status(place, error);
  if (fs::is_directory(status)) refuse(path_, EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    file_ = ::open(place.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) refuse(path_, errno);
    return;
  }
  if (fs::exists(status) && ::access(place.c_str(), W_OK) != 0) refuse(path_, errno);
  target_ = place;
  part_ = target_ + ".XXXXXX.part";
  file_ = ::mkostemps(part_.data(), 5, O_CLOEXEC);
  if (file_ < 0) refuse(path_, errno);
  ::fchmod(file_, rights_of(target_));
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

void OutputFile::fail(int error) const {
  throw OutputError(path_ + ": error: the file could not be written: " + std::strerror(error) +
                    (target_.empty() ? "" : "\n  help: what was there before is as it was"));
}

void OutputFile::write(std::string_view text) {
  if (path_.empty()) return;
  text_ += text;
  if (text_.size() > kPiece) flush();
}

void OutputFile::flush() {
  if (path_.empty() || text_.empty()) return;
  if (file_ < 0) {
    const bool whole = std::fwrite(text_.data(), 1, text_.size(), stdout) == text_.size();
    if (!whole || std::fflush(stdout) != 0) fail(errno);
  }
  for (std::size_t done = 0; file_ >= 0 && done < text_.size();) {
    const ssize_t written = ::write(file_, text_.data() + done, text_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    done += static_cast<std::size_t>(written);
  }
  whole_ += static_cast<std::int64_t>(text_.size());
  text_.clear();
}

void OutputFile::finish() {
  flush();
  if (file_ < 0) return;
  // Some file systems say only now that there was no room.
  const int closed = ::close(file_);
  file_ = -1;
  if (closed != 0) fail(errno);
  if (part_.empty()) return;
  if (::rename(part_.c_str(), target_.c_str()) != 0) fail(errno);
  part_.clear();
}

std::string OutputFile::keep() noexcept {
  text_.clear();
  if (part_.empty() || whole_ == 0) return {};
  // Of a file that is closed already, or is not cut, the end may be a piece of a line.
  if (file_ >= 0 && ::ftruncate(file_, whole_) == 0) ::close(file_), file_ = -1;
  path_.clear();
  return std::exchange(part_, {});
}

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.finish();
}

void require_distinct_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  std::vector<NamedFile> all = outputs;
  all.push_back({"the standard output", "-"});
  for (std::size_t k = 0; k < all.size(); ++k) {
    const NamedFile& output = all[k];
    if (output.path.empty()) continue;
    const Identity identity = identity_of(output.path);
    for (const NamedFile& input : inputs) {
      if (!input.path.empty() && identity.regular && identity == identity_of(input.path))
        throw InputError({}, output.name + " would overwrite " + input.name + ", " + input.path,
                         "give it another name");
    }
    for (std::size_t l = 0; l < k; ++l) {
      const NamedFile& other = all[l];
      if (other.path.empty()) continue;
      const bool both_standard = is_standard_output(output.path) && is_standard_output(other.path);
      if (both_standard && k + 1 == all.size()) continue;  // one that is asked for by the name `-`
      if (both_standard || (identity.regular && identity == identity_of(other.path)))
        throw InputError({}, other.name + " and " + output.name + " would write the same file, " + other.path,
                         "give each a name of its own");
    }
  }
}

void finish_standard_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before) return;
  throw OutputError(std::string("error: the standard output could not be written") +
                    (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

}  // namespace tactus

#include <tactus/device/drivers/evdev_system.h>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

namespace tactus::device {

namespace {

int result_of(long result) { return result < 0 ? -errno : static_cast<int>(result); }

class LinuxSystem final : public EvdevSystem {
 public:
  int open(const std::string& path) override {
    return result_of(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  }
  int name(int file, char* text, std::size_t size) override {
    return result_of(ioctl(file, EVIOCGNAME(size), text));
  }
  int bits(int file, unsigned type, unsigned char* bits, std::size_t size) override {
    return result_of(ioctl(file, EVIOCGBIT(type, size), bits));
  }
  int axis(int file, unsigned code, input_absinfo& info) override {
    return result_of(ioctl(file, EVIOCGABS(code), &info));
  }
  int upload(int file, ff_effect& effect) override { return result_of(ioctl(file, EVIOCSFF, &effect)); }
  int erase(int file, int effect) override { return result_of(ioctl(file, EVIOCRMFF, effect)); }
  void close(int file) override { ::close(file); }
  int read(int file, input_event* events, std::size_t count) override {
    const int got = result_of(::read(file, events, count * sizeof *events));
    return got < 0 ? got : got / static_cast<int>(sizeof *events);
  }
  int write(int file, const input_event& event) override {
    return result_of(::write(file, &event, sizeof event));
  }
};

}  // namespace

std::unique_ptr<EvdevSystem> linux_system() { return std::make_unique<LinuxSystem>(); }

}  // namespace tactus::device

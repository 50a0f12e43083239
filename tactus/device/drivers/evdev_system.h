// The few calls to the system that the driver of wheels and joysticks makes: a test stands in for them.
#pragma once

#include <linux/input.h>

#include <cstddef>
#include <memory>
#include <string>

namespace tactus::device {

class EvdevSystem {
 public:
  virtual ~EvdevSystem() = default;

  // Before the loop. Each gives 0 or more for a success, and -errno otherwise.
  virtual int open(const std::string& path) = 0;
  virtual int name(int file, char* text, std::size_t size) = 0;
  /// What kinds of events of a type it has, one bit each.
  virtual int bits(int file, unsigned type, unsigned char* bits, std::size_t size) = 0;
  virtual int axis(int file, unsigned code, input_absinfo& info) = 0;
  virtual int upload(int file, ff_effect& effect) = 0;
  virtual int erase(int file, int effect) = 0;
  virtual void close(int file) = 0;

  // Also in the loop: upload(), axis() and these.
  /// Events that have come, as many as there is room for; -EAGAIN where none have.
  virtual int read(int file, input_event* events, std::size_t count) = 0;
  virtual int write(int file, const input_event& event) = 0;
};

/// The true one.
std::unique_ptr<EvdevSystem> linux_system();

}  // namespace tactus::device

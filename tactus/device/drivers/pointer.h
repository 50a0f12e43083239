// The browser's pointer: its handle is where the page's cursor is. It moves, and turns as the page's hand turns.
//
//   page's thread      point(cursor) at each message; close() when the page is gone; shown() for a picture
//   loop's thread      a device like any other
//
// Both meet in mailboxes without locks. The cursor's steps go through two poles (cursor_lag.h): the handle is 20 ms late besides what
// browser and network take, and is never faster than a hand. Forces are shown by the page, not felt: no motor moves the cursor. Its
// inertia, damping and forces are those of a usual device, `strength` times, for whoever asks; nothing of them is felt. A pixel's step
// feeds no limit cycle, as nothing pushes it back, and is no step any more behind the poles: the resolution is left at 0.
//
// While it is enabled the page must be heard of. One that closes, is silent, or says what is no number or far beyond any screen: the
// device is lost, with the reason. plug_in() is the way back.
#pragma once

#include <tactus/device/drivers/cursor_lag.h>
#include <tactus/device/drivers/mailbox_device.h>
#include <tactus/device/drivers/pace.h>
#include <tactus/device/registry.h>

namespace tactus::device {

/// Where the page has the handle, from its zero.
struct Cursor {
  math::Vec3<double> way{};   // [m] world axes
  math::Vec3<double> turn{};  // [rad] a rotation vector
};

struct PointerOptions {
  double rate = 1000.0;    // [Hz]
  bool owns_clock = true;  // false: its user has one, and wait() comes back at once
  bool turning = false;    // its orientation is coupled, too; otherwise it pulls a point
  std::array<double, 2> strength{
      1.0, 1.0};         // times the forces and inertia of a table-top device, {rotation, translation}
  double silence = 3.0;  // [s] a page with a still cursor speaks every 1.25 s at least
};

class Pointer : public MailboxDevice {
 public:
  explicit Pointer(const PointerOptions& options);

  // In the page's thread.
  void point(const Cursor& cursor) noexcept;
  void close() noexcept;
  /// What the page shows, world axes: the newest command; none while off, lost, or without news for 20 pictures.
  Vector6 shown() noexcept { return newest_force(); }

  // In the user's.
  bool enable() noexcept override;
  bool wait() noexcept override;
  /// A page takes the handle there: off, at rest, whatever was before. While no other thread uses the device.
  void plug_in(const math::Vec3<double>& at) noexcept;

 private:
  double period_;
  std::int64_t silence_, heard_ = 0;  // [ns]
  bool paced_;
  Pace pace_;
  Latest<Cursor> cursors_;
  Cursor cursor_{};
  CursorLag way_, turn_;
  math::Mat3<double> R_ = math::Mat3<double>::identity();
  std::uint64_t periods_ = 0;
};

/// There is none without a page: throws InputError, with the way to it.
[[noreturn]] void refuse_pointer();
Driver find_pointer();

}  // namespace tactus::device

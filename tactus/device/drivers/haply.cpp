#include <tactus/device/drivers/haply.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/drivers/haply_message.h>
#include <tactus/device/drivers/mailbox_device.h>
#include <tactus/device/drivers/pace.h>
#include <tactus/device/drivers/websocket.h>

namespace tactus::device {

namespace {

using Vec3 = math::Vec3<double>;
using websocket::Client;

constexpr const char *kHost = "localhost", *kPort = "10001";
constexpr double kConnect = 2.0;  // [s] for the handshake and the first message
/// [s] without an answer: a machine that is busy with other things may be away for a part of it. The device is idle long before:
/// a force counts for one message.
constexpr double kSilence = 1.0;
constexpr Vec3 kOrigin{0.0, -0.12, 0.15};  // [m] the world's, in the device's axes

Specification usual() {
  Specification s;
  s.name = "haply";
  s.description = "Haply Inverse3, by the Inverse Service";
  s.sensed = s.actuated = kTranslation;
  // All numbers are chosen, of the size that such devices have; the service limits forces by itself as well.
  s.workspace = {0.25, 0.25, 0.25};
  s.continuous = {0.0, 3.0};
  s.peak = {0.0, 8.0};
  s.resolution = {0.0, 2e-5};
  s.inertia = {0.0, 0.15};
  s.damping = {0.0, 1.0};
  s.friction = {0.0, 0.1};
  s.owns_clock = true;
  s.latency = 1.0 / s.rate;  // a force goes out with the message after it
  s.stiffness = largest_stiffness(s);
  return s;
}

class Haply final : public MailboxDevice {
 public:
  Haply(std::unique_ptr<Client> client, const haply::Cursor& cursor, Specification specification)
      : MailboxDevice(std::move(specification)),
        client_(std::move(client)),
        id_(cursor.id),
        form_(cursor.form),
        talker_([this] { talk(); }) {}
  ~Haply() override {
    disable();
    closing_ = true;
    talker_.join();
  }

  bool wait() noexcept override { return wait_for_sample(2.0 * kSilence); }

 private:
  // The driver's thread.
  void talk() noexcept {
    Pace pace(specification_.rate);
    while (!closing_ && state() != State::lost) {
      pace.wait();
      if (!exchange(pace)) lose();
      arrived_.tell();
    }
    haply::write_force(message_, id_, {}, form_);
    client_->send(message_, kSilence);
    client_->receive(message_, kSilence);  // so that it has heard it
  }
  bool exchange(const Pace& pace) noexcept {
    const Vector6 F = newest_force();
    haply::write_force(message_, id_, {F[3], F[4], F[5]}, form_);
    constexpr const char* kService = "is the Inverse Service still running?";
    if (!client_->send(message_, kSilence)) {
      trouble_.say("the service takes no message any more", {}, kService);
      return false;
    }
    switch (client_->receive(message_, kSilence)) {
      case Client::Received::message:
        break;
      case Client::Received::nothing:
        trouble_.say("the service did not answer for a second", {}, kService);
        return false;
      case Client::Received::gone:
        trouble_.say("the service closed the connection", {}, kService);
        return false;
      case Client::Received::broken:
        trouble_.say("the service sent bytes that are no WebSocket's frame, or one that is too long", {},
                     "is something else listening at this port?");
        return false;
    }
    if (!take_newest()) return false;
    switch (haply::find_cursor(message_, id_, cursor_)) {
      case haply::Found::cursor:
        break;
      case haply::Found::no_device:
        trouble_.say("the service knows this device no more", {}, "is it plugged in and switched on?");
        return false;
      case haply::Found::old_protocol:
        trouble_.say("the service changed to the protocol of version 3.0", {}, "use version 3.1 or later");
        return false;
      case haply::Found::garbage:
        trouble_.say("the service says what is not understood, or no number:", message_,
                     "versions 3.1 to 3.5 of the Inverse Service are known");
        return false;
    }
    Sample& sample = samples_.back();
    sample.t = pace.elapsed();
    sample.X_WH.p = cursor_.p - kOrigin;
    sample.V_WH = {0.0, 0.0, 0.0, cursor_.v.x, cursor_.v.y, cursor_.v.z};
    samples_.publish();
    return true;
  }

  /// A service that says more than it is asked for would make every later sample older: what came since replaces it. One that does not come to an end is none.
  bool take_newest() noexcept {
    constexpr int kMost = 64;
    for (int k = 0; k < kMost; ++k) {
      switch (client_->receive(newer_, 0.0)) {
        case Client::Received::message:
          message_.swap(newer_);
          continue;
        case Client::Received::nothing:
        case Client::Received::gone:  // said by the next round, with what there is
          return true;
        case Client::Received::broken:
          trouble_.say("the service sent bytes that are no WebSocket's frame, or one that is too long", {},
                       "is something else listening at this port?");
          return false;
      }
    }
    trouble_.say("the service sends without end, whatever it is asked for", {},
                 "versions 3.1 to 3.5 of the Inverse Service answer each message with one");
    return false;
  }

  std::unique_ptr<Client> client_;
  std::string id_;
  haply::Form form_;
  std::atomic<bool> closing_ = false;

  // Of the driver's thread.
  std::string message_, newer_;
  haply::Cursor cursor_;
  std::thread talker_;  // last: it uses all of the above
};

struct Where {
  std::string host = kHost, port = kPort;
  std::optional<bool> values;
};

Where parse(const std::string& text) {
  Where where;
  std::string rest = text;
  for (const char* const form : {"values", "vector"})
    if (rest == form || rest.rfind(std::string(form) + ":", 0) == 0) {
      where.values = std::string_view(form) == "values";
      rest.erase(0, std::min(rest.size(), std::string_view(form).size() + 1));
    }
  if (rest.empty()) return where;
  const std::size_t colon = rest.rfind(':');
  where.port = colon == std::string::npos ? rest : rest.substr(colon + 1);
  if (colon != std::string::npos) where.host = rest.substr(0, colon);
  const bool digits =
      !where.port.empty() && where.port.size() <= 5 &&
      std::all_of(where.port.begin(), where.port.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
      std::stoi(where.port) >= 1 && std::stoi(where.port) <= 65535;
  if (!digits || where.host.empty())
    throw InputError(
        {}, fmt::format("`haply:{}` names no place", text),
        "haply, haply:PORT or haply:HOST:PORT, with `values:` before it for services before 3.5");
  return where;
}

}  // namespace

std::unique_ptr<Device> open_haply(const std::string& text, const DeviceOptions& options) {
  const Where where = parse(text);
  auto client = std::make_unique<Client>(where.host, where.port, kConnect);
  const Place place{fmt::format("ws://{}:{}", where.host, where.port)};
  std::string message;
  if (client->receive(message, kConnect) != Client::Received::message)
    throw InputError(place, "Haply: the service does not say what devices it has",
                     "is this the port of the Inverse Service, 10001?");
  haply::Cursor cursor;
  switch (haply::find_cursor(message, {}, cursor)) {
    case haply::Found::cursor:
      break;
    case haply::Found::no_device:
      throw InputError(place, "Haply: the service knows no Inverse3", "is it plugged in and switched on?");
    case haply::Found::old_protocol:
      throw InputError(place, "Haply: the service speaks version 3.0",
                       "use version 3.1 or later, whose port is 10001");
    case haply::Found::garbage: {
      Trouble said;  // quoted without what a terminal would obey
      said.say("Haply: the service says what is not understood:", message);
      throw InputError(place, said.text(), "versions 3.1 to 3.5 of the Inverse Service are known");
    }
  }
  if (where.values) cursor.form.values = *where.values;
  Specification s = usual();
  if (!text.empty()) s.name += ":" + text;
  s.description = fmt::format("Haply Inverse3 {}, by the Inverse Service", cursor.id);
  if (options.rate > 0.0) s.rate = options.rate;
  s.latency = 1.0 / s.rate;
  s.stiffness = largest_stiffness(s);
  return std::make_unique<Haply>(std::move(client), cursor, std::move(s));
}

Driver find_haply() {
  Driver driver{usual(), "haply[:[values:][HOST:]PORT]", false, {}};
  constexpr double kLook = 0.2;  // [s]
  driver.available = websocket::listens(kHost, kPort, kLook);
  driver.found = fmt::format("{} listens at {}:{}", driver.available ? "something" : "nothing", kHost, kPort);
  return driver;
}

}  // namespace tactus::device

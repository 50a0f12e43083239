// What the pages see and say: who is connected and who holds, what lies on the bench, and every message of docs/protocol.md.
//
// All of it belongs to one thread, the network's. What takes time is done in workshops, which come back by `post`. The loop is
// told by the bench's ring, and read by the work's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/contact/rederive/rederive.h>
#include <tactus/serve/live/bench.h>
#include <tactus/serve/live/leader.h>
#include <tactus/serve/live/workshop.h>
#include <tactus/serve/page/gallery.h>
#include <tactus/serve/page/loci_page.h>
#include <tactus/serve/page/message.h>
#include <tactus/serve/page/recording.h>
#include <tactus/serve/page/scene.h>
#include <tactus/serve/page/times.h>

namespace tactus::serve {

/// A connection as the hub sees it. Neither function waits.
class Link {
 public:
  virtual ~Link() = default;
  /// False: the client is too slow for what it is told, and is being closed.
  virtual bool send(std::shared_ptr<const std::string> text) = 0;
  /// Texts wait to be sent: what will be said again soon is better left out.
  virtual bool behind() const = 0;
  /// False: one is still on its way; this one is dropped.
  virtual bool send_frame(const std::function<std::string()>& make) = 0;
  virtual void close(std::uint16_t code, std::string_view reason) = 0;
};

/// Close codes of WebSockets.
enum Close : std::uint16_t {
  kGoingAway = 1001,
  kNotUnderstood = 1007,
  kPolicy = 1008,
  kFull = 1013,
  kOtherVersion = 4000
};

/// What lies on the bench, as the pages know it.
struct Stage {
  std::shared_ptr<Work> work;
  Json scene;
  SceneLabel label;
  GalleryEntry entry;                                             // of the gallery, where it came from there
  std::string text;                                               // of the file
  std::string scene_text;                                         // written out
  std::shared_ptr<LociDesk> desk = std::make_shared<LociDesk>();  // of the workshop that writes
  Meshes meshes;
};

struct HubOptions {
  std::string models;             // folder
  std::string first;              // file or name that is opened at the start; "": the gallery's first
  describe::Settings settings{};  // its parameters' values instead of the file's
  describe::Reading reading{};    // `floating` and `angles`: how its file is read
  std::string scratch;            // folder for recordings
  std::string version = "tactus";
  std::function<void(std::string_view)> log = [](std::string_view) {};
};

class Hub {
 public:
  using Post = std::function<void(std::function<void()>)>;

  /// Throws InputError where the models cannot be found. `post` runs something in the hub's thread, soon.
  Hub(HubOptions options, Post post, const BenchOptions& bench = {});
  ~Hub();
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  using Id = std::uint32_t;
  Id connect(std::shared_ptr<Link> link);
  void receive(Id client, std::string_view text);
  void disconnect(Id client);
  /// At every display tick.
  void show();
  /// Says good-bye to all.
  void end();

  std::size_t clients() const { return clients_.size(); }
  const Gallery& gallery() const { return gallery_; }

  /// What a path is answered with besides the page's own files; empty: there is nothing.
  struct Content {
    int status = 200;
    std::string type, text;
    std::string file;  // instead of the text
    std::string name;  // under which it is saved
  };
  std::optional<Content> content(std::string_view path);

 private:
  struct Client {
    Id id = 0;
    std::shared_ptr<Link> link;
    std::string name;
    bool greeted = false;
    Nanoseconds connected = 0;
    double rate = 60.0;
    Nanoseconds due = 0;
    std::vector<std::string> channel_names;
    std::vector<std::size_t> columns;
    std::deque<std::vector<double>> samples;  // that it has not got yet
    std::uint32_t sequence = 0;
    long sent = 0, dropped = 0;
    double allowance = 0.0;  // of messages
    Nanoseconds allowance_at = 0;
    bool warned = false;
  };
  struct Answer {
    Id client = 0;
    std::int64_t request = -1;
    std::string about;
  };
  struct Saved {
    int id = 0;
    std::size_t slot = 0;
    double t = 0.0;
    bool there = false;
    Answer answer;
  };

  // hub.cpp
  Client* find(Id id);
  void say(Client& client, const Json& message);
  void say(Client& client, std::shared_ptr<const std::string> text);
  /// Perishable: not to those who are behind.
  void say_all(const Json& message, bool perishable = false);
  void answer(const Answer& to, Json more = Json::object());
  void refuse(const Answer& to, const std::string& what, const std::string& remedy,
              const std::optional<Place>& where = std::nullopt);
  void refuse(const Answer& to, const std::exception& error);
  void write(const Answer& to, const std::string& what, const std::string& remedy,
             std::function<Json()> make);
  bool within_rate(Client& client);
  bool hold(Client& client, const Answer& to);
  void leave(Id client, bool gone = false);
  void greet(Client& client, const say::Hello& hello);
  void choose_columns(Client& client);
  bool command(const Answer& to, Command command);
  void obey(Client& client, const Decoded& decoded, const Answer& to);

  void on(Client&, const Answer&, const say::Hello&);
  void on(Client&, const Answer&, const say::Ping&);
  void on(Client&, const Answer&, const say::Frames&);
  void on(Client&, const Answer&, const say::Channels&);
  void on(Client&, const Answer&, const say::Take&);
  void on(Client&, const Answer&, const say::Leave&);
  void on(Client&, const Answer&, const say::Open&);
  void on(Client&, const Answer&, const say::Grab&);
  void on(Client&, const Answer&, const say::Move&);
  void on(Client&, const Answer&, const say::Release&);
  void on(Client&, const Answer&, const say::Push&);
  void on(Client&, const Answer&, const say::Coupling&);
  void on(Client&, const Answer&, const say::Parameter&);
  void on(Client&, const Answer&, const say::ParametersReset&);
  void on(Client&, const Answer&, const say::Constraint&);
  void on(Client&, const Answer&, const say::Choose&);
  void on(Client&, const Answer&, const say::Time&);
  void on(Client&, const Answer&, const say::Snapshot&);
  void on(Client&, const Answer&, const say::Record&);
  void on(Client&, const Answer&, const say::Equations&);
  void on(Client&, const Answer&, const say::Check&);
  void on(Client&, const Answer&, const say::Apply&);
  void on(Client&, const Answer&, const say::Text&);
  void on(Client&, const Answer&, const say::ClearFault&);
  void on(Client&, const Answer&, const say::Probe&);
  void on(Client&, const Answer&, const say::Control&);
  void on(Client&, const Answer&, const say::Loci&);

  // hub_build.cpp
  struct Order {
    std::string why, what;  // "open", "opening four_bar"
    SceneLabel label;
    GalleryEntry entry;
    std::string text;
    Choice choice;
    bool keep = false;  // go on from where it stands
    double rate = 1.0;
    std::vector<ParameterValue> parameters;
  };
  void build(const Answer& to, Order order);
  void adopt(const Answer& to, std::shared_ptr<Stage> stage, const std::string& why, double rate,
             const std::vector<std::string>& notes);
  std::optional<Order> order_of(const std::string& name) const;

  // hub_control.cpp
  Json control_json() const;
  bool knows_what_is() const;

  // hub_show.cpp
  void show_frames(const Picture& picture);
  void tell_happenings();
  Json event_json(const Happening& happening) const;
  void tell_status();
  void tell_times();
  void tell_shapes();
  void look_at_rederivations();
  Json status_json() const;
  std::string words_of(std::uint32_t bits) const;

  // hub_record.cpp
  void drain_inputs(bool still_recording);
  void finish_recording();
  void make_preview(const GalleryEntry& entry);

  HubOptions options_;
  Post post_;
  Gallery gallery_;
  std::string gallery_text_;
  std::map<Id, Client> clients_;
  Id next_client_ = 1;
  Id holder_ = 0;
  Nanoseconds held_at_ = 0, grabbed_at_ = 0;
  bool grabbed_ = false;

  std::shared_ptr<Stage> stage_;
  std::uint32_t next_scene_ = 1;
  std::optional<Picture> picture_;  // the newest
  Choice chosen_;
  Coupling wished_{};
  LeadWish lead_;                // the last that was asked for
  std::vector<double> learned_;  // adjustable parameters as the law knows them
  struct Building {
    std::string what;
    Nanoseconds since = 0;
  };
  std::optional<Building> building_;
  std::optional<Fault> fault_;

  std::deque<Json> events_;
  long events_left_out_ = 0;
  std::uint32_t event_number_ = 0;
  RecentTimes compute_, wake_;
  Nanoseconds status_due_ = 0, times_due_ = 0, events_due_ = 0, shapes_due_ = 0;
  bool shapes_changed_ = false;
  contact::RederiveStatistics sets_;  // made for the work on the bench
  bool looking_at_sets_ = false;
  double factor_ = 0.0, factor_t_ = 0.0, factor_clock_ = 0.0;

  std::vector<Saved> saved_;
  int next_saved_ = 1;

  std::unique_ptr<RecordingInProgress> recording_;
  std::vector<std::shared_ptr<Recording>> recordings_;
  int next_recording_ = 1;
  bool recording_ends_ = false, recording_seen_ = false;
  Answer recording_answer_;

  std::map<std::string, std::string> scene_texts_, previews_;  // by name
  std::map<std::string, bool> previews_asked_;

  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Bench bench_;
  Workshop builder_{"tactus-build"}, writer_{"tactus-write"};  // end before all the rest
};

}  // namespace tactus::serve

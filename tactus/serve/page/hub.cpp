#include <tactus/serve/page/hub.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/check/adjustable.h>
#include <tactus/describe/read/load.h>

namespace tactus::serve {

namespace {

constexpr int kVersion = 1;
constexpr double kMessagesPerSecond = 500.0, kBurst = 1000.0;
constexpr Nanoseconds kForceAfter = 2 * kSecond;  // after the last grab

}  // namespace

Hub::Hub(HubOptions options, Post post, const BenchOptions& bench)
    : options_(std::move(options)),
      post_(std::move(post)),
      gallery_(options_.models,
               options_.first.find_first_of("./") != std::string::npos ? options_.first : ""),
      bench_(bench) {
  const std::string& first = options_.first;
  const GalleryEntry* entry = gallery_.find(first);
  if (entry == nullptr && !first.empty()) {
    entry = gallery_.find("own." + name_of_file(first));
    if (entry == nullptr) entry = gallery_.find(name_of_file(first));
  }
  if (entry == nullptr && !first.empty()) {
    std::vector<std::string> names;
    for (const GalleryEntry& known : gallery_.entries()) names.push_back(known.name);
    throw InputError({}, fmt::format("there is no model `{}`", first), suggestion(first, names));
  }
  if (entry == nullptr) entry = &gallery_.entries().front();
  gallery_.read_with(entry->name, options_.settings, options_.reading);
  if (!entry->problem.empty())  // throws what is wrong with it
    describe::load(entry->path, entry->settings, {.floating = entry->floating, .angles = entry->angles});
  gallery_text_ = gallery_.message();
  if (std::optional<Order> order = order_of(entry->name)) build({}, std::move(*order));
}

Hub::~Hub() { *alive_ = false; }

Hub::Client* Hub::find(Id id) {
  const auto found = clients_.find(id);
  return found == clients_.end() ? nullptr : &found->second;
}

void Hub::say(Client& client, std::shared_ptr<const std::string> text) { client.link->send(std::move(text)); }

void Hub::say(Client& client, const Json& message) {
  say(client,
      std::make_shared<const std::string>(message.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

void Hub::say_all(const Json& message, bool perishable) {
  const auto text =
      std::make_shared<const std::string>(message.dump(-1, ' ', false, Json::error_handler_t::replace));
  for (auto& [id, client] : clients_)
    if (client.greeted && !(perishable && client.link->behind())) say(client, text);
}

void Hub::answer(const Answer& to, Json more) {
  Client* const client = find(to.client);
  if (client == nullptr) return;
  Json message = {{"type", "ok"}, {"about", to.about}};
  if (to.request >= 0) message["request"] = to.request;
  for (auto it = more.begin(); it != more.end(); ++it) message[it.key()] = it.value();
  say(*client, message);
}

void Hub::refuse(const Answer& to, const std::string& what, const std::string& remedy,
                 const std::optional<Place>& where) {
  Client* const client = find(to.client);
  if (client == nullptr) return;
  Json message = {{"type", "error"}, {"about", to.about}, {"what", what}, {"remedy", remedy}};
  if (to.request >= 0) message["request"] = to.request;
  if (where && where->line > 0)
    message["where"] = {{"file", where->file}, {"line", where->line}, {"column", where->column}};
  say(*client, message);
}

void Hub::refuse(const Answer& to, const std::exception& error) {
  if (const auto* input = dynamic_cast<const InputError*>(&error))
    refuse(to, input->wrong(), input->remedy(), input->where());
  else
    refuse(to, error.what(), "try again");
}

Hub::Id Hub::connect(std::shared_ptr<Link> link) {
  Client client;
  client.id = next_client_++;
  client.link = std::move(link);
  client.connected = client.allowance_at = now();
  client.allowance = kBurst;
  const Id id = client.id;
  clients_.emplace(id, std::move(client));
  return id;
}

void Hub::disconnect(Id id) {
  leave(id, true);
  clients_.erase(id);
}

bool Hub::within_rate(Client& client) {
  const Nanoseconds at = now();
  client.allowance = std::min(
      kBurst, client.allowance + kMessagesPerSecond * 1e-9 * static_cast<double>(at - client.allowance_at));
  client.allowance_at = at;
  client.allowance -= 1.0;
  return client.allowance >= 0.0;
}

void Hub::receive(Id id, std::string_view text) {
  Client* const client = find(id);
  if (client == nullptr) return;
  if (!within_rate(*client)) {
    options_.log(
        fmt::format("client {} sends more than {:g} messages per second: closed", id, kMessagesPerSecond));
    client->link->close(kPolicy, "too many messages");
    return;
  }
  Answer to{id, -1, "message"};
  try {
    const Decoded decoded = decode(text);
    to = {id, decoded.request, decoded.type};
    if (!client->greeted && !std::holds_alternative<say::Hello>(decoded.message)) {
      client->link->close(kPolicy, "hello comes first");
      return;
    }
    obey(*client, decoded, to);
  } catch (const Refusal& refusal) {
    if (refusal.fatal) {
      options_.log(fmt::format("client {}: {}: closed", id, refusal.what()));
      client->link->close(kNotUnderstood, refusal.what());
      return;
    }
    refuse({id, refusal.request, refusal.about}, refusal.what(), refusal.remedy);
  } catch (const std::exception& error) {
    refuse(to, error);
  }
}

void Hub::obey(Client& client, const Decoded& decoded, const Answer& to) {
  if (needs_hold(decoded.message) && !hold(client, to)) return;
  std::visit([&](const auto& message) { on(client, to, message); }, decoded.message);
}

bool Hub::hold(Client& client, const Answer& to) {
  if (holder_ == client.id || holder_ == 0) {
    holder_ = client.id;
    held_at_ = now();
    return true;
  }
  const Client* const other = find(holder_);
  const std::string who =
      other == nullptr || other->name.empty() ? fmt::format("page {}", holder_) : other->name;
  refuse({to.client, to.request, "hold"}, who + " holds the mechanism", "take it over, or wait");
  return false;
}

void Hub::leave(Id id, bool gone) {
  if (holder_ != id) return;
  holder_ = 0;
  if (grabbed_) command({}, {.kind = Command::Kind::release, .value = gone ? 1.0 : 0.0});
  grabbed_ = false;
}

/// To the loop, meant for what is shown now.
bool Hub::command(const Answer& to, Command command) {
  if (stage_ == nullptr) {
    refuse(to, "nothing is open yet", "wait for the scene");
    return false;
  }
  command.scene = stage_->work->scene;
  command.client = to.client;
  command.request = to.request;
  command.arrived = now();
  if (bench_.send(command)) return true;
  refuse(to, "the loop has no time for more messages", "send fewer");
  return false;
}

void Hub::on(Client& client, const Answer& to, const say::Hello& hello) {
  if (hello.version != kVersion) {
    refuse(to, fmt::format("the page speaks version {}, the server version {}", hello.version, kVersion),
           "load the page again");
    client.link->close(kOtherVersion, "another version");
    return;
  }
  client.name = hello.name.substr(0, 40);
  if (client.greeted) return;
  client.greeted = true;
  Json welcome = {
      {"type", "welcome"},
      {"version", kVersion},
      {"server", options_.version},
      {"you", client.id},
      {"color", client.id % 8},
      {"limits", {{"message", kLargestMessage}, {"rate", kMessagesPerSecond}, {"model", kLargestModel}}}};
  if (to.request >= 0) welcome["request"] = to.request;
  say(client, welcome);
  say(client, std::make_shared<const std::string>(gallery_text_));
  if (stage_ == nullptr) return;
  choose_columns(client);
  Json scene = stage_->scene;
  scene["why"] = "connect";
  say(client, scene);
}

void Hub::on(Client& client, const Answer& to, const say::Ping& ping) {
  Json pong = {{"type", "pong"}, {"t", ping.t}, {"clock", 1e-9 * static_cast<double>(now())}};
  if (to.request >= 0) pong["request"] = to.request;
  say(client, pong);
}

void Hub::on(Client& client, const Answer&, const say::Frames& frames) {
  client.rate = frames.rate;
  client.samples.clear();
}

void Hub::on(Client& client, const Answer& to, const say::Channels& channels) {
  client.channel_names = channels.names;
  choose_columns(client);
  answer(to);
}

/// A channel that this mechanism does not have is left out, and comes back with one that has it.
void Hub::choose_columns(Client& client) {
  client.columns.clear();
  client.samples.clear();
  if (stage_ == nullptr) return;
  for (const std::string& name : client.channel_names) {
    std::size_t column = static_cast<std::size_t>(-1);
    for (const Channel& channel : stage_->work->channels)
      if (channel.name == name) column = channel.column;
    client.columns.push_back(column);
  }
}

void Hub::on(Client& client, const Answer& to, const say::Take& take) {
  if (take.force && holder_ != client.id && holder_ != 0) {
    if (grabbed_ || now() - grabbed_at_ < kForceAfter) return void(hold(client, to));
    leave(holder_);
  }
  if (hold(client, to)) answer(to);
}

void Hub::on(Client& client, const Answer& to, const say::Leave&) {
  leave(client.id);
  answer(to);
}

namespace {

int body_of(const Stage& stage, int body) {
  if (body <= 0 || static_cast<std::size_t>(body) >= stage.work->port_of_body.size())
    throw InputError({}, fmt::format("there is no body {} that moves", body),
                     fmt::format("bodies are 1 to {}", stage.work->port_of_body.size() - 1));
  return body;
}

}  // namespace

void Hub::on(Client&, const Answer& to, const say::Grab& grab) {
  if (stage_ == nullptr) return refuse(to, "nothing is open yet", "wait for the scene");
  command(to, {.kind = Command::Kind::grab,
               .index = body_of(*stage_, grab.body),
               .a = grab.point,
               .b = grab.target,
               .sequence = grab.sequence});
  grabbed_ = true;
  grabbed_at_ = now();
}

void Hub::on(Client&, const Answer& to, const say::Move& move) {
  grabbed_at_ = now();
  command(to, {.kind = Command::Kind::move, .a = move.target, .b = move.turn, .sequence = move.sequence});
}

void Hub::on(Client&, const Answer& to, const say::Release&) {
  grabbed_ = false;
  command(to, {.kind = Command::Kind::release});
}

void Hub::on(Client&, const Answer& to, const say::Push& push) {
  if (stage_ == nullptr) return refuse(to, "nothing is open yet", "wait for the scene");
  const int body = body_of(*stage_, push.body);
  grabbed_at_ = now();
  command(to, {.kind = Command::Kind::push,
               .index = body,
               .a = push.force,
               .b = push.point.value_or(stage_->work->masses[static_cast<std::size_t>(body)].com)});
}

void Hub::on(Client&, const Answer& to, const say::Coupling& coupling) {
  Json more = Json::object();
  if (coupling.stiffness) {
    wished_.stiffness = *coupling.stiffness;
    if (picture_ && picture_->hand.body >= 0 && wished_.stiffness > picture_->hand.limit)
      wished_.stiffness = picture_->hand.limit;
    more["stiffness"] = wished_.stiffness;
  }
  if (coupling.damping) wished_.ratio = *coupling.damping;
  if (coupling.force) wished_.force = *coupling.force;
  if (command(to, {.kind = Command::Kind::coupling, .a = {wished_.stiffness, wished_.ratio, wished_.force}}))
    answer(to, std::move(more));
}

void Hub::on(Client&, const Answer& to, const say::Parameter& parameter) {
  if (stage_ == nullptr) return refuse(to, "nothing is open yet", "wait for the scene");
  const std::span<const std::string> names = stage_->work->mechanism->adjustable();
  const auto found = std::find(names.begin(), names.end(), parameter.name);
  if (found == names.end()) {
    const std::string reader = describe::read_once_by(stage_->work->model, parameter.name);
    if (!reader.empty())
      return refuse(
          to, fmt::format("`{}` cannot be adjusted while it moves: {} reads it once", parameter.name, reader),
          "change it in the file, and apply that");
    return refuse(to, fmt::format("there is no parameter `{}` to adjust", parameter.name),
                  suggestion(parameter.name, std::vector<std::string>(names.begin(), names.end())));
  }
  command(to, {.kind = Command::Kind::parameter,
               .index = static_cast<int>(found - names.begin()),
               .value = parameter.value});
}

void Hub::on(Client&, const Answer& to, const say::ParametersReset&) {
  if (command(to, {.kind = Command::Kind::parameters_reset})) answer(to);
}

void Hub::on(Client&, const Answer& to, const say::Constraint& constraint) {
  if (stage_ == nullptr) return refuse(to, "nothing is open yet", "wait for the scene");
  const int index = stage_->work->mechanism->constraint(constraint.name);
  command(to, {.kind = Command::Kind::constraint, .index = index, .value = constraint.on ? 1.0 : 0.0});
}

void Hub::on(Client&, const Answer& to, const say::Time& time) {
  using Do = say::Time::Do;
  bool well = true;
  if (time.rate) well = command(to, {.kind = Command::Kind::rate, .value = *time.rate});
  switch (time.action) {
    case Do::nothing:
      break;
    case Do::pause:
      well &= command(to, {.kind = Command::Kind::pause});
      break;
    case Do::run:
      well &= command(to, {.kind = Command::Kind::run});
      break;
    case Do::step:
      well &= command(to, {.kind = Command::Kind::step, .index = time.ticks});
      break;
    case Do::reset:
      well &= command(to, {.kind = Command::Kind::reset, .index = 0});
      break;
  }
  if (well) answer(to);
}

void Hub::on(Client&, const Answer& to, const say::Snapshot& snapshot) {
  using Do = say::Snapshot::Do;
  const auto with_id = [&] {
    return std::find_if(saved_.begin(), saved_.end(),
                        [&](const Saved& saved) { return saved.id == snapshot.id && saved.there; });
  };
  if (snapshot.action == Do::save) {
    std::size_t slot = 1;
    for (; slot < Work::kSnapshots; ++slot)
      if (std::none_of(saved_.begin(), saved_.end(), [&](const Saved& s) { return s.slot == slot; })) break;
    if (slot == Work::kSnapshots) {
      slot = saved_.front().slot;
      saved_.erase(saved_.begin());
    }
    if (!command(to, {.kind = Command::Kind::save, .index = static_cast<int>(slot)})) return;
    saved_.push_back({next_saved_++, slot, 0.0, false, to});
    return;
  }
  const auto found = with_id();
  if (found == saved_.end())
    return refuse(to, fmt::format("there is no snapshot {}", snapshot.id), "status.snapshots lists them");
  if (snapshot.action == Do::drop) {
    saved_.erase(found);
    return answer(to);
  }
  if (command(to, {.kind = Command::Kind::load, .index = static_cast<int>(found->slot)})) answer(to);
}

void Hub::on(Client&, const Answer& to, const say::ClearFault&) {
  if (!command(to, {.kind = Command::Kind::clear_fault})) return;
  fault_.reset();
  answer(to);
}

void Hub::on(Client& client, const Answer& to, const say::Text& text) {
  Json message = {{"type", "text"}};
  if (to.request >= 0) message["request"] = to.request;
  if (text.model.empty()) {
    if (stage_ == nullptr) return refuse(to, "nothing is open yet", "wait for the scene");
    message["model"] = stage_->label.name;
    message["file"] = stage_->label.file;
    message["text"] = stage_->text;
  } else {
    const std::optional<Order> order = order_of(text.model);
    if (!order)
      return refuse(to, fmt::format("there is no model `{}`", text.model), "the gallery lists them");
    message["model"] = text.model;
    message["file"] = order->label.file;
    message["text"] = order->text;
  }
  say(client, message);
}

void Hub::end() {
  for (auto& [id, client] : clients_) client.link->close(kGoingAway, "the server ends");
}

}  // namespace tactus::serve

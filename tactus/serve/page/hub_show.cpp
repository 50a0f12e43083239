// What the pages are shown: frames, events, status.
#include <tactus/serve/page/hub.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/contact/mechanism/event_mechanism.h>
#include <tactus/serve/page/frame.h>

namespace tactus::serve {

namespace {

constexpr Nanoseconds kStatusEvery = kSecond / 10, kEventsEvery = kSecond / 20, kShapesEvery = kSecond / 10;
constexpr Nanoseconds kHoldLasts = 30 * kSecond, kHelloWithin = 10 * kSecond;
constexpr std::size_t kMostEvents = 200;    // in one message
constexpr std::size_t kMostSamples = 1000;  // that wait for a client

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

/// Masses along three directions, the easiest first; null where it cannot move.
Json felt_json(const FeltPicture& felt) {
  if (!felt.known) return {};
  Json masses = Json::array(), directions = Json::array();
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3& d = felt.mass.direction[k];
    masses.push_back(number(felt.mass.mass[k]));
    directions.push_back({d.x, d.y, d.z});
  }
  Json json = {{"masses", std::move(masses)}, {"directions", std::move(directions)}, {"own", felt.own}};
  if (felt.along > 0.0) json["along"] = number(felt.along);
  return json;
}
}  // namespace

void Hub::show() {
  const Nanoseconds at = now();
  if (holder_ != 0 && !grabbed_ && at - held_at_ > kHoldLasts) leave(holder_);
  std::vector<std::shared_ptr<Link>> silent;
  for (auto& [id, client] : clients_)
    if (!client.greeted && at - client.connected > kHelloWithin) silent.push_back(client.link);
  for (const auto& link : silent) link->close(kPolicy, "no hello");

  if (stage_ != nullptr) {
    Work& work = *stage_->work;
    if (work.faults.update()) fault_ = work.faults.front();
    if (work.pictures.update()) {
      picture_ = work.pictures.front();
      if (!picture_->faulted) fault_.reset();
    }
    while (const TickTimes* times = work.times.front()) {
      compute_.add(times->compute);
      wake_.add(times->wake);
      work.times.pop();
    }
    while (const std::vector<double>* sample = work.samples.front()) {
      if (recording_ != nullptr && picture_ && picture_->recording) recording_->recorded.seen_q = *sample;
      for (auto& [id, client] : clients_)
        if (client.greeted && !client.columns.empty() && client.rate > 0.0) {
          client.samples.push_back(*sample);
          if (client.samples.size() > kMostSamples) client.samples.pop_front();
        }
      work.samples.pop();
    }
    tell_happenings();
    drain_inputs(picture_ && picture_->recording);
    if (picture_) show_frames(*picture_);
  }
  if (at >= events_due_ && !events_.empty()) {
    events_due_ = at + kEventsEvery;
    Json list = Json::array();
    while (!events_.empty() && list.size() < kMostEvents) {
      list.push_back(std::move(events_.front()));
      events_.pop_front();
    }
    say_all({{"type", "events"},
             {"scene", stage_ ? stage_->work->scene : 0},
             {"left_out", std::exchange(events_left_out_, 0)},
             {"events", std::move(list)}},
            true);
  }
  if (shapes_changed_ && at >= shapes_due_) {
    shapes_due_ = at + kShapesEvery;
    shapes_changed_ = false;
    tell_shapes();
  }
  if (at >= status_due_) {
    status_due_ = at + kStatusEvery;
    tell_status();
  }
  if (at >= times_due_) {
    times_due_ = at + kSecond;
    if (stage_ != nullptr)
      say_all({{"type", "loop"}, {"compute", compute_.bins()}, {"wake", wake_.bins()}}, true);
    compute_.turn();
    wake_.turn();
    look_at_rederivations();
  }
}

/// In a workshop: whoever asks waits until the set that is being derived is made.
void Hub::look_at_rederivations() {
  if (stage_ == nullptr || stage_->work->by_events == nullptr || looking_at_sets_) return;
  if (!stage_->work->by_events->rederiver()) return;
  const std::weak_ptr<bool> alive = alive_;
  looking_at_sets_ = writer_.give([this, alive, work = stage_->work] {
    const contact::RederiveStatistics made = work->by_events->rederiver()->statistics();
    post_([this, alive, work, made] {
      if (const auto here = alive.lock(); !here || !*here) return;
      looking_at_sets_ = false;
      if (stage_ == nullptr || stage_->work != work) return;
      if (made.made > sets_.made) {
        const auto sets = static_cast<double>(made.made - sets_.made);
        events_.push_back(
            {{"number", ++event_number_},
             {"t", picture_ ? picture_->t : 0.0},
             {"kind", "rederived"},
             {"what", fmt::format("equations for {} more set{} of contacts", made.made - sets_.made,
                                  made.made - sets_.made == 1 ? "" : "s")},
             {"derive", (made.derive_total - sets_.derive_total) / sets},
             {"compile", (made.compile_total - sets_.compile_total) / sets}});
      }
      sets_ = made;
    });
  });
}

void Hub::show_frames(const Picture& picture) {
  const Nanoseconds at = now();
  for (auto& [id, client] : clients_) {
    // A display tick comes within some tenths of a millisecond of its time.
    constexpr Nanoseconds kNearly = kSecond / 1000;
    if (!client.greeted || !(client.rate > 0.0) || at + kNearly < client.due) continue;
    const auto period = static_cast<Nanoseconds>(1e9 / client.rate);
    client.due = std::max(client.due + period, at - period);
    Client& to = client;
    const bool sent = client.link->send_frame([&] {
      const std::vector<std::vector<double>> samples(to.samples.begin(), to.samples.end());
      to.samples.clear();
      return encode_frame({stage_->work->scene, to.sequence}, picture, samples, to.columns);
    });
    ++client.sequence;
    ++(sent ? client.sent : client.dropped);
  }
}

std::string Hub::words_of(std::uint32_t bits) const {
  using Bit = simulate::Status::Bit;
  static constexpr std::pair<Bit, const char*> kWords[] = {
      {Bit::not_finite, "a number became infinite"},
      {Bit::diverged, "it became too fast"},
      {Bit::not_converged, "the equations of a step were not solved"},
      {Bit::constraint_lost, "a constraint could not be held"},
      {Bit::chattering, "impacts followed each other without end"},
      {Bit::too_many_events, "too much happened in one tick"},
      {Bit::no_consistent_modes, "no way of sticking and sliding obeys the laws of friction"},
      {Bit::contacts_overflow, "too many contacts"},
      {Bit::overlap_lost, "bodies were pressed into each other"},
      {Bit::parameters_singular, "the parametric coordinates are singular there"},
      {Bit::energy_unexplained, "its energy did not add up"},
      {Bit::too_much_work, "a tick would have taken too long"}};
  std::string words;
  for (const auto& [bit, text] : kWords)
    if ((bits & bit) != 0) words += (words.empty() ? "" : ", ") + std::string(text);
  return words.empty() ? "the step failed" : words;
}

Json Hub::event_json(const Happening& h) const {
  using Kind = Happening::Kind;
  const describe::Model& model = stage_->work->model;
  Json event = {{"t", h.t}};
  switch (h.kind) {
    case Kind::event: {
      event["kind"] = name_of(static_cast<simulate::EventKind>(h.what));
      if (h.pair >= 0) {
        const describe::ContactPair& pair = model.contact.pairs[static_cast<std::size_t>(h.pair)];
        event["pair"] = h.pair;
        event["what"] = pair.name;
      }
      if (h.stop >= 0) {
        event["stop"] = h.stop;
        event["what"] = model.contact.stops[static_cast<std::size_t>(h.stop)].name;
      }
      if (h.transition >= 0) {
        const describe::Transition& t = model.contact.transitions[static_cast<std::size_t>(h.transition)];
        event["transition"] = h.transition;
        event["what"] = t.description.empty() ? t.name : t.description;
      }
      if (h.value != 0.0) event["impulse"] = number(h.value);
      break;
    }
    case Kind::constraint:
      event["kind"] = "constraint";
      event["constraint"] = h.index;
      event["what"] = stage_->work->mechanism->constraints()[static_cast<std::size_t>(h.index)].name;
      event["on"] = h.value != 0.0;
      break;
    case Kind::parameter:
      event["kind"] = "parameter";
      event["what"] = h.index < 0 ? std::string("all as in the file")
                                  : stage_->work->mechanism->adjustable()[static_cast<std::size_t>(h.index)];
      if (h.index >= 0) event["name"] = event["what"], event["value"] = h.value;
      break;
    case Kind::reset:
      event["kind"] = "reset";
      event["what"] = "back to the start";
      break;
    case Kind::loaded:
      event["kind"] = "loaded";
      event["what"] = "back to a snapshot";
      break;
    case Kind::fault:
      event["kind"] = "fault";
      event["what"] = words_of(h.bits);
      break;
    case Kind::let_go:
      event["kind"] = "let_go";
      event["what"] = "the hand was opened";
      event["why"] = words_of(h.bits);
      break;
    case Kind::went_back:
      event["kind"] = "went_back";
      event["what"] = fmt::format("the motion could not go on, and went back {:.2g} s", h.value);
      event["why"] = words_of(h.bits);
      event["seconds"] = h.value;
      break;
    case Kind::engine:
      event["kind"] = "engine";
      event["what"] = static_cast<simulate::EngineKind>(h.what) == simulate::EngineKind::stepping
                          ? "too much touches for events: whole steps go on"
                          : "contact goes by events again";
      break;
    case Kind::law_off:
      event["kind"] = "law_off";
      event["what"] = "the control law was switched off";
      event["why"] = h.bits == 0 ? std::string("its forces were no numbers") : words_of(h.bits);
      break;
    case Kind::saved:
    case Kind::refused:
      break;
  }
  return event;
}

void Hub::tell_happenings() {
  using Kind = Happening::Kind;
  Work& work = *stage_->work;
  for (; const Happening* h = work.happenings.front(); work.happenings.pop()) {
    const Answer to{h->client, h->request, ""};
    if (h->kind == Kind::refused) {
      const auto kind = static_cast<Command::Kind>(h->what);
      Answer answer = to;
      if (kind == Command::Kind::parameter) {
        answer.about = "parameter";
        refuse(
            answer,
            fmt::format("`{}` cannot be {:g} here",
                        work.mechanism->adjustable()[static_cast<std::size_t>(h->index)], h->value),
            "a mass would be negative, or the loops could not be closed: take a value nearer to the old one");
      } else if (kind == Command::Kind::constraint) {
        answer.about = "constraint";
        refuse(answer,
               fmt::format("`{}` cannot be switched {} here",
                           work.mechanism->constraints()[static_cast<std::size_t>(h->index)].name,
                           h->value != 0.0 ? "on" : "off"),
               "bring the mechanism to where it fits");
      } else if (kind == Command::Kind::grab) {
        answer.about = "grab";
        refuse(answer, "this body does not move", "take another one");
      } else {
        answer.about = "snapshot";
        refuse(answer, "the snapshot does not fit", "save a new one");
      }
      continue;
    }
    if (h->kind == Kind::saved) {
      for (Saved& saved : saved_)
        if (saved.slot == static_cast<std::size_t>(h->index) && !saved.there) {
          saved.there = true;
          saved.t = h->t;
          answer(saved.answer, {{"id", saved.id}, {"t", saved.t}});
        }
      continue;
    }
    if (h->kind == Kind::parameter) {
      shapes_changed_ = true;
      if (h->index >= 0) answer({h->client, h->request, "parameter"}, {{"value", h->value}});
    }
    if (h->kind == Kind::constraint) answer({h->client, h->request, "constraint"});
    if (recording_ != nullptr && (h->kind == Kind::parameter || h->kind == Kind::constraint)) {
      const bool constraint = h->kind == Kind::constraint;
      std::vector<ChangeAt>& changes = recording_->recorded.changes;
      const auto tick = static_cast<long>(h->more);
      const auto put = [&](std::size_t i, double value) {
        changes.push_back({tick, false, work.mechanism->adjustable()[i], value});
      };
      if (constraint)
        changes.push_back(
            {tick, true, work.mechanism->constraints()[static_cast<std::size_t>(h->index)].name, h->value});
      else if (h->index >= 0)
        put(static_cast<std::size_t>(h->index), h->value);
      else
        for (int pass = 0; pass < 2; ++pass)
          for (std::size_t i = 0; i < work.initial_parameters.size(); ++i) put(i, work.initial_parameters[i]);
    }
    if (h->kind == Kind::let_go || h->kind == Kind::went_back || h->kind == Kind::fault ||
        h->kind == Kind::reset || h->kind == Kind::loaded)
      grabbed_ = false;
    Json event = event_json(*h);
    event["number"] = ++event_number_;
    constexpr std::size_t kMostWaiting = 2000;
    if (events_.size() < kMostWaiting)
      events_.push_back(std::move(event));
    else
      ++events_left_out_;
  }
}

void Hub::tell_shapes() {
  if (stage_ == nullptr || !picture_) return;
  Work& work = *stage_->work;
  std::vector<ParameterValue> values;
  for (std::size_t i = 0; i < picture_->parameters.size(); ++i)
    values.push_back({work.mechanism->adjustable()[i], picture_->parameters[i]});
  Json shapes =
      shapes_of(work.model, work.mechanism->constraints(), picture_->active, values, stage_->meshes);
  shapes["scene"] = work.scene;
  // What did not change is left out.
  Json& bodies = shapes["bodies"];
  const Json& known = stage_->scene["bodies"];
  Json changed = Json::array();
  for (Json& body : bodies) {
    const std::size_t i = body["index"];
    if (body["shapes"] != known[i]["shapes"] || body["com"] != known[i]["com"] ||
        body["mass"] != known[i]["mass"])
      changed.push_back(std::move(body));
  }
  if (changed.empty() && shapes["joints"] == stage_->scene["joints"] &&
      shapes["frames"] == stage_->scene["frames"])
    return;
  for (const Json& body : changed) {
    const std::size_t i = body["index"];
    for (const char* key : {"shapes", "com", "mass"}) stage_->scene["bodies"][i][key] = body[key];
  }
  for (const char* key : {"joints", "frames", "constraints"}) stage_->scene[key] = shapes[key];
  bodies = std::move(changed);
  say_all(shapes);
}

void Hub::tell_status() {
  Json status = status_json();
  // How fast simulated time goes by.
  if (picture_) {
    if (factor_clock_ > 0.0 && picture_->clock > factor_clock_ && picture_->t >= factor_t_) {
      const double now_factor = (picture_->t - factor_t_) / (picture_->clock - factor_clock_);
      constexpr double kNew = 0.3;
      factor_ = factor_ > 0.0 ? factor_ + kNew * (now_factor - factor_) : now_factor;
    }
    factor_t_ = picture_->t;
    factor_clock_ = picture_->clock;
  }
  for (auto& [id, client] : clients_) {
    if (!client.greeted || client.link->behind()) continue;
    status["frames"] = {{"sent", client.sent}, {"dropped", client.dropped}};
    say(client, status);
  }
}

Json Hub::status_json() const {
  Json clients = Json::array();
  for (const auto& [id, client] : clients_)
    if (client.greeted) clients.push_back({{"id", id}, {"name", client.name}, {"color", id % 8}});
  Json status = {{"type", "status"},
                 {"scene", stage_ ? stage_->work->scene : 0},
                 {"t", picture_ ? Json(picture_->t) : Json()},
                 {"clock", seconds(now())},
                 {"state", building_           ? "building"
                           : !picture_         ? "building"
                           : picture_->faulted ? "faulted"
                           : picture_->paused  ? "paused"
                                               : "running"}};
  status["holder"] = holder_ != 0 ? Json(holder_) : Json();
  status["clients"] = std::move(clients);
  status["building"] =
      building_ ? Json{{"what", building_->what}, {"seconds", seconds(now() - building_->since)}} : Json();
  status["recording"] = Json();
  if (recording_ != nullptr && stage_ != nullptr)
    status["recording"] = {
        {"id", recording_->id},
        {"seconds", static_cast<double>(recording_->recorded.ticks) * recording_->recorded.choice.step}};
  Json recordings = Json::array();
  for (const auto& r : recordings_)
    recordings.push_back({{"id", r->id},
                          {"seconds", r->seconds},
                          {"ticks", r->recorded.ticks},
                          {"model", r->recorded.model_name},
                          {"ready", r->ready},
                          {"problem", r->problem.empty() ? Json() : Json(r->problem)}});
  status["recordings"] = std::move(recordings);
  Json snapshots = Json::array();
  for (const Saved& saved : saved_)
    if (saved.there) snapshots.push_back({{"id", saved.id}, {"t", saved.t}});
  status["snapshots"] = std::move(snapshots);
  if (!picture_ || stage_ == nullptr) return status;
  const Picture& p = *picture_;
  const Work& work = *stage_->work;
  status["rate"] = p.rate;
  status["factor"] = p.paused || p.faulted ? Json() : number(factor_);
  status["loop"] = {{"hz", p.rate / work.choice.step},
                    {"step", work.choice.step},
                    {"ticks", p.ticks},
                    {"missed", p.missed},
                    {"late", p.late},
                    {"compute", compute_.summary()},
                    {"wake", wake_.summary()},
                    {"held", p.held},
                    {"priority", bench_.has_priority()}};
  status["fault"] = Json();
  if (p.faulted && fault_)
    status["fault"] = {{"what", fault_->what},
                       {"why", fault_->why},
                       {"remedy", "go on without the hand, or go back to the start"},
                       {"t", fault_->t}};
  const HandPicture& hand = p.hand;
  status["hand"] = Json();
  if (hand.body >= 0)
    status["hand"] = {
        {"by", hand.client},           {"body", hand.body},           {"mass", number(hand.mass)},
        {"limit", number(hand.limit)}, {"stiffness", hand.stiffness}, {"damping", hand.ratio},
        {"force", hand.most},          {"designed", hand.designed},   {"felt", felt_json(hand.felt)}};
  status["probe"] = Json();
  if (p.probe.body > 0)
    status["probe"] = {{"body", p.probe.body},
                       {"point", {p.probe.point_B.x, p.probe.point_B.y, p.probe.point_B.z}},
                       {"felt", felt_json(p.probe.felt)}};
  status["control"] = control_json();
  status["coupling"] = {{"stiffness", wished_.stiffness > 0.0 ? Json(wished_.stiffness) : Json()},
                        {"damping", wished_.ratio},
                        {"force", wished_.force > 0.0 ? Json(wished_.force) : Json()}};
  Json parameters = Json::object();
  for (std::size_t i = 0; i < p.parameters.size(); ++i)
    if (p.parameters[i] != work.initial_parameters[i])
      parameters[work.mechanism->adjustable()[i]] = p.parameters[i];
  status["parameters"] = std::move(parameters);
  Json active = Json::array();
  for (const char on : p.active) active.push_back(on != 0);
  status["active"] = std::move(active);
  status["errors"] = {{"position", number(p.position_error)},
                      {"velocity", number(p.velocity_error)},
                      {"worst_position", number(p.worst_position)},
                      {"worst_velocity", number(p.worst_velocity)}};
  status["energy"] = {{"kinetic", number(p.kinetic)}, {"potential", number(p.potential)}};
  status["contacts"] = p.contact_count;
  status["rederived"] = Json();
  if (work.by_events != nullptr)
    status["rederived"] = {{"sets", sets_.made},
                           {"refused", sets_.refused},
                           {"derive", sets_.derive_worst},
                           {"compile", sets_.compile_worst}};
  return status;
}

}  // namespace tactus::serve

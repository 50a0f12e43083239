// Recordings and thumbnails.
#include <tactus/serve/page/hub.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/serve/page/frame.h>

namespace tactus::serve {

namespace {

constexpr std::size_t kMostRecordings = 8;

/// For a name in the head of an answer: a page may have called its model anything.
std::string plain(std::string name) {
  for (char& c : name)
    if (!(std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.')) c = '_';
  return name.substr(0, 60);
}

/// Some seconds of a motion by itself.
std::string preview_of(Work& work) {
  constexpr double kSeconds = 3.0, kRate = 30.0;
  constexpr Nanoseconds kPatience = 3 * kSecond;
  simulate::Mechanism& mechanism = *work.mechanism;
  const long every = std::max(1L, std::lround(1.0 / (kRate * work.choice.step)));
  const long ticks = std::lround(kSeconds / work.choice.step);
  std::vector<float> poses;
  const Nanoseconds start = now();
  for (long tick = 0; tick <= ticks; ++tick) {
    if (tick % every == 0) {
      if (now() - start > kPatience) break;
      for (std::size_t b = 0; b < work.port_of_body.size(); ++b) {
        math::Pose<double> X;
        if (work.port_of_body[b] >= 0) X = mechanism.motion(work.port_of_body[b]).X_WP;
        const std::array<float, 7> numbers = numbers_of(X);
        poses.insert(poses.end(), numbers.begin(), numbers.end());
      }
    }
    if (!mechanism.step().ok()) break;
  }
  return encode_poses(work.port_of_body.size(), 1.0 / (static_cast<double>(every) * work.choice.step), poses);
}

}  // namespace

void Hub::on(Client&, const Answer& to, const say::Record& record) {
  if (stage_ == nullptr) return refuse(to, "nothing is open yet", "wait for the scene");
  if (!record.on) {
    if (recording_ == nullptr) return refuse(to, "nothing is being recorded", "begin a recording first");
    recording_ends_ = true;
    recording_answer_ = to;
    command({}, {.kind = Command::Kind::record_end});
    return;
  }
  if (recording_ != nullptr) return refuse(to, "a recording is under way", "end it first");
  const std::weak_ptr<bool> alive = alive_;
  const int id = next_recording_++;
  const bool given = builder_.give([this, alive, to, id, stage = stage_] {
    auto begun = std::make_shared<RecordingInProgress>();
    std::string problem, note;
    begun->id = id;
    Recorded& r = begun->recorded;
    r.model_name = stage->label.name;
    r.file = stage->label.file;
    r.path = stage->label.path;
    r.text = stage->text;
    try {
      bench_.borrow([&](Bench::Place& place) {
        if (place != stage->work)
          throw InputError({}, "another mechanism was opened meanwhile", "begin again");
        // What no state says (momenta, modes, warm starts) begins anew, here and where it is made again.
        simulate::Mechanism& mechanism = *place->mechanism;
        r.choice = place->choice;
        r.start = mechanism.state();
        for (std::size_t i = 0; i < mechanism.adjustable().size(); ++i) {
          r.parameter_names.push_back(mechanism.adjustable()[i]);
          r.parameters.push_back(mechanism.parameter_value(static_cast<int>(i)));
        }
        for (std::size_t i = 0; i < mechanism.constraints().size(); ++i)
          r.active.push_back(mechanism.is_active(static_cast<int>(i)));
        try {
          place_at_start(mechanism, r.start, r.parameter_names, r.parameters, r.active);
        } catch (const InputError&) {
          // Other constraints are on than at the start, and a state says nothing of that: it begins there.
          note = "the recording begins at the start: other constraints were on than there";
          mechanism.load(*place->snapshots[0]);
          r.start = mechanism.state();
          for (std::size_t i = 0; i < r.parameters.size(); ++i)
            r.parameters[i] = mechanism.parameter_value(static_cast<int>(i));
          for (std::size_t i = 0; i < r.active.size(); ++i)
            r.active[i] = mechanism.is_active(static_cast<int>(i));
          place_at_start(mechanism, r.start, r.parameter_names, r.parameters, r.active);
        }
        place->record_from_here = true;
      });
    } catch (const InputError& error) {
      problem = error.wrong();
    }
    post_([this, alive, to, begun, problem, note, stage] {
      if (const auto here = alive.lock(); !here || !*here) return;
      if (!problem.empty()) return refuse(to, problem, "let it move on, and begin again");
      if (stage_ != stage) return refuse(to, "another mechanism was opened meanwhile", "begin again");
      recording_ = std::make_unique<RecordingInProgress>(*begun);
      recording_ends_ = recording_seen_ = false;
      Json more = {{"id", begun->id}};
      if (!note.empty()) more["note"] = note;
      answer(to, std::move(more));
    });
  });
  if (!given) refuse(to, "too many things wait to be done", "wait a moment");
}

/// What acted in the ticks since the last look.
void Hub::drain_inputs(bool still_recording) {
  Work& work = *stage_->work;
  for (; const TickInputs* inputs = work.inputs.front(); work.inputs.pop())
    if (recording_ != nullptr) recording_->add(*inputs);
  if (recording_ == nullptr) return;
  if (recording_->full && !recording_ends_) {
    recording_ends_ = true;
    recording_answer_ = {};
    command({}, {.kind = Command::Kind::record_end});
  }
  // Pictures come later than inputs: what they have not begun to show has not ended.
  recording_seen_ |= still_recording;
  if (!still_recording && (recording_ends_ || recording_seen_)) finish_recording();
}

void Hub::finish_recording() {
  auto done = std::make_shared<Recording>();
  done->id = recording_->id;
  done->recorded = std::move(recording_->recorded);
  recording_.reset();
  recording_ends_ = false;
  Recorded& r = done->recorded;
  // The last sample that was seen while it ran: t, clock, q, u, ...
  const std::vector<double> sample = std::move(r.seen_q);
  r.seen_q.clear();
  const std::size_t nq = r.start.q.size(), nv = r.start.u.size();
  if (sample.size() >= 2 + nq + nv) {
    const long tick = std::lround((sample[0] - r.start.t) / r.choice.step);
    if (tick > 0 && tick <= r.ticks) {
      const auto q = sample.begin() + 2, u = q + static_cast<std::ptrdiff_t>(nq);
      r.seen_tick = tick;
      r.seen_q.assign(q, u);
      r.seen_u.assign(u, u + static_cast<std::ptrdiff_t>(nv));
    }
  }
  done->seconds = static_cast<double>(r.ticks) * r.choice.step;
  done->folder = options_.scratch;
  recordings_.push_back(done);
  if (recordings_.size() > kMostRecordings) {
    for (const char* ending : {"json", "csv", "mcap", "poses"})
      std::remove(
          fmt::format("{}/{}.{}", recordings_.front()->folder, recordings_.front()->id, ending).c_str());
    recordings_.erase(recordings_.begin());
  }
  answer(recording_answer_, {{"id", done->id}, {"seconds", done->seconds}, {"ticks", r.ticks}});
  recording_answer_ = {};
  const std::weak_ptr<bool> alive = alive_;
  const bool given = writer_.give([this, alive, done] {
    std::string problem;
    try {
      const Repeated again = write_files(*done);
      if (again.compared && !again.same)
        problem = fmt::format("made again it differs by up to {:.3g}", again.worst);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    post_([this, alive, done, problem] {
      if (const auto here = alive.lock(); !here || !*here) return;
      done->ready = true;
      done->problem = problem;
      if (!problem.empty()) options_.log(fmt::format("recording {}: {}", done->id, problem));
    });
  });
  if (!given) done->problem = "there was no time to write it";
}

void Hub::make_preview(const GalleryEntry& entry) {
  if (std::exchange(previews_asked_[entry.name], true)) return;
  const std::weak_ptr<bool> alive = alive_;
  const std::optional<Order> order = order_of(entry.name);
  if (!order) return;
  const bool given = writer_.give([this, alive, order = *order] {
    std::string scene, preview;
    try {
      describe::Model model =
          describe::load_text(order.text, order.label.file, order.choice.settings,
                              {.floating = order.choice.floating,
                               .angles = order.choice.angles,
                               .folder = std::filesystem::path(order.label.path).parent_path().string()});
      model.file = order.label.path;
      Work work(model, order.choice);
      scene = scene_of(work, order.label, &order.entry).dump(-1, ' ', false, Json::error_handler_t::replace);
      preview = preview_of(work);
    } catch (const std::exception& error) {
      scene = Json{{"type", "error"}, {"what", error.what()}}.dump();
    }
    post_([this, alive, name = order.entry.name, scene, preview] {
      if (const auto here = alive.lock(); !here || !*here) return;
      scene_texts_[name] = scene;
      previews_[name] = preview;
    });
  });
  if (!given) previews_asked_[entry.name] = false;
}

std::optional<Hub::Content> Hub::content(std::string_view path) {
  const auto after = [&](std::string_view folder) -> std::optional<std::string> {
    if (!path.starts_with(folder)) return std::nullopt;
    return std::string(path.substr(folder.size()));
  };
  if (const auto file = after("/models/")) {
    for (const GalleryEntry& entry : gallery_.entries())
      if (std::filesystem::path(entry.path).filename() == *file)
        return Content{200, "text/plain; charset=utf-8", "", entry.path, ""};
    return std::nullopt;
  }
  for (const bool moving : {false, true}) {
    const auto name = after(moving ? "/previews/" : "/scenes/");
    if (!name) continue;
    const GalleryEntry* const entry = gallery_.find(*name);
    if (entry == nullptr) return std::nullopt;
    auto& kept = moving ? previews_ : scene_texts_;
    if (const auto found = kept.find(*name); found != kept.end())
      return Content{found->second.empty() ? 404 : 200,
                     moving ? "application/octet-stream" : "application/json", found->second, "", ""};
    make_preview(*entry);
    return Content{503, "text/plain; charset=utf-8", "it is being made: ask again", "", ""};
  }
  if (const auto which = after("/meshes/"); which && stage_ != nullptr) {
    for (std::size_t i = 0; i < stage_->meshes.data.size(); ++i)
      if (*which == fmt::format("{}-{}", stage_->work->scene, i))
        return Content{200, "application/octet-stream", stage_->meshes.data[i].bytes, "", ""};
    return std::nullopt;
  }
  if (const auto file = after("/recordings/")) {
    for (const auto& r : recordings_)
      for (const auto& [ending, type] :
           {std::pair{"csv", "text/csv; charset=utf-8"}, std::pair{"mcap", "application/octet-stream"},
            std::pair{"json", "application/json"}, std::pair{"poses", "application/octet-stream"}})
        if (*file == fmt::format("{}.{}", r->id, ending)) {
          if (!r->ready)
            return Content{503, "text/plain; charset=utf-8", "it is being written: ask again", "", ""};
          return Content{200, type, "", fmt::format("{}/{}.{}", r->folder, r->id, ending),
                         fmt::format("{}-{}.{}", plain(r->recorded.model_name), r->id, ending)};
        }
  }
  return std::nullopt;
}

}  // namespace tactus::serve

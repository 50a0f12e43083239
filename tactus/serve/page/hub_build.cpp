// What needs new equations: opening, choosing, applying. A new work is built beside the running one, and swapped in between two ticks.
#include <tactus/serve/page/hub.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/serve/page/equation_page.h>

namespace tactus::serve {

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Carries the motion over from one work to another, by the names of coordinates, speeds, parameters and constraints. What came of it
/// in words; "" where all of it was carried over.
std::string carry_over(const Work& from, Work& to) {
  simulate::Mechanism& mechanism = *to.mechanism;
  const simulate::Mechanism& old = *from.mechanism;
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < old.adjustable().size(); ++i) {
      const auto names = mechanism.adjustable();
      const auto found = std::find(names.begin(), names.end(), old.adjustable()[i]);
      const double value = old.parameter_value(static_cast<int>(i));
      // What was moved by hand stays; what the file gives is the file's.
      if (found != names.end() && value != from.initial_parameters[i])
        mechanism.set_parameter(static_cast<int>(found - names.begin()), value);
    }
  simulate::State state = mechanism.state();
  state.t = old.state().t;
  state.momentum.clear();
  state.parameters.clear();
  std::size_t carried = 0;
  const auto take = [&](const std::vector<std::string>& names, const std::vector<std::string>& old_names,
                        const std::vector<double>& old_values, std::vector<double>& values) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto found = std::find(old_names.begin(), old_names.end(), names[i]);
      if (found == old_names.end()) continue;
      values[i] = old_values[static_cast<std::size_t>(found - old_names.begin())];
      ++carried;
    }
  };
  take(mechanism.coordinate_names(), old.coordinate_names(), old.state().q, state.q);
  take(mechanism.speed_names(), old.speed_names(), old.state().u, state.u);
  if (carried == 0) return "it begins anew: no coordinate has the name that it had";
  try {
    mechanism.set_state(std::move(state));
  } catch (const InputError& error) {
    return fmt::format("it begins anew: {}", error.wrong());
  }
  for (std::size_t i = 0; i < mechanism.constraints().size(); ++i)
    for (std::size_t j = 0; j < old.constraints().size(); ++j)
      if (old.constraints()[j].name == mechanism.constraints()[i].name)
        if (const bool on = old.is_active(static_cast<int>(j));
            on != mechanism.is_active(static_cast<int>(i)))
          mechanism.set_active(static_cast<int>(i), on);
  return carried == mechanism.nq() + mechanism.nv() ? "" : "what has a new name begins anew";
}

std::set<std::string> files_of(const describe::Model& model) {
  std::set<std::string> files;
  for (const describe::Body& body : model.bodies)
    for (const describe::Geometry& geometry : body.geometry)
      if (geometry.shape == describe::Geometry::Shape::mesh) files.insert(geometry.file);
  return files;
}

/// What a page sends names no files of this machine, but those that the file had before it was edited.
void refuse_files(const describe::Model& model, const SceneLabel& label) {
  if (files_of(model).empty()) return;
  std::set<std::string> known;
  if (!label.own && !label.path.empty())
    known = files_of(describe::load_text(content_of(label.path), label.path, {}, {.files = false}));
  for (const describe::Body& body : model.bodies)
    for (const describe::Geometry& geometry : body.geometry)
      if (geometry.shape == describe::Geometry::Shape::mesh && !known.contains(geometry.file))
        throw InputError(body.where,
                         fmt::format("the body `{}` has a mesh, and a page cannot name files", body.name),
                         "save the model beside its meshes, and start `tactus serve` with it");
}

/// Without the gallery's settings where they no longer fit what was edited.
describe::Model model_of(const std::string& text, const SceneLabel& label, Choice& choice) {
  const describe::Reading reading{.floating = choice.floating,
                                  .angles = choice.angles,
                                  .files = !label.own && !label.edited,
                                  .folder = std::filesystem::path(label.path).parent_path().string()};
  std::optional<describe::Model> model;
  if (!choice.settings.empty()) {
    try {
      model = describe::load_text(text, label.file, choice.settings, reading);
    } catch (const InputError&) {
      choice.settings.clear();
    }
  }
  if (!model) {
    model = describe::load_text(text, label.file, {}, reading);
  }
  if (label.own || label.edited) refuse_files(*model, label);
  if (!label.path.empty()) model->file = label.path;
  return std::move(*model);
}

/// Without the gallery's script where that no longer fits what was edited.
std::shared_ptr<Work> work_of(const describe::Model& model, const std::string& text, const SceneLabel& label,
                              const Choice& choice, std::vector<std::string>& notes) {
  try {
    return std::make_shared<Work>(model, choice);
  } catch (const InputError& error) {
    if (choice.script.empty() || error.where().file != "script") throw;
    notes.push_back(fmt::format("the gallery's script is left out: {}", error.wrong()));
    Choice plain = choice;
    plain.script.clear();
    return std::make_shared<Work>(model_of(text, label, plain), plain);
  }
}

template <class Enum>
void take_word(const std::optional<std::string>& word, std::optional<Enum> (*find)(std::string_view),
               const char* what, Enum& to) {
  if (!word) return;
  const std::optional<Enum> found = find(*word);
  if (!found)
    throw InputError({}, fmt::format("there is no {} `{}`", what, *word), "scene.choices lists them");
  to = *found;
}

/// The word, which is one of those that scene.choices offers: a page opens nothing else, and no file.
void take_offered(const std::optional<std::string>& word, const Json& choices, const char* what,
                  std::string& to) {
  if (!word) return;
  std::vector<std::string> names;
  for (const Json& choice : choices.at(what)) names.push_back(choice.at("name"));
  if (std::find(names.begin(), names.end(), *word) == names.end())
    throw InputError({}, fmt::format("there is no {} `{}` to choose", what, *word), suggestion(*word, names));
  to = *word;
}

}  // namespace

std::optional<Hub::Order> Hub::order_of(const std::string& name) const {
  const GalleryEntry* const entry = gallery_.find(name);
  if (entry == nullptr) return std::nullopt;
  Order order;
  order.why = "open";
  order.what = "opening " + entry->title;
  order.label = {entry->name,
                 entry->title,
                 entry->sentence,
                 entry->paper,
                 std::filesystem::path(entry->path).filename().string(),
                 false,
                 false,
                 entry->path};
  order.entry = *entry;
  order.text = content_of(entry->path);
  order.choice.weightless = entry->weightless;
  order.choice.script = entry->script;
  order.choice.settings = entry->settings;
  order.choice.floating = entry->floating;
  order.choice.angles = entry->angles;
  if (entry->step > 0.0) order.choice.step = entry->step;
  order.rate = entry->rate;
  return order;
}

void Hub::build(const Answer& to, Order order) {
  if (building_) return refuse(to, building_->what + " is not done yet", "wait for it");
  building_ = {order.what, now()};
  const std::uint32_t id = next_scene_++;
  const std::weak_ptr<bool> alive = alive_;
  const auto back = [this, alive](std::function<void()> what) {
    post_([alive, what = std::move(what)] {
      if (const auto here = alive.lock(); here && *here) what();
    });
  };
  const bool given = builder_.give([this, to, order = std::move(order), id, back] {
    try {
      auto stage = std::make_shared<Stage>();
      std::vector<std::string> notes;
      Choice choice = order.choice;
      const describe::Model model = model_of(order.text, order.label, choice);
      stage->label = order.label;
      stage->entry = order.entry;
      stage->text = order.text;
      if (stage->label.title.empty()) stage->label.title = model.name.empty() ? order.label.name : model.name;
      if (stage->label.sentence.empty()) stage->label.sentence = model.description;
      auto work = stage->work = work_of(model, order.text, order.label, choice, notes);
      stage->meshes = meshes_of(work->model);
      for (const std::string& note : stage->meshes.notes) notes.push_back(note);
      work->scene = id;
      stage->scene =
          scene_of(*work, stage->label, order.entry.name.empty() ? nullptr : &stage->entry, stage->meshes);
      stage->scene["id"] = id;
      stage->scene["why"] = order.why;
      work->mechanism->save(*work->snapshots[0]);
      std::shared_ptr<Work> old;  // ends here, not in the loop
      bench_.borrow([&](Bench::Place& place) {
        if (order.keep && place != nullptr) {
          if (std::string note = carry_over(*place, *work); !note.empty()) notes.push_back(std::move(note));
        }
        old = std::move(place);
        place = work;
      });
      back([this, to, stage, why = order.why, rate = order.rate, notes] {
        adopt(to, stage, why, rate, notes);
      });
    } catch (const InputError& error) {
      back([this, to, error] {
        building_.reset();
        refuse(to, error);
      });
    } catch (const std::exception& error) {
      back([this, to, what = std::string(error.what())] {
        building_.reset();
        refuse(to, what, "the mechanism is too large, or this is a mistake of ours: please report it");
      });
    }
  });
  if (!given) {
    building_.reset();
    refuse(to, "too many things wait to be built", "wait a moment");
  }
}

void Hub::adopt(const Answer& to, std::shared_ptr<Stage> stage, const std::string& why, double rate,
                const std::vector<std::string>& notes) {
  const double seconds = building_ ? 1e-9 * static_cast<double>(now() - building_->since) : 0.0;
  building_.reset();
  if (recording_ != nullptr) finish_recording();
  builder_.give([old = std::move(stage_)] {});  // a mechanism ends where time does not matter
  stage_ = std::move(stage);
  chosen_ = stage_->work->choice;
  for (const std::string& note : notes) stage_->scene["notes"].push_back(note);
  picture_.reset();
  fault_.reset();
  events_.clear();
  saved_.clear();
  wished_ = {};
  lead_ = {};
  learned_ = stage_->work->initial_parameters;
  grabbed_ = false;
  compute_.clear();
  wake_.clear();
  factor_ = 0.0;
  sets_ = {};
  for (auto& [id, client] : clients_) choose_columns(client);
  if (why == "open") {
    command({}, {.kind = Command::Kind::rate, .value = rate});
    command({}, {.kind = Command::Kind::run});
  }
  say_all(stage_->scene);
  events_.push_back({{"number", ++event_number_},
                     {"t", 0.0},
                     {"kind", "swapped"},
                     {"what", stage_->label.title},
                     {"why", why},
                     {"derive", stage_->work->report.derive_seconds},
                     {"seconds", seconds}});
  answer(to, {{"scene", stage_->work->scene}, {"seconds", seconds}, {"notes", notes}});
}

void Hub::on(Client&, const Answer& to, const say::Open& open) {
  if (!open.model.empty()) {
    std::optional<Order> order = order_of(open.model);
    if (!order) {
      std::vector<std::string> names;
      for (const GalleryEntry& entry : gallery_.entries()) names.push_back(entry.name);
      return refuse(to, fmt::format("there is no model `{}`", open.model), suggestion(open.model, names));
    }
    return build(to, std::move(*order));
  }
  Order order;
  order.why = "open";
  order.what = "opening " + open.name;
  // A name for messages, and no path of ours.
  std::string file = std::filesystem::path(open.name).filename().string();
  if (file.empty()) file = "model.yaml";
  order.label = {name_of_file(file), "", "", "", file, true, false};
  order.text = open.text;
  build(to, std::move(order));
}

void Hub::on(Client&, const Answer& to, const say::Choose& choose) {
  if (stage_ == nullptr) return refuse(to, "nothing is open yet", "wait for the scene");
  Order order;
  order.why = "choose";
  order.what = "deriving the equations anew";
  order.label = stage_->label;
  order.entry = stage_->entry;
  order.text = stage_->text;
  order.keep = true;
  Choice& choice = order.choice = chosen_;
  take_word(choose.formulation, simulate::formulation_of, "formulation", choice.formulation);
  take_word(choose.integrator, simulate::integrator_of, "integrator", choice.integrator);
  if (choose.contact) {
    using Contact = contact::OpenOptions::Contact;
    const std::string& word = *choose.contact;
    if (word != "automatic" && word != "events" && word != "stepping")
      return refuse(to, fmt::format("there is no contact `{}`", word), "automatic, events or stepping");
    choice.contact = word == "events"     ? Contact::events
                     : word == "stepping" ? Contact::stepping
                                          : Contact::automatic;
    // Stepping goes its own way; what else was chosen would be refused.
    if (word == "stepping") choice.integrator = simulate::Integrator::rk4, choice.formulation = {};
  }
  if (choose.step) choice.step = *choose.step;
  if (choose.weightless) choice.weightless = *choose.weightless;
  const Json choices = choices_of(*stage_->work);
  take_offered(choose.device, choices, "device", choice.device);
  take_offered(choose.controller, choices, "controller", choice.controller);
  take_offered(choose.hand, choices, "hand", choice.hand);
  if (choose.port) choice.port = *choose.port;
  if (choice.device == "mouse") {
    choice.controller = "coupler";
    choice.hand = "page";
  } else if (is_pointer(choice.device)) {
    choice.hand = "page";
  } else if (choice.hand == "page") {
    choice.hand = "hold";
  }
  build(to, std::move(order));
}

void Hub::on(Client&, const Answer& to, const say::Apply& apply) {
  if (stage_ == nullptr) return refuse(to, "nothing is open yet", "wait for the scene");
  Order order;
  order.why = "apply";
  order.what = "building the edited model";
  order.label = stage_->label;
  order.label.edited = true;
  order.entry = stage_->entry;
  order.text = apply.text;
  order.choice = chosen_;
  order.keep = apply.keep;
  build(to, std::move(order));
}

void Hub::on(Client&, const Answer& to, const say::Check& check) {
  const std::string file = stage_ == nullptr ? "model.yaml" : stage_->label.file;
  const std::weak_ptr<bool> alive = alive_;
  const bool given = writer_.give([this, alive, to, text = check.text, file] {
    Json message = {{"type", "checked"}};
    if (to.request >= 0) message["request"] = to.request;
    const auto place = [](const Place& where) {
      return where.line > 0 ? Json{{"file", where.file}, {"line", where.line}, {"column", where.column}}
                            : Json();
    };
    try {
      const describe::Model model = describe::load_text(text, file, {}, {.files = false});
      Json warnings = Json::array();
      for (const std::string& warning : model.warnings)
        warnings.push_back({{"what", warning}, {"where", Json()}});
      message["ok"] = true;
      message["warnings"] = std::move(warnings);
      message["summary"] = fmt::format("{} bodies, {} speeds, {} constraints", model.bodies.size() - 1,
                                       model.nv(), model.constraints.size());
    } catch (const InputError& error) {
      message["ok"] = false;
      message["what"] = error.wrong();
      message["remedy"] = error.remedy();
      message["where"] = place(error.where());
    } catch (const std::exception& error) {
      message["ok"] = false;
      message["what"] = error.what();
      message["remedy"] = "";
      message["where"] = Json();
    }
    post_([this, alive, to, message = std::move(message)] {
      if (const auto here = alive.lock(); !here || !*here) return;
      if (Client* client = find(to.client)) say(*client, message);
    });
  });
  if (!given) refuse(to, "too many texts wait to be checked", "wait a moment");
}

void Hub::on(Client&, const Answer& to, const say::Equations& wanted) {
  if (stage_ == nullptr) return refuse(to, "nothing is open yet", "wait for the scene");
  ActiveSet active;
  if (picture_) {
    active.constraints = picture_->active;
    for (std::size_t i = 0; i < picture_->contact_count; ++i)
      if (const int pair = picture_->contacts[i].pair;
          std::find(active.pairs.begin(), active.pairs.end(), pair) == active.pairs.end())
        active.pairs.push_back(pair);
  }
  write(to, "sheets of equations", "try another form",
        [wanted, active, stage = stage_] { return equation_page(stage->work->model, wanted, active); });
}

/// Made by the writer's thread, of the scene as it stands now, and said when it is there; `what` waits, `remedy` is what to do where it fails.
void Hub::write(const Answer& to, const std::string& what, const std::string& remedy,
                std::function<Json()> make) {
  const std::weak_ptr<bool> alive = alive_;
  const bool given =
      writer_.give([this, alive, to, remedy, make = std::move(make), scene = stage_->work->scene] {
        const auto back = [&](std::function<void()> then) {
          post_([alive, then = std::move(then)] {
            if (const auto here = alive.lock(); here && *here) then();
          });
        };
        try {
          Json message = make();
          if (to.request >= 0) message["request"] = to.request;
          message["scene"] = scene;
          back([this, to, message = std::move(message)] {
            if (Client* client = find(to.client)) say(*client, message);
          });
        } catch (const InputError& error) {
          back([this, to, error] { refuse(to, error); });
        } catch (const std::exception& error) {
          back([this, to, remedy, why = std::string(error.what())] { refuse(to, why, remedy); });
        }
      });
  if (!given) refuse(to, "too many " + what + " wait to be made", "wait a moment");
}

}  // namespace tactus::serve

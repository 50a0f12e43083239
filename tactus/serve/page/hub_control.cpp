// Control laws and felt masses: what pages ask for, and what they are shown.
#include <tactus/serve/page/hub.h>

#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::serve {

namespace {

control::ArmLaw law_of(const std::string& name) {
  if (const std::optional<control::ArmLaw> law = control::arm_law(name)) return *law;
  throw InputError({}, fmt::format("there is no law `{}`", name), "scene.control.laws lists them, or `off`");
}

Json row_json(const ControlPicture::Row& row, std::size_t n) {
  Json list = Json::array();
  for (std::size_t i = 0; i < n; ++i) list.push_back(std::isfinite(row[i]) ? Json(row[i]) : Json());
  return list;
}

}  // namespace

void Hub::on(Client&, const Answer& to, const say::Probe& probe) {
  if (stage_ == nullptr) return refuse(to, "nothing is open yet", "wait for the scene");
  const std::vector<int>& ports = stage_->work->port_of_body;
  if (probe.body >= 0 && (probe.body == 0 || static_cast<std::size_t>(probe.body) >= ports.size() ||
                          ports[static_cast<std::size_t>(probe.body)] < 0))
    return refuse(to, fmt::format("there is no body {} that moves", probe.body),
                  fmt::format("bodies are 1 to {}", ports.size() - 1));
  if (command(to, {.kind = Command::Kind::probe, .index = probe.body, .a = probe.point})) answer(to);
}

/// The parameters are those that the law was made for.
bool Hub::knows_what_is() const { return !picture_ || picture_->parameters == learned_; }

void Hub::on(Client&, const Answer& to, const say::Control& control) {
  if (stage_ == nullptr || !picture_) return refuse(to, "nothing is open yet", "wait for the scene");
  if (control.law == "off") {
    if (command(to, {.kind = Command::Kind::lead_off})) answer(to, {{"law", "off"}});
    return;
  }
  if (const std::optional<NotLed> why = not_led(*stage_->work)) return refuse(to, why->what, why->remedy);
  LeadWish wish = lead_;
  if (control.law) wish.law = law_of(*control.law);
  if (control.poles) wish.re = control.poles->re, wish.im = control.poles->im;
  if (control.target) wish.target = static_cast<Target>(*control.target);
  if (control.seconds) wish.seconds = *control.seconds;
  const bool same =
      picture_->control.on && wish.law == lead_.law && wish.re == lead_.re && wish.im == lead_.im;
  if (same && !control.learn) {
    lead_ = wish;
    if (command(to,
                {.kind = Command::Kind::aim, .index = static_cast<int>(wish.target), .value = wish.seconds}))
      answer(to, {{"law", control::name_of(wish.law)}});
    return;
  }
  // Another law, or other poles: its code is made beside the motion, for the model as it is now, and laid on the bench between two ticks.
  const std::weak_ptr<bool> alive = alive_;
  const bool given = builder_.give([this, alive, to, wish, stage = stage_, values = picture_->parameters] {
    std::optional<InputError> trouble;
    std::string mistake;
    const Nanoseconds begun = now();
    try {
      const Work& work = *stage->work;
      auto leader = std::make_unique<Leader>(with_values(work.model, work.mechanism->adjustable(), values),
                                             wish, work.choice.step);
      bench_.borrow([&](Bench::Place& place) {
        if (place != stage->work)
          throw InputError({}, "another mechanism was opened meanwhile", "choose a law again");
        leader.swap(place->leader);  // the old one ends here, not in the loop
      });
    } catch (const InputError& error) {
      trouble = error;
    } catch (const std::exception& error) {
      mistake = error.what();
    }
    const double taken = seconds(now() - begun);
    post_([this, alive, to, wish, stage, values, trouble, mistake, taken] {
      if (const auto here = alive.lock(); !here || !*here) return;
      if (trouble) return refuse(to, *trouble);
      if (!mistake.empty()) return refuse(to, mistake, "choose another law");
      if (stage_ == stage) {
        lead_ = wish;
        learned_ = values;
      }
      answer(to, {{"law", control::name_of(wish.law)}, {"seconds", taken}});
    });
  });
  if (!given) refuse(to, "too many things wait to be built", "wait a moment");
}

void Hub::on(Client&, const Answer& to, const say::Loci& loci) {
  if (stage_ == nullptr || !picture_) return refuse(to, "nothing is open yet", "wait for the scene");
  if (const std::optional<NotLed> why = not_led(*stage_->work)) return refuse(to, why->what, why->remedy);
  const ControlPicture& seen = picture_->control;
  LociWish wish;
  wish.law = loci.law ? law_of(*loci.law) : lead_.law;
  wish.re = loci.poles ? loci.poles->re : lead_.re;
  wish.im = loci.poles ? loci.poles->im : lead_.im;
  wish.period = stage_->work->choice.step;
  wish.sampled = loci.sampled;
  wish.now = loci.now;
  // Along the wanted motion; where no law is at work, at rest where it stands.
  const auto row = [&](const ControlPicture::Row& values) {
    return std::vector<double>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(seen.joints));
  };
  wish.point =
      seen.on ? control::MotionPoint{picture_->t, row(seen.wanted), row(seen.rate), row(seen.acceleration)}
              : control::MotionPoint{picture_->t, row(seen.q), std::vector<double>(seen.joints),
                                     std::vector<double>(seen.joints)};
  wish.values = picture_->parameters;
  wish.learned = seen.on ? learned_ : wish.values;
  write(to, "analyses", "try other poles", [wish, stage = stage_] {
    return loci_page(*stage->desk, stage->work->model, stage->work->mechanism->adjustable(), wish);
  });
}

Json Hub::control_json() const {
  const ControlPicture& control = picture_->control;
  if (control.joints == 0 || !control.on) return {};
  const std::size_t n = control.joints;
  return {{"law", control::name_of(static_cast<control::ArmLaw>(control.law))},
          {"poles", {control.re, control.im}},
          {"target", name_of(static_cast<Target>(control.target))},
          {"seconds", control.seconds},
          {"cut", control.cut},
          {"torque", row_json(control.torque, n)},
          {"most", row_json(control.most, n)},
          {"wanted", row_json(control.wanted, n)},
          {"error", row_json(control.error, n)},
          {"largest", row_json(control.largest, n)},
          {"knows", knows_what_is()}};
}

}  // namespace tactus::serve

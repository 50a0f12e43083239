// An error in a user's input of which it is known which settings it is about: with a set-up file it gets the place of the first of them that stands there.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tactus/base/error.h>

namespace tactus::apps {

class SettingError : public InputError {
 public:
  SettingError(const InputError& error, std::vector<std::string> settings)
      : InputError(error), settings_(std::move(settings)) {}
  /// Long names of options, or `model`.
  const std::vector<std::string>& settings() const { return settings_; }

 private:
  std::vector<std::string> settings_;
};

/// What `action` returns. An InputError of it without a line is thrown again as one about these settings.
template <class Action>
decltype(auto) about(std::vector<std::string> settings, Action&& action) {
  try {
    return std::invoke(std::forward<Action>(action));
  } catch (const SettingError&) {
    throw;
  } catch (const InputError& error) {
    if (error.where().line > 0) throw;
    throw SettingError(error, std::move(settings));
  }
}

}  // namespace tactus::apps

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/simulate/linear/steady_search.h>

namespace tactus::simulate {

namespace {

/// The fastest so many speeds are kept in turn.
constexpr std::size_t kMostKept = 6;
/// Of more speeds only the last way is tried: each step of the others differences all unknowns, which takes seconds then.
constexpr std::size_t kFewSpeeds = 24;

/// [rad/s, m/s] What a search leaves of speeds that are zero.
constexpr double kRounding = 1e-9;

}  // namespace

// A moving start is given to several ways, for none of them is the best. Regularised steps find families (steady_search.h); as they go
// downhill they may end at rest where turning is fast and going is slow, and so each of the fast speeds is also kept in turn until a
// motion is found. Newton's method finds what stands alone in stiff mechanisms, and of a coin whose own axes turn only the own rates vanish.
// The nearest one that is steady further along, too, counts.
Instant Linearization::steady(const Instant& point, const SteadySearch& asked) {
  using Search = Implementation::Search;
  using Rows = Search::Rows;
  Implementation& self = *implementation_;
  struct Way {
    Rows rows;
    std::function<void(Search&, Search::Place&)> go;
  };
  std::vector<Way> ways = {{Rows::own, &Search::go_by_newton}};
  if (asked.at_rest) {
    ways = {{Rows::at_rest, &Search::go_to_rest}};
  } else if (std::any_of(point.u.begin(), point.u.end(), [](double x) { return x != 0.0; })) {
    if (point.u.size() <= kFewSpeeds) ways.insert(ways.begin(), {Rows::shape, &Search::go_alone});
    for (std::size_t k = 0; k <= kMostKept && point.u.size() <= kFewSpeeds; ++k)
      ways.insert(ways.begin(), {Rows::shape, [k](Search& search, Search::Place& place) {
                                   if (search.keep_moving(k)) search.go_to_family(place);
                                 }});
  }
  struct Found {
    Instant at;
    double distance = 0.0;
    bool is_steady = false;
  };
  std::optional<Found> best;
  std::string why_not;
  for (const Way& way : ways) {
    const bool last = &way == &ways.back();
    try {
      Search search(self, point, asked, way.rows);
      Search::Place place = search.at_start();
      way.go(search, place);
      self.chosen = false;
      if (!place.found) {
        if (last) why_not = search.what_is_left(place);
        continue;
      }
      Found found{place.at, place.y.norm(), asked.at_rest};
      if (!asked.at_rest) try {
          found.is_steady = at(found.at).is_steady;
        } catch (const InputError&) {  // at() will say so again where the point is taken
        }
      self.chosen = false;
      const auto is_better = [&] {
        if (found.is_steady != best->is_steady) return found.is_steady;
        return found.distance < best->distance;
      };
      if (!best || is_better()) best = found;
    } catch (const InputError&) {
      self.chosen = false;
      if (last && !best) throw;
    }
  }
  if (best) return best->at;
  throw InputError({self.model.file},
                   fmt::format("no {} was found near the state; {} (held: {})",
                               asked.at_rest ? "equilibrium" : "steady motion", why_not,
                               asked.at_rest        ? "all speeds, at zero"
                               : asked.held.empty() ? "nothing"
                                                    : fmt::format("{}", fmt::join(asked.held, ", "))),
                   "start nearer to one, hold fewer values, or let actuator forces change");
}

std::vector<std::string> Linearization::family(const Instant& found, const SteadySearch& asked) {
  using Search = Implementation::Search;
  using Rows = Search::Rows;
  implementation_->chosen = false;
  const std::vector<std::string> ignorable = at(found).ignorable;
  // At rest the own rates say it all, P H du = 0, and have slopes without differences.
  const bool moves =
      std::any_of(found.u.begin(), found.u.end(), [](double x) { return std::abs(x) > kRounding; });
  Instant point = found;
  if (!moves) std::fill(point.u.begin(), point.u.end(), 0.0);
  for (const Rows rows : {Rows::shape, Rows::own}) {
    if (rows == Rows::shape && !moves) continue;
    try {
      Search search(*implementation_, point, asked, rows);
      Search::Place place = search.at_start();
      place.found = search.vanishes(place.r, place.at);
      if (place.found)
        return search.family(place, ignorable, [&](const Instant& other) { return at(other).is_steady; });
    } catch (const InputError&) {
    }
  }
  return {};
}

}  // namespace tactus::simulate

#include <tactus/serve/page/times.h>

#include <algorithm>

namespace tactus::serve {

using Json = nlohmann::ordered_json;
using display::Histogram;

Json RecentTimes::summary() const {
  std::uint64_t count = 0;
  std::int64_t largest = 0;
  for (const Histogram& second : seconds_) {
    count += second.count();
    largest = std::max(largest, second.largest());
  }
  if (count == 0) return nullptr;
  Json summary;
  std::uint64_t below = 0;
  std::size_t bin = 0;
  for (const auto& [name, part] : {std::pair{"p50", 0.5}, std::pair{"p99", 0.99}, std::pair{"p999", 0.999}}) {
    const double wanted = part * static_cast<double>(count);
    while (bin + 1 < Histogram::kBins && static_cast<double>(below) < wanted) {
      for (const Histogram& second : seconds_) below += second.in_bin(bin);
      ++bin;
    }
    summary[name] = seconds(std::min(largest, Histogram::lower_end(bin)));
  }
  summary["most"] = seconds(largest);
  return summary;
}

Json RecentTimes::bins() const {
  constexpr std::size_t kTogether = 4;  // of the histogram's sixteen to an octave
  Json bins = Json::array();
  for (std::size_t bin = 0; bin + kTogether <= Histogram::kBins; bin += kTogether) {
    std::uint64_t count = 0;
    for (const Histogram& second : seconds_)
      for (std::size_t i = 0; i < kTogether; ++i) count += second.in_bin(bin + i);
    if (count > 0) bins.push_back({seconds(Histogram::lower_end(bin)), count});
  }
  return bins;
}

}  // namespace tactus::serve

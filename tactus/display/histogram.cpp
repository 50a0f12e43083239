#include <tactus/display/histogram.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace tactus::display {

std::size_t Histogram::bin_of(std::uint64_t ns) noexcept {
  if (ns < 16) return ns;
  const std::size_t width = static_cast<std::size_t>(std::bit_width(ns));
  return 16 * (width - 4) + (ns >> (width - 5) & 15);
}

std::int64_t Histogram::lower_end(std::size_t bin) noexcept {
  if (bin < 16) return static_cast<std::int64_t>(bin);
  return static_cast<std::int64_t>((16 + bin % 16) << (bin / 16 - 1));
}

void Histogram::add(std::int64_t ns) noexcept {
  ns = std::max<std::int64_t>(ns, 0);
  ++bins_[std::min(bin_of(static_cast<std::uint64_t>(ns)), kBins - 1)];
  ++count_;
  sum_ += static_cast<double>(ns);
  largest_ = std::max(largest_, ns);
}

std::int64_t Histogram::percentile(double part) const noexcept {
  const double wanted = std::ceil(part * static_cast<double>(count_));
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin + 1 < kBins; ++bin) {
    seen += bins_[bin];
    if (seen > 0 && static_cast<double>(seen) >= wanted) return std::min(largest_, lower_end(bin + 1) - 1);
  }
  return largest_;
}

std::string Histogram::to_text() const {
  constexpr std::size_t kWidest = 50;  // [letters] of a bar
  std::array<std::uint64_t, kBins / 16> octaves{};
  for (std::size_t bin = 0; bin < kBins; ++bin) octaves[bin / 16] += bins_[bin];
  const std::uint64_t most = *std::max_element(octaves.begin(), octaves.end());
  std::string text;
  for (std::size_t i = 0; i < octaves.size(); ++i) {
    if (octaves[i] == 0) continue;
    const std::size_t bar = (octaves[i] * kWidest + most - 1) / most;
    text += fmt::format("  from {:9.2f} us  {:{}}  {}\n", 1e-3 * static_cast<double>(lower_end(16 * i)),
                        std::string(bar, '#'), kWidest, octaves[i]);
  }
  return text;
}

}  // namespace tactus::display

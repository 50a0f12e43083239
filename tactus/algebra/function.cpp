#include <tactus/algebra/function.h>

namespace tactus::algebra {

namespace {

std::size_t total(const std::vector<Block>& blocks) {
  std::size_t size = 0;
  for (const Block& block : blocks) size += block.size();
  return size;
}

}  // namespace

std::size_t Function::input_size() const { return total(inputs); }

std::size_t Function::output_size() const { return total(outputs); }

std::vector<Expr> Function::roots() const {
  std::vector<Expr> all;
  all.reserve(output_size());
  for (const Block& block : outputs) all.insert(all.end(), block.entries.begin(), block.entries.end());
  return all;
}

}  // namespace tactus::algebra

#include <tactus/contact/stepping/islands.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tactus::contact {

Islands::Islands(std::size_t blocks, std::size_t most_contacts)
    : parent_(blocks), island_of_root_(blocks), blocks_(blocks) {
  block_of_contact_.reserve(most_contacts);
  contacts_.resize(most_contacts);
  islands_.reserve(std::min(blocks, most_contacts));
  order_.reserve(islands_.capacity());
  clear();
}

void Islands::clear() {
  std::iota(parent_.begin(), parent_.end(), 0);
  block_of_contact_.clear();
  islands_.clear();
  order_.clear();
}

/// The lowest block of those tied together; paths are halved on the way.
int Islands::find(int block) {
  while (parent_[static_cast<std::size_t>(block)] != block) {
    int& parent = parent_[static_cast<std::size_t>(block)];
    parent = parent_[static_cast<std::size_t>(parent)];
    block = parent;
  }
  return block;
}

void Islands::add(int block_a, int block_b) {
  if (block_a < 0) std::swap(block_a, block_b);
  block_of_contact_.push_back(block_a);
  if (block_b < 0) return;
  const int a = find(block_a), b = find(block_b);
  parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
}

void Islands::finish(bool together) {
  if (together && !block_of_contact_.empty()) std::fill(parent_.begin(), parent_.end(), 0);
  std::fill(island_of_root_.begin(), island_of_root_.end(), -1);
  const auto island_of = [this](int block) -> int& {
    return island_of_root_[static_cast<std::size_t>(find(block))];
  };
  for (const int block : block_of_contact_) {
    int& island = island_of(block);
    if (island < 0) {
      island = static_cast<int>(islands_.size());
      islands_.push_back({find(block)});
    }
    ++islands_[static_cast<std::size_t>(island)].contacts_end;
  }
  for (std::size_t block = 0; block < parent_.size(); ++block)
    if (const int island = island_of(static_cast<int>(block)); island >= 0)
      ++islands_[static_cast<std::size_t>(island)].blocks_end;
  std::size_t contact = 0, block = 0;
  for (Range& island : islands_) {
    island.contacts = std::exchange(contact, contact + island.contacts_end);
    island.blocks = std::exchange(block, block + island.blocks_end);
    island.contacts_end = island.contacts;
    island.blocks_end = island.blocks;
  }
  for (std::size_t i = 0; i < block_of_contact_.size(); ++i)
    contacts_[islands_[static_cast<std::size_t>(island_of(block_of_contact_[i]))].contacts_end++] =
        static_cast<int>(i);
  for (std::size_t i = 0; i < parent_.size(); ++i)
    if (const int island = island_of(static_cast<int>(i)); island >= 0)
      blocks_[islands_[static_cast<std::size_t>(island)].blocks_end++] = static_cast<int>(i);
  order_.resize(islands_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [this](int a, int b) {
    const Range &x = islands_[static_cast<std::size_t>(a)], &y = islands_[static_cast<std::size_t>(b)];
    const std::size_t n_x = x.contacts_end - x.contacts, n_y = y.contacts_end - y.contacts;
    return n_x != n_y ? n_x < n_y : a < b;
  });
}

std::span<const int> Islands::contacts(std::size_t island) const {
  const Range& range = islands_[static_cast<std::size_t>(order_[island])];
  return {contacts_.data() + range.contacts, contacts_.data() + range.contacts_end};
}

std::span<const int> Islands::blocks(std::size_t island) const {
  const Range& range = islands_[static_cast<std::size_t>(order_[island])];
  return {blocks_.data() + range.blocks, blocks_.data() + range.blocks_end};
}

}  // namespace tactus::contact

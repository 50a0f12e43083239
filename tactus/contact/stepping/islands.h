// Which contacts have to do with each other: the connected components of the graph whose nodes are blocks of
// speeds and whose edges are contacts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tactus::contact {

class Islands {
 public:
  Islands(std::size_t blocks, std::size_t most_contacts);

  /// Begins anew, all blocks on their own.
  void clear();
  /// A contact, in order, with one or two blocks (-1: none).
  void add(int block_a, int block_b);
  /// After the last contact. Islands are ordered from the fewest contacts to the most, then by their first
  /// contact; members of an island by their number. `together`: all in one.
  void finish(bool together = false);

  std::size_t size() const { return order_.size(); }
  /// Numbers of the contacts and of the blocks.
  std::span<const int> contacts(std::size_t island) const;
  std::span<const int> blocks(std::size_t island) const;

 private:
  struct Range {
    int root = 0;
    std::size_t contacts = 0, contacts_end = 0, blocks = 0, blocks_end = 0;
  };
  int find(int block);

  std::vector<int> parent_;
  std::vector<int> block_of_contact_;
  std::vector<int> island_of_root_, contacts_, blocks_;
  std::vector<Range> islands_;
  std::vector<int> order_;
};

}  // namespace tactus::contact

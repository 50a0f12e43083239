// Simbody's headers need C++17, ours use std::span of C++20: as much of it as they ask for, for that one file.
#pragma once

#include <cstddef>

#if __cplusplus < 202002L
namespace std {  // NOLINT: nothing else is compiled with it

template <class T>
class span {
 public:
  constexpr span() = default;
  constexpr span(T* first, size_t count) : first_(first), count_(count) {}
  template <class Container>
  constexpr span(const Container& of) : first_(of.data()), count_(of.size()) {}
  constexpr T* begin() const { return first_; }
  constexpr T* end() const { return first_ + count_; }
  constexpr T* data() const { return first_; }
  constexpr size_t size() const { return count_; }
  constexpr T& operator[](size_t i) const { return first_[i]; }

 private:
  T* first_ = nullptr;
  size_t count_ = 0;
};

}  // namespace std
#endif

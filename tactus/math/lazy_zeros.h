// Zeros that take no memory until they are written: matrices that are addressed like full ones, but filled where a sparse one has entries. Memory
// of that size comes from the system in pages of zeros, each of which is made when it is first written.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tactus::math {

template <class T>
class LazyZeros {
 public:
  explicit LazyZeros(std::size_t size = 0)
      : size_(size), data_(size > 0 ? static_cast<T*>(std::calloc(size, sizeof(T))) : nullptr) {
    if (size > 0 && !data_) throw std::bad_alloc();
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::size_t size_;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace tactus::math

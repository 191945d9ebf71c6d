// A vector whose first N elements live inside it: shapes rarely have more than
// six axes, and a network has thousands of shapes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

namespace strata {

template <class T, std::size_t N>
class InlineVector {
 public:
  using value_type = T;

  InlineVector() = default;
  InlineVector(std::initializer_list<T> items) { assign(items.begin(), items.end()); }
  explicit InlineVector(std::span<const T> items) { assign(items.begin(), items.end()); }
  explicit InlineVector(std::size_t count, const T& item = T()) { resize(count, item); }
  InlineVector(const InlineVector& other) { assign(other.begin(), other.end()); }
  InlineVector(InlineVector&& other) noexcept
      : inline_(std::move(other.inline_)),
        heap_(std::move(other.heap_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, N)) {}
  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this != &other) {
      inline_ = std::move(other.inline_);
      heap_ = std::move(other.heap_);
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, N);
    }
    return *this;
  }
  ~InlineVector() = default;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T* data() { return heap_ ? heap_.get() : inline_.data(); }
  const T* data() const { return heap_ ? heap_.get() : inline_.data(); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void push_back(T item) {
    reserve(size_ + 1);
    data()[size_++] = std::move(item);
  }
  void pop_back() { resize(size_ - 1); }
  void resize(std::size_t count, T item = T()) {  // by value: it may be one of our own elements
    reserve(count);
    T* items = data();
    for (std::size_t i = size_; i < count; ++i) items[i] = item;
    for (std::size_t i = count; i < size_; ++i) items[i] = T();
    size_ = static_cast<std::uint32_t>(count);
  }
  void clear() { resize(0); }
  void insert(std::size_t at, T item) {
    push_back(std::move(item));
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(std::size_t at) {
    std::move(begin() + at + 1, end(), begin() + at);
    pop_back();
  }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  template <class It>
  void assign(It first, It last) {
    clear();
    reserve(static_cast<std::size_t>(last - first));
    size_ = static_cast<std::uint32_t>(std::copy(first, last, data()) - data());
  }
  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    const std::size_t bigger = std::max<std::size_t>(count, std::size_t{2} * capacity_);
    auto items = std::make_unique<T[]>(bigger);
    std::move(begin(), end(), items.get());
    heap_ = std::move(items);
    capacity_ = static_cast<std::uint32_t>(bigger);
  }

  std::array<T, N> inline_{};
  std::unique_ptr<T[]> heap_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
};

}  // namespace strata

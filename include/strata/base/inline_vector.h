// A vector whose first N elements live inside it: shapes rarely have more than
// six axes, and a network has thousands of shapes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace strata {

template <class T, std::size_t N>
class InlineVector {
 public:
  using value_type = T;

  InlineVector() noexcept : items_(inside()) {}
  InlineVector(std::initializer_list<T> items) : InlineVector() {
    append(items.begin(), items.end());
  }
  explicit InlineVector(std::span<const T> items) : InlineVector() {
    append(items.begin(), items.end());
  }
  explicit InlineVector(std::size_t count, const T& item = T()) : InlineVector() {
    resize(count, item);
  }
  InlineVector(const InlineVector& other) : InlineVector() { append(other.begin(), other.end()); }
  InlineVector(InlineVector&& other) noexcept : InlineVector() { take(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this == &other) return *this;
    clear();
    append(other.begin(), other.end());
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this == &other) return *this;
    clear();
    free_heap();
    take(other);
    return *this;
  }
  ~InlineVector() {
    std::destroy_n(items_, size_);
    free_heap();
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  T* data() { return items_; }
  const T* data() const { return items_; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T& back() { return items_[size_ - 1]; }
  const T& back() const { return items_[size_ - 1]; }

  void push_back(T item) {  // by value: it may be one of our own elements
    if (size_ == capacity_) grow(size_ + std::size_t{1});
    std::construct_at(items_ + size_, std::move(item));
    ++size_;
  }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    push_back(T(std::forward<Arguments>(arguments)...));
    return back();
  }
  // Elements of another list.
  template <class It>
  void append(It first, It last) {
    const auto count = static_cast<std::size_t>(last - first);
    if (size_ + count > capacity_) grow(size_ + count);
    std::uninitialized_copy(first, last, items_ + size_);
    size_ += static_cast<std::uint32_t>(count);
  }
  void reserve(std::size_t count) {
    if (count > capacity_) grow(count);
  }
  void pop_back() { std::destroy_at(items_ + --size_); }
  void resize(std::size_t count, T item = T()) {  // by value, too
    if (count > capacity_) grow(count);
    if (count > size_)
      std::uninitialized_fill_n(items_ + size_, count - size_, item);
    else
      std::destroy_n(items_ + count, size_ - count);
    size_ = static_cast<std::uint32_t>(count);
  }
  void clear() {
    std::destroy_n(items_, size_);
    size_ = 0;
  }
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
  T* inside() { return reinterpret_cast<T*>(inside_); }
  bool is_inside() const { return capacity_ == N; }

  // Moves the elements of `other`; we are empty and have none on the heap.
  void take(InlineVector& other) noexcept {
    if (other.is_inside()) {
      std::uninitialized_move_n(other.items_, other.size_, items_);
      std::destroy_n(other.items_, other.size_);
    } else {
      items_ = std::exchange(other.items_, other.inside());
      capacity_ = std::exchange(other.capacity_, N);
    }
    size_ = std::exchange(other.size_, 0);
  }
  void grow(std::size_t count) {
    const std::size_t bigger = std::max<std::size_t>(count, std::size_t{2} * capacity_);
    T* items = std::allocator<T>().allocate(bigger);
    std::uninitialized_move_n(items_, size_, items);
    std::destroy_n(items_, size_);
    free_heap();
    items_ = items;
    capacity_ = static_cast<std::uint32_t>(bigger);
  }
  // Back to the place inside; there are no elements to destroy.
  void free_heap() noexcept {
    if (is_inside()) return;
    std::allocator<T>().deallocate(items_, capacity_);
    items_ = inside();
    capacity_ = N;
  }

  T* items_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  alignas(T) std::byte inside_[N * sizeof(T)];  // of which `size_` are alive
};

}  // namespace strata

// A list that only grows, and whose elements never move. A std::deque promises the same, but the
// common one allocates 512 bytes at a time: four stored tensors.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace strata {

template <class T>
class BlockList {
  template <class Item, class List>
  class Position {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Item*;
    using reference = Item&;

    Position() = default;
    Position(List* list, std::size_t at) : list_(list), at_(at) {}
    Item& operator*() const { return (*list_)[at_]; }
    Item* operator->() const { return &(*list_)[at_]; }
    Position& operator++() {
      ++at_;
      return *this;
    }
    Position operator++(int) { return {list_, at_++}; }
    friend bool operator==(const Position& a, const Position& b) { return a.at_ == b.at_; }

   private:
    List* list_ = nullptr;
    std::size_t at_ = 0;
  };

 public:
  using value_type = T;
  using iterator = Position<T, BlockList>;
  using const_iterator = Position<const T, const BlockList>;

  BlockList() = default;
  BlockList(BlockList&& other) noexcept { swap(other); }
  BlockList& operator=(BlockList&& other) noexcept {
    swap(other);
    return *this;
  }
  ~BlockList() {
    if constexpr (!std::is_trivially_destructible_v<T>)
      for (T& item : *this) std::destroy_at(&item);
    for (T* block : blocks_) std::allocator<T>().deallocate(block, kInBlock);
  }

  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == blocks_.size() * kInBlock) add_block();
    T* item =
        std::construct_at(blocks_.back() + size_ % kInBlock, std::forward<Arguments>(arguments)...);
    ++size_;
    return *item;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return blocks_[i / kInBlock][i % kInBlock]; }
  const T& operator[](std::size_t i) const { return blocks_[i / kInBlock][i % kInBlock]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }
  iterator begin() { return {this, 0}; }
  iterator end() { return {this, size_}; }
  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size_}; }

 private:
  static constexpr std::size_t kInBlock = 32;

  void add_block() {
    blocks_.push_back(nullptr);
    blocks_.back() = std::allocator<T>().allocate(kInBlock);
  }
  void swap(BlockList& other) noexcept {
    blocks_.swap(other.blocks_);
    std::swap(size_, other.size_);
  }

  std::vector<T*> blocks_;  // all of them full but the last
  std::size_t size_ = 0;
};

}  // namespace strata

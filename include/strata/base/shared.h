// A value that many hold and few change, such as the type of a tensor: copies share it, and edit()
// gives its holder one of its own. Holders take the room of a pointer, and a default value none.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace strata {

template <class T>
class Shared {
 public:
  Shared() noexcept = default;  // T()
  Shared(T value)               // NOLINT(google-explicit-constructor): used as a T
      : held_(new Held{std::move(value)}) {}
  Shared(const Shared& other) noexcept : held_(other.held_) {
    if (held_ != nullptr) held_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  Shared(Shared&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~Shared() { let_go(); }

  const T& operator*() const { return held_ != nullptr ? held_->value : nothing(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT(google-explicit-constructor): used as a T

  // To change it. Nobody else sees the change.
  T& edit() {
    if (held_ == nullptr)
      held_ = new Held{T()};
    else if (held_->holders.load(std::memory_order_acquire) != 1)
      *this = Shared(T(held_->value));
    return held_->value;
  }

  // True if both hold the same object. Equal values may be two objects.
  friend bool is_same(const Shared& a, const Shared& b) { return a.held_ == b.held_; }

 private:
  struct Held {
    explicit Held(T&& given) : value(std::move(given)) {}
    T value;
    std::atomic<std::uint32_t> holders = 1;
  };
  static const T& nothing() {
    static const T kNothing{};
    return kNothing;
  }
  void let_go() noexcept {
    if (held_ != nullptr && held_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete held_;
  }

  Held* held_ = nullptr;
};

}  // namespace strata

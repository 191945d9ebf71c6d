// An optional value on the heap. Without a value it takes the room of a pointer, for values that
// are mostly absent.
// It is used as std::optional is, and copies are copies of the value.
#pragma once

#include <memory>
#include <utility>

namespace strata {

template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value)  // NOLINT(google-explicit-constructor): as std::optional
      : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&& other) noexcept = default;
  Boxed& operator=(const Boxed& other) {
    if (this != &other) value_ = other ? std::make_unique<T>(*other) : nullptr;
    return *this;
  }
  Boxed& operator=(Boxed&& other) noexcept = default;
  ~Boxed() = default;

  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }
  T& emplace() { return *(value_ = std::make_unique<T>()); }
  void reset() { value_.reset(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace strata

// Messages between two processes of the same program: numbers, texts, lists and plain structs one
// after the other, as they are in memory, in a frame with its length.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/members.h"
#include "strata/base/inline_vector.h"

namespace strata {

class MessageWriter;
class MessageReader;

// A type that is not a plain struct has two functions of its own beside it:
//   void put_in(MessageWriter& out, const T& value);
//   void take_from(MessageReader& in, T& value);
template <class T>
concept HasOwnMessage = requires(MessageWriter& out, MessageReader& in, const T& given, T& taken) {
  put_in(out, given);
  take_from(in, taken);
};
template <class T>
concept MessageNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;
template <class T>
concept MessageStruct = std::is_aggregate_v<T> && !HasOwnMessage<T>;

class MessageWriter {
 public:
  template <MessageNumber T>
  void put(T number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  template <class T>
  void put(const std::vector<T>& list) {
    put(std::uint64_t{list.size()});
    if constexpr (MessageNumber<T> && !std::is_same_v<T, bool>)
      bytes_.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T));
    else
      for (const T& item : list) put(item);
  }
  template <class T, std::size_t N>
  void put(const InlineVector<T, N>& list) {
    put(std::uint64_t{list.size()});
    for (const T& item : list) put(item);
  }
  template <class A, class B, class Less>
  void put(const std::map<A, B, Less>& entries) {
    put(std::uint64_t{entries.size()});
    for (const auto& entry : entries) put(entry);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& both) {
    put(both.first);
    put(both.second);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const std::shared_ptr<const T>& value) {
    put(value != nullptr);
    if (value) put(*value);
  }
  template <HasOwnMessage T>
  void put(const T& value) {
    put_in(*this, value);
  }
  template <MessageStruct T>
  void put(const T& value) {
    each_member(value, [this](const auto& member) { this->put(member); });
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Missing fields are read as zero or empty, and `good()` is false from then on.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}
  bool good() const { return good_; }
  void refuse() { good_ = false; }  // what was read makes no sense
  std::string_view rest() const { return rest_; }

  template <MessageNumber T>
  void take(T& number) {
    const std::string_view piece = take_bytes(sizeof number);
    number = {};
    if (good_) std::memcpy(&number, piece.data(), sizeof number);
  }
  void take(std::string& text) {
    std::uint64_t size = 0;
    take(size);
    text = take_bytes(size);
  }
  template <class T>
  void take(std::vector<T>& list) {
    std::uint64_t size = 0;
    take(size);
    list.clear();
    if constexpr (std::is_same_v<T, bool>) {
      for (std::uint64_t i = 0; i < size && good_; ++i) list.push_back(taken<bool>());
    } else if constexpr (MessageNumber<T>) {
      const std::string_view bytes =
          take_bytes(size <= rest_.size() ? size * sizeof(T) : rest_.size() + 1);
      list.resize(bytes.size() / sizeof(T));
      if (!bytes.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
    } else {
      for (std::uint64_t i = 0; i < size && good_; ++i) take(list.emplace_back());
    }
  }
  template <class T, std::size_t N>
  void take(InlineVector<T, N>& list) {
    std::uint64_t size = 0;
    take(size);
    list.clear();
    for (std::uint64_t i = 0; i < size && good_; ++i) list.push_back(taken<T>());
  }
  template <class A, class B, class Less>
  void take(std::map<A, B, Less>& entries) {
    std::uint64_t size = 0;
    take(size);
    entries.clear();
    for (std::uint64_t i = 0; i < size && good_; ++i) entries.insert(taken<std::pair<A, B>>());
  }
  template <class A, class B>
  void take(std::pair<A, B>& both) {
    take(both.first);
    take(both.second);
  }
  template <class T>
  void take(std::optional<T>& value) {
    value.reset();
    if (taken<bool>()) take(value.emplace());
  }
  template <class T>
  void take(std::shared_ptr<const T>& value) {
    value.reset();
    if (taken<bool>()) value = std::make_shared<const T>(taken<T>());
  }
  template <HasOwnMessage T>
  void take(T& value) {
    take_from(*this, value);
  }
  template <MessageStruct T>
  void take(T& value) {
    each_member(value, [this](auto& member) { this->take(member); });
  }
  template <class T>
  T taken() {
    T value{};
    take(value);
    return value;
  }

 private:
  std::string_view take_bytes(std::uint64_t size);

  std::string_view rest_;
  bool good_ = true;
};

// A frame's start, as it goes over the wire.
struct FrameHead {
  std::uint64_t magic = kMagic;
  std::uint64_t bytes = 0;
  static constexpr std::uint64_t kMagic = 0x31'74'72'6f'77'61'74'73;  // `statwor1`
};

// Blocks until all is written or read; false if the other end is gone or speaks otherwise.
bool write_frame(int fd, std::string_view bytes);
bool read_frame(int fd, std::string& bytes);
// An open file for the other process, after a frame that says so. -1 if none came.
bool send_descriptor(int fd, int descriptor);
int receive_descriptor(int fd);

}  // namespace strata

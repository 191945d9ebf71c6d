// Protocol buffers as fields over bytes, every length and wire type checked.
// protozero's reader keeps lengths in 32 bits and trusts wire types; this one
// uses its varints and checks the rest.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "strata/base/error.h"

namespace strata::onnx {

// Thrown in this folder only: read_onnx turns it into an Error.
struct Broken {
  std::string message;
  Code code = Code::General;
};

struct NodeText;

// The bytes being read, and where in them the reading is, for error sentences.
struct Source {
  std::string_view bytes;
  std::string label;
  const NodeText* node = nullptr;  // the innermost node being read
  std::string_view function;       // the innermost function being inlined
  std::uint64_t steps = 0;         // fields and list elements visited: a measure of work
  bool lets_go = false;            // the bytes are a mapped file so large that memory matters

  // The bytes are not what a protocol buffer has at this place.
  [[noreturn]] void damaged(const char* at, std::string_view what) const;
  // The file is readable, but what it says cannot be.
  [[noreturn]] void wrong(std::string_view what, Code code = Code::General) const;
};

class Fields {
 public:
  enum class Wire : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

  Fields(Source& source, std::string_view message)
      : source_(&source), at_(message.data()), end_(message.data() + message.size()) {}

  // To the next field; its value must then be taken or skipped.
  bool next() {
    if (at_ == end_) return false;
    ++source_->steps;
    start_ = at_;
    tag_ = varint();
    // Fields are numbered from 1 to 2^29 - 1, and three bits say the wire type.
    constexpr std::uint64_t kFirst = 1 << 3, kEnd = std::uint64_t{1} << 32;
    if (tag_ - kFirst >= kEnd - kFirst) [[unlikely]]
      bad_tag(*this);
    return true;
  }
  std::uint32_t number() const { return static_cast<std::uint32_t>(tag_ >> 3); }
  Wire wire() const { return static_cast<Wire>(tag_ & 7); }  // or none of them

  std::int64_t integer() {
    expect(Wire::Varint);
    return static_cast<std::int64_t>(varint());
  }
  float real() {
    expect(Wire::Fixed32);
    return fixed<float>();
  }
  // Text, bytes or a message.
  std::string_view bytes() {
    expect(Wire::Bytes);
    const std::uint64_t size = varint();
    if (size > static_cast<std::uint64_t>(end_ - at_)) too_long(*this, size);
    const char* start = at_;
    at_ += size;
    return {start, static_cast<std::size_t>(size)};
  }
  void skip() {
    switch (wire()) {
      case Wire::Varint:
        varint();
        break;
      case Wire::Fixed64:
        fixed<std::uint64_t>();
        break;
      case Wire::Bytes:
        bytes();
        break;
      case Wire::Fixed32:
        fixed<std::uint32_t>();
        break;
      default:
        bad_tag(*this);
    }
  }

  // The elements of a repeated field, which may be packed or come one by one.
  template <class F>
  void each_integer(F&& take) {
    if (wire() != Wire::Bytes) return take(integer());
    for (Fields packed(*source_, bytes()); packed.at_ != packed.end_;)
      take(static_cast<std::int64_t>(packed.varint()));
  }
  template <class T, class F>
  void each_fixed(F&& take) {
    if (wire() != Wire::Bytes) {
      expect(sizeof(T) == 4 ? Wire::Fixed32 : Wire::Fixed64);
      return take(fixed<T>());
    }
    for (Fields packed(*source_, bytes()); packed.at_ != packed.end_;)
      take(packed.template fixed<T>());
  }

 private:
  std::uint64_t varint() {
    const auto byte = [&](int i) { return static_cast<unsigned char>(at_[i]); };
    if (at_ != end_ && byte(0) < 0x80) {
      ++at_;
      return byte(-1);
    }
    if (end_ - at_ > 1 && byte(1) < 0x80) {
      at_ += 2;
      return (byte(-2) & 0x7fu) | (static_cast<std::uint64_t>(byte(-1)) << 7);
    }
    const LongVarint number = long_varint(*this);
    at_ = number.end;
    return number.value;
  }
  // Rare cases work on copies: fields whose address nobody needs stay in registers.
  struct LongVarint {
    std::uint64_t value;
    const char* end;
  };
  static LongVarint long_varint(Fields here);
  template <class T>
  T fixed() {
    if (static_cast<std::size_t>(end_ - at_) < sizeof(T)) too_long(*this, sizeof(T));
    T item;
    std::memcpy(&item, at_, sizeof item);
    at_ += sizeof item;
    return item;
  }
  void expect(Wire wanted) const {
    if (wire() != wanted) wrong_wire(*this, wanted);
  }
  [[noreturn]] static void bad_tag(Fields here);
  [[noreturn]] static void too_long(Fields here, std::uint64_t size);
  [[noreturn]] static void wrong_wire(Fields here, Wire wanted);

  Source* source_;
  const char* at_;
  const char* end_;
  const char* start_ = nullptr;  // of the current field
  std::uint64_t tag_ = 0;        // its number and its wire type
};

}  // namespace strata::onnx

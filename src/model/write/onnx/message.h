// Protocol buffers without their large payloads: they record where payloads go, so that every
// length is known before the first byte is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strata/graph/graph.h"

namespace strata::onnx {

// Bytes that are fetched when they are written.
struct Payload {
  std::string_view memory;           // mapped or in memory; not used if `fill` is set
  const TensorData* fill = nullptr;  // its elements are requested
  std::uint64_t size = 0;
  bool may_forget = false;  // `memory` belongs to a file that the writer has mapped
};

class Message {
 public:
  struct Gap {
    std::size_t at;  // position in bytes(): the payload comes before this byte
    Payload payload;
  };

  void integer(unsigned field, std::int64_t value);
  void real(unsigned field, float value);
  void text(unsigned field, std::string_view value);
  void message(unsigned field, const Message& inner);
  void payload(unsigned field, const Payload& payload);
  // Appends fields as they are encoded in another message.
  void encoded(std::string_view fields);
  // Appends the fields of `message` for whose number `take` returns true.
  template <class F>
  void fields_of(std::string_view message, F&& take);

  std::uint64_t size() const { return bytes_.size() + gap_bytes_; }
  const std::string& bytes() const { return bytes_; }
  const std::vector<Gap>& gaps() const { return gaps_; }

 private:
  void start(unsigned field, std::uint64_t size);
  void add(const Payload& payload);

  std::string bytes_;
  std::vector<Gap> gaps_;
  std::uint64_t gap_bytes_ = 0;
};

struct EncodedField {
  unsigned number = 0;
  std::string_view whole;    // including its tag
  std::string_view content;  // for text, bytes or a message
};
// Removes the first field from a message and returns it. Only for messages that the reader has
// checked.
EncodedField take_field(std::string_view& message);

template <class F>
void Message::fields_of(std::string_view message, F&& take) {
  while (!message.empty()) {
    const EncodedField field = take_field(message);
    if (take(field.number)) encoded(field.whole);
  }
}

}  // namespace strata::onnx

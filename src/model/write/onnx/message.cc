#include "write/onnx/message.h"

#include <protozero/pbf_writer.hpp>
#include <protozero/types.hpp>
#include <protozero/varint.hpp>

namespace strata::onnx {

namespace {

// Smaller payloads are copied, since a gap would cost as much.
constexpr std::uint64_t kWorthAGap = 512;

}  // namespace

void Message::integer(unsigned field, std::int64_t value) {
  protozero::pbf_writer(bytes_).add_int64(field, value);
}

void Message::real(unsigned field, float value) {
  protozero::pbf_writer(bytes_).add_float(field, value);
}

void Message::text(unsigned field, std::string_view value) {
  start(field, value.size());
  bytes_ += value;
}

void Message::message(unsigned field, const Message& inner) {
  start(field, inner.size());
  for (const Gap& gap : inner.gaps_) gaps_.push_back({bytes_.size() + gap.at, gap.payload});
  bytes_ += inner.bytes_;
  gap_bytes_ += inner.gap_bytes_;
}

void Message::payload(unsigned field, const Payload& payload) {
  start(field, payload.size);
  add(payload);
}

void Message::encoded(std::string_view fields) {
  Payload payload;
  payload.memory = fields;
  payload.size = fields.size();
  add(payload);
}

void Message::add(const Payload& payload) {
  if (payload.fill == nullptr && payload.size < kWorthAGap) {
    bytes_ += payload.memory;
    return;
  }
  gaps_.push_back({bytes_.size(), payload});
  gap_bytes_ += payload.size;
}

// protozero's lengths have only 32 bits.
void Message::start(unsigned field, std::uint64_t size) {
  constexpr unsigned kBytes = 2;
  protozero::add_varint_to_buffer(&bytes_, std::uint64_t{field} << 3 | kBytes);
  protozero::add_varint_to_buffer(&bytes_, size);
}

EncodedField take_field(std::string_view& message) {
  const char* at = message.data();
  const char* end = at + message.size();
  const std::uint64_t tag = protozero::decode_varint(&at, end);
  EncodedField field;
  field.number = static_cast<unsigned>(tag >> 3);
  switch (static_cast<protozero::pbf_wire_type>(tag & 7)) {
    case protozero::pbf_wire_type::varint:
      protozero::skip_varint(&at, end);
      break;
    case protozero::pbf_wire_type::fixed64:
      at += 8;
      break;
    case protozero::pbf_wire_type::length_delimited: {
      const std::uint64_t size = protozero::decode_varint(&at, end);
      field.content = {at, static_cast<std::size_t>(size)};
      at += size;
      break;
    }
    default:
      at += 4;
  }
  field.whole = message.substr(0, static_cast<std::size_t>(at - message.data()));
  message.remove_prefix(field.whole.size());
  return field;
}

}  // namespace strata::onnx

#include "read/flatbuffer/wire.h"

#include <fmt/format.h>

namespace strata::flatbuffer {

namespace {

[[noreturn]] void outside(std::size_t at) {
  throw Broken{fmt::format(
      "it is damaged, or not downloaded to the end: byte {} refers to bytes that it does not have",
      at)};
}

}  // namespace

void Wire::need(std::size_t at, std::size_t size) const {
  if (at > bytes_.size() || size > bytes_.size() - at) outside(at);
}

std::size_t Wire::follow(std::size_t at) const {
  const auto distance = read<std::uint32_t>(at);
  // Nothing refers to itself.
  if (distance == 0 || distance > bytes_.size() - at) outside(at);
  return at + distance;
}

List Wire::list(std::size_t at, std::size_t element_bytes) const {
  const auto count = read<std::uint32_t>(at);
  const std::size_t first = at + sizeof count;
  if (count > (bytes_.size() - first) / element_bytes) outside(at);
  return {first, count};
}

Table Wire::table_at(const List& list, std::uint32_t i) const {
  return {*this, follow(list.at + std::size_t{i} * sizeof(std::uint32_t))};
}

Table::Table(const Wire& wire, std::size_t at) : wire_(&wire), at_(at) {
  // The table of its fields' places may stand before or after it.
  const std::int64_t place =
      static_cast<std::int64_t>(at) - std::int64_t{wire.read<std::int32_t>(at)};
  if (place < 0) outside(at);
  vtable_ = static_cast<std::size_t>(place);
  vtable_bytes_ = wire.read<std::uint16_t>(vtable_);
  table_bytes_ = wire.read<std::uint16_t>(vtable_ + sizeof(std::uint16_t));
  wire.need(vtable_, vtable_bytes_);
  wire.need(at, table_bytes_);
}

std::size_t Table::field(std::uint16_t slot, std::size_t bytes) const {
  if (wire_ == nullptr) return 0;
  const std::size_t entry = 2 * sizeof(std::uint16_t) + sizeof(std::uint16_t) * slot;
  if (entry + sizeof(std::uint16_t) > vtable_bytes_) return 0;
  const auto distance = wire_->read<std::uint16_t>(vtable_ + entry);
  if (distance == 0) return 0;
  if (distance + bytes > table_bytes_) outside(at_);
  return at_ + distance;
}

std::string_view Table::text(std::uint16_t slot) const {
  const List letters = list(slot, 1);
  return letters.count == 0 ? std::string_view() : wire_->bytes().substr(letters.at, letters.count);
}

Table Table::table(std::uint16_t slot) const {
  const std::size_t at = field(slot, sizeof(std::uint32_t));
  return at == 0 ? Table() : Table(*wire_, wire_->follow(at));
}

List Table::list(std::uint16_t slot, std::size_t element_bytes) const {
  const std::size_t at = field(slot, sizeof(std::uint32_t));
  return at == 0 ? List() : wire_->list(wire_->follow(at), element_bytes);
}

}  // namespace strata::flatbuffer

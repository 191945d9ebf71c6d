#include "read/executorch/storage.h"

#include <fmt/format.h>

#include "read/executorch/schema_table.h"

namespace strata::executorch {

namespace {

// The header behind the identifier: its own identifier, its length, and where segments start.
constexpr std::size_t kHeaderAt = 8, kSegmentBaseAt = 24;
constexpr std::string_view kHeader = "eh00";

[[noreturn]] void outside(std::string_view what, std::uint64_t number) {
  throw Broken{fmt::format("it is damaged, or not downloaded to the end: {} {} lies outside of it",
                           what, number)};
}

}  // namespace

Storage::Storage(torch::Counting& counting, const Wire& wire, const Table& program)
    : wire_(wire), program_(program) {
  segments_ = program.list(slot::kProgramSegments, sizeof(std::uint32_t));
  const std::string_view bytes = wire.bytes();
  if (bytes.size() >= kSegmentBaseAt + sizeof base_ && bytes.substr(kHeaderAt, 4) == kHeader)
    base_ = wire.read<std::uint64_t>(kSegmentBaseAt);
  const List names = program.list(slot::kProgramNamedData, sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < names.count; ++i) {
    counting.count_entry();
    const Table entry = wire.table_at(names, i);
    segment_of_name_.insert(entry.text(slot::kNamedDataKey),
                            entry.number<std::uint32_t>(slot::kNamedDataSegmentIndex, 0));
  }
}

std::string_view Storage::segment(std::uint32_t number) const {
  if (number >= segments_.count) outside("segment", number);
  const Table table = wire_.table_at(segments_, number);
  const auto offset = table.number<std::uint64_t>(slot::kDataSegmentOffset, 0);
  const auto size = table.number<std::uint64_t>(slot::kDataSegmentSize, 0);
  const std::string_view bytes = wire_.bytes();
  if (base_ > bytes.size() || offset > bytes.size() - base_ || size > bytes.size() - base_ - offset)
    outside("segment", number);
  return bytes.substr(base_ + offset, size);
}

std::string_view Storage::in_segment(const Table& offsets, std::uint32_t number) const {
  const List list = offsets.list(slot::kSubsegmentOffsetsOffsets, sizeof(std::uint64_t));
  if (number >= list.count) outside("constant", number);
  const std::string_view all =
      segment(offsets.number<std::uint32_t>(slot::kSubsegmentOffsetsSegmentIndex, 0));
  const auto offset = wire_.item<std::uint64_t>(list, number);
  if (offset > all.size()) outside("constant", number);
  return all.substr(offset);
}

std::string_view Storage::constant(std::uint32_t number) const {
  const List buffers = program_.list(slot::kProgramConstantBuffer, sizeof(std::uint32_t));
  if (buffers.count == 0) {
    const Table offsets = program_.table(slot::kProgramConstantSegment);
    return offsets.exists() ? in_segment(offsets, number) : std::string_view();
  }
  if (number >= buffers.count) outside("constant", number);
  const List list = wire_.table_at(buffers, number).list(slot::kBufferStorage, 1);
  return wire_.bytes().substr(list.at, list.count);
}

std::string_view Storage::state(std::uint64_t set, std::uint32_t number) const {
  const List sets = program_.list(slot::kProgramMutableDataSegments, sizeof(std::uint32_t));
  if (set >= sets.count) return {};
  return in_segment(wire_.table_at(sets, static_cast<std::uint32_t>(set)), number);
}

std::string_view Storage::delegate(const Table& delegate) const {
  const Table place = delegate.table(slot::kBackendDelegateProcessed);
  if (!place.exists()) return {};
  const auto number = place.number<std::uint32_t>(slot::kBackendDelegateDataReferenceIndex, 0);
  const bool in_segment =
      place.number<std::int8_t>(slot::kBackendDelegateDataReferenceLocation, 0) != 0;
  if (in_segment) return segment(number);
  const List inside = program_.list(slot::kProgramBackendDelegateData, sizeof(std::uint32_t));
  if (number >= inside.count) outside("the data of delegate", number);
  const List list = wire_.table_at(inside, number).list(slot::kBackendDelegateInlineDataData, 1);
  return wire_.bytes().substr(list.at, list.count);
}

std::string_view Storage::named(std::string_view key) const {
  const std::uint32_t* number = segment_of_name_.find(key);
  return number == nullptr ? std::string_view() : segment(*number);
}

}  // namespace strata::executorch

#include "read/tflite/offline_plan.h"

#include "ops/tflm.h"
#include "read/tflite/schema_table.h"

namespace strata::tflite {

namespace {

constexpr std::uint32_t kCountAt = 2, kOffsetsAt = 3;  // after a version and a number of subgraphs

std::uint32_t tensors_of(const Loading& loading, std::uint32_t subgraph) {
  return loading.wire.table_at(loading.subgraphs, subgraph)
      .list(slot::kSubGraphTensors, sizeof(std::uint32_t))
      .count;
}

std::vector<std::int32_t> offsets_in(Loading& loading, const Table& entry) {
  const auto number = entry.number<std::uint32_t>(slot::kMetadataBuffer, 0);
  const List buffers = loading.file.list(slot::kModelBuffers, sizeof(std::uint32_t));
  if (number >= buffers.count) return {};
  const List bytes = loading.wire.table_at(buffers, number).list(slot::kBufferData, 1);
  const List words = {bytes.at, bytes.count / static_cast<std::uint32_t>(sizeof(std::int32_t))};
  if (words.count < kOffsetsAt) return {};
  const auto count = loading.wire.item<std::uint32_t>(words, kCountAt);
  std::uint64_t tensors = 0;
  for (std::uint32_t i = 0; i < loading.subgraphs.count; ++i) tensors += tensors_of(loading, i);
  if (count != tensors || count > words.count - kOffsetsAt) return {};
  loading.count_list_items(count);
  std::vector<std::int32_t> offsets(count);
  for (std::uint32_t i = 0; i < count; ++i)
    offsets[i] = loading.wire.item<std::int32_t>(words, kOffsetsAt + i);
  return offsets;
}

}  // namespace

std::optional<std::vector<std::int32_t>> offline_plan_of(Loading& loading) {
  const List entries = loading.file.list(slot::kModelMetadata, sizeof(std::uint32_t));
  loading.count_list_items(std::size_t{entries.count} + loading.subgraphs.count);
  std::optional<std::vector<std::int32_t>> plan;
  for (std::uint32_t i = 0; i < entries.count; ++i) {
    const Table entry = loading.wire.table_at(entries, i);
    // If there are several, the last one counts.
    if (entry.text(slot::kMetadataName) == kOfflinePlan) plan = offsets_in(loading, entry);
  }
  return plan;
}

void keep_offline_plan(Loading& loading) {
  const auto plan = offline_plan_of(loading);
  if (!plan) return;
  std::vector<std::size_t> first = {0};  // of each subgraph, and the number of all
  for (std::uint32_t i = 0; i < loading.subgraphs.count && !plan->empty(); ++i)
    first.push_back(first.back() + tensors_of(loading, i));
  std::vector<std::int32_t> ordered;
  for (const std::uint32_t subgraph : loading.subgraphs_read) {
    if (plan->empty()) break;
    loading.count_list_items(first[subgraph + 1] - first[subgraph]);
    ordered.insert(ordered.end(), plan->begin() + static_cast<std::ptrdiff_t>(first[subgraph]),
                   plan->begin() + static_cast<std::ptrdiff_t>(first[subgraph + 1]));
  }
  const auto kept = loading.model.keep(std::span<const std::int32_t>(ordered));
  loading.model.metadata.push_back(
      {kOfflinePlan,
       {reinterpret_cast<const char*>(kept.data()), kept.size() * sizeof(std::int32_t)}});
}

}  // namespace strata::tflite

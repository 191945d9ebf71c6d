#include "read/tflite/notes.h"

#include <fmt/format.h>

namespace strata::tflite {

namespace {

std::string counted(std::int64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

}  // namespace

void add_notes(Loading& loading) {
  const Counts& counts = loading.counts;
  if (counts.unpacked_halves + counts.unpacked_integers > 0)
    loading.note(
        fmt::format("{} unpack stored weights; they are folded into the layers that read them",
                    counted(counts.unpacked_halves + counts.unpacked_integers,
                            "DEQUANTIZE operator", "DEQUANTIZE operators")));
  if (counts.sparse > 0)
    loading.note(
        fmt::format("{} sparse: {} of {} elements are stored, in {} bytes beside their "
                    "indices; MACs and parameters are those of the dense form",
                    counted(counts.sparse, "stored tensor is", "stored tensors are"),
                    counts.sparse_stored, counts.sparse_elements, counts.sparse_bytes));
  if (counts.per_tensor + counts.per_channel + counts.per_block > 0) {
    std::string text =
        fmt::format("quantization: {}",
                    counted(counts.per_tensor, "tensor has one scale", "tensors have one scale"));
    if (counts.per_channel > 0)
      text += fmt::format(", {} one per channel", counted(counts.per_channel, "has", "have"));
    if (counts.per_block > 0) text += fmt::format(", {} scales per block", counts.per_block);
    loading.note(std::move(text));
  }
  if (counts.initializations > 0)
    loading.note(
        fmt::format("{} once, before the first inference; what it initializes is not "
                    "counted",
                    counted(counts.initializations, "subgraph runs", "subgraphs run")));
  if (counts.outside > 0)
    loading.note(fmt::format("{} in other files, which are not read",
                             counted(counts.outside, "tensor is", "tensors are")));
}

}  // namespace strata::tflite

// Any text, read as a calibration, gives one that can be saved, read again and merged, and that
// ranges can be chosen from, or one sentence.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "calibrate/channels.h"
#include "strata/calibrate/range.h"
#include "strata/calibrate/ranges_file.h"

namespace {

void choose(const strata::Sketch& sketch) {
  using strata::RangeChoice;
  for (const RangeChoice choice :
       {RangeChoice::MinMax, RangeChoice::Percentile, RangeChoice::Entropy, RangeChoice::Mse})
    for (const bool symmetric : {false, true}) {
      const strata::Scheme scheme = {.bits = 4, .symmetric = symmetric};
      const auto range = strata::choose_range(sketch, {.choice = choice, .scheme = scheme});
      if (range.has_value() != sketch.min().has_value()) std::abort();
      if (!range) continue;
      if (!(range->low <= 0 && range->high >= 0)) std::abort();
      const strata::Quantization numbers = strata::quantization(*range, scheme);
      if (!(numbers.scale > 0) || numbers.restored(0) != 0) std::abort();
      if (const auto db = strata::sqnr_db(sketch, numbers); db && *db != *db) std::abort();
    }
  strata::channel_ranges(sketch, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read =
      strata::calibration_from_json({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!read) {
    if (read.error().message.empty()) std::abort();
    return 0;
  }
  for (const strata::TensorSketch& tensor : read->tensors) choose(tensor.sketch);
  const auto again = strata::calibration_from_json(strata::calibration_to_json(*read), "fuzz");
  if (!again || *again != *read) std::abort();
  strata::Calibration twice = *read;
  if (strata::merge(twice, *read) && twice.samples != 2 * read->samples) std::abort();
  return 0;
}

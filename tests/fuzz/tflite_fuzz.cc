// Any bytes, read as a .tflite file, give a model or one sentence, in bounded time and memory.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "check_model.h"
#include "read/tflite/arena_tail.h"
#include "read/tflite/reader.h"
#include "strata/cost/cost.h"
#include "strata/cost/tflm_arena.h"
#include "strata/infer/infer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  strata::tflite::looks_like_model(bytes);
  if (const auto tail = strata::tflite::tail_of_arena(bytes, 1);
      tail ? tail->bytes.chip < 0 : tail.error().message.empty())
    std::abort();
  const strata::ReadOptions options{.max_nodes = 5'000, .max_tensors = 20'000};
  auto model = strata::tflite::read(bytes, "fuzz", options);
  if (!model) {
    if (model.error().message.empty()) std::abort();
    return 0;
  }
  strata::fuzz::check(*model);
  if (!strata::infer(*model)) return 0;
  strata::count(*model);
  if (const auto arena = strata::plan_tflm_arena(*model);
      arena ? arena->head_bytes < 0 : arena.error().message.empty())
    std::abort();
  return 0;
}

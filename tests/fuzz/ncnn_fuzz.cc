// Any bytes, read as a .param file, give a model or one sentence, in bounded time and memory.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "check_model.h"
#include "read/ncnn/reader.h"
#include "strata/cost/cost.h"
#include "strata/infer/infer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  strata::ncnn::looks_like_network(bytes);
  const strata::ReadOptions options{.max_nodes = 5'000, .max_tensors = 20'000};
  auto model = strata::ncnn::read(bytes, "fuzz", options);
  if (!model) {
    if (model.error().message.empty()) std::abort();
    return 0;
  }
  strata::fuzz::check(*model);
  if (strata::infer(*model)) strata::count(*model);
  return 0;
}

// Any bytes are either a language model, whose counts are not negative, or a sentence; and the
// model has a graph, or a sentence.
#include <cstdlib>
#include <string_view>

#include "strata/llm/answer.h"
#include "strata/llm/graph.h"
#include "strata/llm/read.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto network = strata::llm::read_config(text, "fuzz");
  if (!network) return network.error().message.empty() ? (std::abort(), 0) : 0;
  const strata::llm::Parameters parameters = parameters_of(*network);
  if (parameters.all < 0 || parameters.active < 0 || parameters.active > parameters.all)
    std::abort();
  if (linear_macs(*network) < 0 || cache_bytes(*network, 8192, 2) < 0) std::abort();
  static const auto device = strata::find_device("h100");
  if (device) (void)answer(*network, {}, *device, 8);
  constexpr std::size_t kFewLayers = 64;  // the time of each input is limited
  if (network->layers.size() > kFewLayers) return 0;
  const auto built = build_graph(*network, {.sequence = 4, .past = 2});
  if (!built && built.error().message.empty()) std::abort();
  return 0;
}

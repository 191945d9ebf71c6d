// Any bytes, read as a GGUF file, give its tensors, each within the file, or one sentence; so does
// the network that its header describes, and the graph of it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "check_weights.h"
#include "llm/gguf_network.h"
#include "read/weights/formats.h"
#include "strata/llm/graph.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!strata::weights::looks_like_gguf(bytes)) return 0;
  strata::check_weights(strata::weights::read_gguf(bytes, {}), size);
  const auto header = strata::weights::read_gguf_header(bytes);
  if (!header) return 0;
  const auto network = strata::llm::network_of_gguf(*header, "fuzz.gguf");
  constexpr std::size_t kFewLayers = 64;  // the time of each input is limited
  if (!network || network->layers.size() > kFewLayers) return 0;
  const auto built = strata::llm::build_graph(*network, {.sequence = 4, .past = 2});
  if (!built && built.error().message.empty()) __builtin_trap();
  return 0;
}

// Any bytes, read as a .pt2 archive, give a model or one sentence, in bounded time and memory. The
// same bytes are also read as the JSON program of an archive, which the fuzzer could not wrap
// itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "read/pt2/reader.h"
#include "read/pt2/test_zip.h"
#include "strata/cost/cost.h"
#include "strata/infer/infer.h"

namespace {

void check(const strata::Model& model) {
  for (const strata::Graph& graph : model.graphs) {
    for (strata::NodeId i = 0; i < graph.nodes.size(); ++i) {
      const strata::Node& node = graph.nodes[i];
      if (node.scope >= model.scopes.size()) std::abort();
      for (const strata::TensorId id : node.inputs) {
        if (id == strata::kNone) continue;
        const strata::Tensor& tensor = graph.tensors.at(id);
        if (tensor.producer != strata::kNone && tensor.producer >= i) std::abort();
      }
      for (const strata::TensorId id : node.outputs)
        if (id != strata::kNone && graph.tensors.at(id).producer != i) std::abort();
    }
    for (const strata::Tensor& tensor : graph.tensors) {
      if (tensor.role == strata::Role::Initializer && tensor.data == nullptr) std::abort();
      if (tensor.role == strata::Role::Captured && graph.parent->tensors.size() <= tensor.outer)
        std::abort();
    }
    for (const strata::TensorId id : graph.outputs)
      if (id >= graph.tensors.size()) std::abort();
  }
  for (std::size_t i = 1; i < model.scopes.size(); ++i)
    if (model.scopes[i].parent >= i) std::abort();
}

void read(std::string_view bytes) {
  const strata::ReadOptions options{.max_nodes = 5'000, .max_tensors = 20'000};
  auto model = strata::pt2::read(bytes, "fuzz", options);
  if (!model) {
    if (model.error().message.empty()) std::abort();
    return;
  }
  check(*model);
  if (strata::infer(*model)) strata::count(*model);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  strata::pt2::looks_like_archive(bytes);
  read(bytes);
  read(strata::pt2::test::zip(
      {{"m/models/model.json", std::string(bytes)}, {"m/archive_format", "pt2"}}));
  return 0;
}

// Any bytes, read as an ONNX model, give a model or one sentence, in bounded time and memory. A
// model that was read can be written, and read again. Limits are small, so that runs are short.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "strata/read/read.h"
#include "strata/write/onnx.h"

namespace {

// Checks what must be true for every model that was read, whatever the bytes were.
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
      if (tensor.role == strata::Role::Initializer) strata::decode(*tensor.data);
      if (tensor.role == strata::Role::Activation && tensor.producer == strata::kNone) std::abort();
      if (tensor.role == strata::Role::Captured && graph.parent->tensors.size() <= tensor.outer)
        std::abort();
    }
    for (const strata::TensorId id : graph.outputs)
      if (id >= graph.tensors.size()) std::abort();
  }
  for (std::size_t i = 1; i < model.scopes.size(); ++i)
    if (model.scopes[i].parent >= i) std::abort();
}

void write_again(const strata::Model& model) {
  strata::WriteOptions options;
  options.elsewhere = strata::WriteOptions::Elsewhere::Refer;
  const auto bytes = strata::onnx_bytes(model, options);
  if (!bytes) {
    // The one thing that is not written: sparse tensors with values in another file.
    if (bytes.error().message.find("cannot copy") == std::string::npos) std::abort();
    return;
  }
  const auto again = strata::read_onnx(*bytes, "again");
  if (!again || again->graphs.size() != model.graphs.size()) std::abort();
  for (std::size_t i = 0; i < model.graphs.size(); ++i)
    if (again->graphs[i].nodes.size() != model.graphs[i].nodes.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const strata::ReadOptions options{
      .max_nodes = 5'000, .max_tensors = 20'000, .max_list_items = 100'000, .max_depth = 50};
  const auto model = strata::read_onnx(bytes, "fuzz", options);
  if (model) {
    check(*model);
    write_again(*model);
  } else if (model.error().message.empty()) {
    std::abort();
  }
  return 0;
}

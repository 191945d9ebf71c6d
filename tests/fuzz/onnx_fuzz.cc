// Any bytes, read as an ONNX model, give a model or one sentence, in bounded time and memory. A
// model that was read can be written, and read again. Limits are small, so that runs are short.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "check_model.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"

namespace {

// Checks further invariants of ONNX models, whatever the bytes were.
void check_tensors(const strata::Graph& graph) {
  for (const strata::Tensor& tensor : graph.tensors) {
    if (tensor.role == strata::Role::Initializer) strata::decode(*tensor.data);
    if (tensor.role == strata::Role::Activation && tensor.producer == strata::kNone) std::abort();
  }
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
    strata::fuzz::check(*model);
    for (const strata::Graph& graph : model->graphs) check_tensors(graph);
    write_again(*model);
  } else if (model.error().message.empty()) {
    std::abort();
  }
  return 0;
}

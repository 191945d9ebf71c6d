#include "sensitivity/opened_tail.h"

#include <utility>

namespace strata {

Result<OpenedTail> OpenedTail::open(const Engine& engine, const Model& whole, const TailCut& cut,
                                    SharedWeights& weights, const SessionOptions& session) {
  auto tail = tail_of(whole, cut.inputs, cut.outputs);
  if (!tail) return failure(tail);
  auto kept = std::make_unique<Kept>();
  kept->tail = std::move(*tail);
  auto source = weights.write(kept->tail);
  if (!source) return failure(source);
  kept->source = std::move(*source);
  auto opened = engine.open(kept->source.bytes(), session);
  if (!opened) return failure(opened);
  const Graph& graph = kept->tail.graph();
  std::vector<std::string> inputs;
  for (const TensorId id : graph.inputs) inputs.emplace_back(graph.tensors[id].name);
  OpenedTail out(std::move(kept), std::move(*opened));
  out.inputs_ = std::move(inputs);
  return out;
}

Result<std::vector<HostTensor>> OpenedTail::outputs(std::vector<HostTensor> inputs) {
  if (auto status = session_.bind(std::move(inputs)); !status) return failure(status);
  auto trace = session_.run_traced({.kernels = false, .blocks = false, .outputs = true});
  if (!trace) return failure(trace);
  return std::move(trace->outputs);
}

}  // namespace strata

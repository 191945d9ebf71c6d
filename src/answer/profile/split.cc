#include "strata/profile/split.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "cost/dataflow.h"
#include "profile/open_sizes.h"
#include "profile/partition.h"

namespace strata {

namespace {

PartitionProblem make_problem(const Graph& graph, const QuantizedTensors& quantized,
                              const Dataflow& flow, const LayerTimes& edge,
                              const LayerTimes& server, const SplitOptions& options,
                              OpenSizes& open, std::size_t& not_cut) {
  PartitionProblem problem;
  problem.round_trip_seconds = options.round_trip_seconds;
  problem.steps.resize(flow.steps.size());
  for (std::size_t l = 0; l < flow.step_of_layer.size(); ++l) {
    if (flow.step_of_layer[l] == kNone) continue;
    PartitionProblem::Step& step = problem.steps[flow.step_of_layer[l]];
    step.edge_seconds += edge.seconds[l];
    step.server_seconds += server.seconds[l];
  }
  for (const Buffer& buffer : flow.buffers) {
    const TypeInfo type = quantized.held(graph, buffer.tensor);
    PartitionProblem::Tensor tensor;
    if (buffer.maker != kNone) tensor.maker = buffer.maker;
    const auto readers = flow.readers_of(buffer);
    tensor.readers.assign(readers.begin(), readers.end());
    const Expr bytes = shipped_bytes(type, options.precision);
    if (buffer.readers > 0 && buffer.maker != kNone && !OpenSizes::has_number(bytes)) {
      tensor.can_be_shipped = false;
      ++not_cut;
    } else if (buffer.readers > 0) {
      tensor.bytes = open.number(bytes);
      // A float that is sent as int8 takes one byte.
      if (buffer.maker == kNone && options.input_bytes && is_float(type.dtype))
        tensor.bytes =
            std::ceil(*options.input_bytes * open.number(shipped_bytes(type, Precision::Int8)));
    }
    if (buffer.is_output && options.returns_results)
      tensor.result_bytes = open.number(shipped_bytes(type, Precision::Raw));
    problem.tensors.push_back(std::move(tensor));
  }
  return problem;
}

// In order, each once.
void add_notes(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  for (const std::string& note : more)
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

}  // namespace

Result<Split> find_split(const Model& model, const Costs& costs, const Layers& layers,
                         const LayerTimes& edge, const LayerTimes& server,
                         const SplitOptions& options) {
  Split split;
  split.options = options;
  const Dataflow flow = find_dataflow(model, costs, layers);
  OpenSizes open;
  std::size_t not_cut = 0;
  const PartitionProblem problem =
      make_problem(model.graph(), costs.quantized, flow, edge, server, options, open, not_cut);
  if (auto status = open.status("the size of its inputs and outputs"); !status)
    return failure(status);
  if (problem.steps.empty()) return failure("the network computes nothing that could be split");
  if (!problem.is_valid()) return failure("a time or a size is too large to compute with");
  split.all_edge = all_edge(problem);
  split.all_server = all_server(problem);
  split.best = best_partition(problem, 1 / options.link_bytes_per_second);
  split.pieces = best_partitions(problem, 1 / kFastestLink, 1 / kSlowestLink);
  for (const Step& step : flow.steps) split.steps.push_back({step.layer, step.computes});
  for (std::size_t t = 0; t < flow.buffers.size(); ++t)
    split.tensors.push_back(
        {flow.buffers[t].tensor, flow.buffers[t].maker, problem.tensors[t].bytes});
  add_notes(split.notes, edge.notes);
  add_notes(split.notes, server.notes);
  std::vector<std::string> of_sizes;
  open.add_note(of_sizes);
  if (not_cut > 0)
    of_sizes.push_back(phrased(
        options.phrase,
        make_error(Code::TensorsNotCut, {},
                   fmt::format("{} tensor{} may be of any size, so no cut ships {}", not_cut,
                               not_cut == 1 ? "" : "s", not_cut == 1 ? "it" : "them"))));
  add_notes(split.notes, of_sizes);
  return split;
}

std::string describe(const Model& model, const Costs& costs, const Layers& layers,
                     const Split& split, const Partition& partition) {
  if (partition.is_all_edge()) return "all on the edge";
  if (partition.is_all_server()) return "all on the server";
  std::vector<std::string> makers;
  std::size_t inputs = 0;
  for (std::uint32_t t : partition.shipped) {
    const std::uint32_t maker = split.tensors[t].maker;
    if (maker == kNone) {
      ++inputs;
      continue;
    }
    const Layer& layer = layers.list[split.steps[maker].layer];
    makers.push_back(layer_path(model, costs, layer));
    if (layer.call > 0) makers.back() += fmt::format("#{}", layer.call + 1);
    // One layer may hand on several.
    if (makers.size() > 1 && makers.back() == makers[makers.size() - 2]) makers.pop_back();
  }
  if (makers.empty()) return inputs > 0 ? "inputs to the server" : "two parts with no link";
  // The last to run names the cut; the others are what it ships beside.
  std::string text = fmt::format("after {}", makers.back());
  const std::size_t more = makers.size() - 1;
  if (more > 0) text += fmt::format(" and {} more", more);
  return text;
}

}  // namespace strata

#include "strata/cost/cut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "cost/dataflow.h"

namespace strata {

namespace {

constexpr std::array<std::string_view, kPrecisions> kNames = {"raw", "fp16", "int8"};
constexpr std::array<int, kPrecisions> kBits = {std::numeric_limits<int>::max(), 16, 8};
constexpr std::array<DType, kPrecisions> kTypes = {DType::Undefined, DType::F16, DType::I8};

// Symbols in the shapes of the network's inputs: sizes that the caller chooses.
std::set<std::string> input_symbols(const Graph& graph) {
  std::set<std::string> symbols;
  for (TensorId input : graph.inputs)
    for (const Expr& size : graph.tensors[input].type->dims)
      for (std::string& name : size.symbols()) symbols.insert(std::move(name));
  return symbols;
}

// Infinite if it may have any size.
double comparable(const CutPlace& place, const std::set<std::string>& chosen) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  if (place.unknown > 0) return kAny;
  const Expr size = place.bytes[0].substitute([&](std::string_view symbol) -> std::optional<Expr> {
    if (chosen.contains(std::string(symbol))) return Expr(1);
    return std::nullopt;
  });
  const auto bound = upper_bound(size);
  return bound ? static_cast<double>(*bound) : kAny;
}

void mark_minima(const Graph& graph, std::vector<CutPlace>& places) {
  const std::set<std::string> chosen = input_symbols(graph);
  std::vector<double> sizes;
  sizes.reserve(places.size());
  for (const CutPlace& place : places) sizes.push_back(comparable(place, chosen));
  const auto size = [&](std::size_t i) { return sizes[i]; };
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < places.size();) {
    std::size_t next = i + 1;
    while (next < places.size() && size(next) == size(i)) ++next;
    const bool less_than_before = i == 0 || size(i) < size(i - 1);
    const bool less_than_after = next == places.size() || size(i) < size(next);
    places[i].is_minimum = less_than_before && less_than_after && std::isfinite(size(i));
    places[i].is_least_so_far = size(i) < least;
    least = std::min(least, size(i));
    i = next;
  }
}

}  // namespace

std::string_view name_of(Precision precision) {
  return kNames[static_cast<std::size_t>(precision)];
}

Expr shipped_bytes(const TypeInfo& type, Precision precision) {
  if (type.kind != ValueKind::Tensor || !type.ranked) return Expr::unknown();
  const auto p = static_cast<std::size_t>(precision);
  const bool narrowed = is_float(type.dtype) && bits(type.dtype) > kBits[p];
  return bytes(elements(type.dims), narrowed ? kTypes[p] : type.dtype);
}

Cuts find_cuts(const Model& model, const Costs& costs, const Layers& layers) {
  const Graph& graph = model.graph();
  const Dataflow flow = find_dataflow(model, costs, layers);
  Cuts cuts;
  cuts.places.emplace_back();
  // The first place that comes after each node. It is at least 1: place 0 is before all nodes.
  std::vector<std::uint32_t> place_of_node(graph.nodes.size());
  NodeId node = 0;
  for (const Step& step : flow.steps) {
    if (!step.computes) continue;
    for (; node <= step.last; ++node)
      place_of_node[node] = static_cast<std::uint32_t>(cuts.places.size());
    cuts.places.push_back({.layer = step.layer});
  }
  for (; node < graph.nodes.size(); ++node)
    place_of_node[node] = static_cast<std::uint32_t>(cuts.places.size());

  for (const Buffer& buffer : flow.buffers) {
    if (buffer.last_read == kNone) continue;
    Shippable tensor{.tensor = buffer.tensor};
    tensor.first = buffer.made == kNone ? 0 : place_of_node[buffer.made];
    tensor.last = place_of_node[buffer.last_read];
    if (tensor.first >= tensor.last) continue;
    if (buffer.maker != kNone) tensor.layer = flow.steps[buffer.maker].layer;
    const TypeInfo type = costs.quantized.held(graph, buffer.tensor);
    for (std::size_t p = 0; p < kPrecisions; ++p)
      tensor.bytes[p] = shipped_bytes(type, static_cast<Precision>(p));
    cuts.tensors.push_back(std::move(tensor));
  }
  std::stable_sort(cuts.tensors.begin(), cuts.tensors.end(),
                   [](const Shippable& a, const Shippable& b) { return a.first < b.first; });

  std::vector<std::vector<std::uint32_t>> ending(cuts.places.size() + 1);
  CutPlace alive;
  std::size_t next = 0;
  std::size_t used = 0;  // places up to the last one that something crosses
  for (std::uint32_t p = 0; p < cuts.places.size(); ++p) {
    const auto change = [&](const Shippable& tensor, bool starts) {
      starts ? ++alive.tensors : --alive.tensors;
      if (tensor.bytes[0].is_unknown()) {
        starts ? ++alive.unknown : --alive.unknown;
        return;
      }
      for (std::size_t i = 0; i < kPrecisions; ++i)
        alive.bytes[i] =
            starts ? alive.bytes[i] + tensor.bytes[i] : alive.bytes[i] - tensor.bytes[i];
    };
    for (std::uint32_t t : ending[p]) change(cuts.tensors[t], false);
    for (; next < cuts.tensors.size() && cuts.tensors[next].first == p; ++next) {
      change(cuts.tensors[next], true);
      ending[cuts.tensors[next].last].push_back(static_cast<std::uint32_t>(next));
    }
    CutPlace& place = cuts.places[p];
    place.tensors = alive.tensors;
    place.unknown = alive.unknown;
    place.bytes = alive.bytes;
    if (alive.tensors > 0) used = p + 1;
  }
  cuts.places.resize(std::max<std::size_t>(used, 1));
  mark_minima(graph, cuts.places);
  return cuts;
}

std::vector<std::vector<std::uint32_t>> crossing(const Cuts& cuts,
                                                 std::span<const std::uint32_t> places) {
  std::vector<std::vector<std::uint32_t>> sets;
  std::vector<std::uint32_t> alive;
  std::uint32_t next = 0;
  for (std::uint32_t place : places) {
    for (; next < cuts.tensors.size() && cuts.tensors[next].first <= place; ++next)
      alive.push_back(next);
    std::erase_if(alive, [&](std::uint32_t t) { return cuts.tensors[t].last <= place; });
    sets.push_back(alive);
  }
  return sets;
}

}  // namespace strata

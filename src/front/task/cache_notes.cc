#include "task/cache_notes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "ops/registry.h"
#include "ops/serving.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

struct Caches {
  std::set<TensorId> inputs;
  std::set<TensorId> copies;  // made of them and of the new tokens
  Expr tokens = 0;
};

// The axis of a sequence: the second last.
bool joins_tokens(const Node& node, std::size_t rank) {
  if (traits_of(node).op != Op::Concat) return false;
  for (const char* name : {"axis", "dim"})
    if (const Attribute* axis = node.attribute(name))
      if (const auto* number = std::get_if<std::int64_t>(&axis->value))
        return *number == -2 || *number + 2 == static_cast<std::int64_t>(rank);
  return false;
}

// The rest of what is joined was computed.
bool has_new_tokens(const Graph& graph, const Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
    return id != kNone && graph.tensors[id].role == Role::Activation;
  });
}

// Operators of attention take a cache as an input of its own, which is named so.
bool is_named_cache(std::string_view name) {
  return name.find("past") != name.npos || name.find("cache") != name.npos;
}

Caches caches_of(const Graph& graph) {
  Caches out;
  for (const Node& node : graph.nodes) {
    if (node.domain == kServing) return {};
    for (const TensorId id : node.inputs) {
      if (id == kNone) continue;
      const Tensor& tensor = graph.tensors[id];
      const std::size_t rank = tensor.type->dims.size();
      if (tensor.role != Role::Input || rank < 3 || !is_float(tensor.type->dtype)) continue;
      const bool joins = joins_tokens(node, rank) && has_new_tokens(graph, node);
      const bool attends = traits_of(node).op == Op::Attention && is_named_cache(tensor.name);
      if (!joins && !attends) continue;
      out.inputs.insert(id);
      out.tokens = tensor.type->dims[rank - 2];
      if (joins) out.copies.insert(node.outputs[0]);
    }
  }
  return out;
}

std::optional<double> bytes_of(const Graph& graph, const std::set<TensorId>& tensors) {
  double sum = 0;
  for (const TensorId id : tensors) {
    const TypeInfo& type = *graph.tensors[id].type;
    Expr elements = 1;
    for (const Expr& dim : type.dims) elements *= dim;
    const auto number = elements.number();
    if (!type.ranked || !number) return std::nullopt;
    sum += static_cast<double>(*number) * bits(type.dtype) / 8;
  }
  return sum;
}

}  // namespace

void add_cache_notes(Model& model) {
  const Graph& graph = model.graph();
  const auto candidates = std::count_if(graph.inputs.begin(), graph.inputs.end(), [&](TensorId id) {
    const TypeInfo& type = *graph.tensors[id].type;
    return type.dims.size() >= 3 && is_float(type.dtype);
  });
  if (candidates < 2) return;
  const Caches caches = caches_of(graph);
  if (caches.inputs.size() < 2) return;  // keys and values
  const auto held = bytes_of(graph, caches.inputs), copied = bytes_of(graph, caches.copies);
  std::string note = fmt::format(
      "a step of a decoder: {} inputs are a cache of keys and values of {} earlier tokens{}",
      caches.inputs.size(), caches.tokens.text(),
      held ? fmt::format(", of which it reads {}", human_bytes(*held)) : "");
  if (!caches.copies.empty() && held && copied)
    note += fmt::format(
        "; it copies them with the new tokens and writes {}, where a serving engine "
        "appends {}",
        human_bytes(*copied), human_bytes(*copied - *held));
  else if (!caches.copies.empty())
    note += "; it copies them with the new tokens, where a serving engine appends the new ones";
  model.notes.push_back(std::move(note));
}

}  // namespace strata

#include "write/onnx/names.h"

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "write/onnx/writing.h"

namespace strata::onnx {

WrittenNames::WrittenNames(const Graph& graph, const WrittenNames* outer)
    : outer_(outer), names_(graph.tensors.size()) {
  taken_.reserve(graph.tensors.size());
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    const Tensor& tensor = graph.tensors[id];
    if (tensor.role == Role::Captured && outer != nullptr) names_[id] = outer->of(tensor.outer);
    if (tensor.role == Role::Initializer && tensor.data != nullptr) add(graph, id);
  }
  for (const TensorId id : graph.inputs) add(graph, id);
  for (const Node& node : graph.nodes)
    for (const TensorId id : node.outputs)
      if (id != kNone) add(graph, id);
  // These come last, so that they do not take a name that another value already has.
  for (const TensorId id : unnamed_) make_up(id, graph.tensors[id].name);
}

void WrittenNames::add(const Graph& graph, TensorId id) {
  const std::string_view name = graph.tensors[id].name;
  if (name.empty() || is_outside(name)) {
    unnamed_.push_back(id);
    return;
  }
  if (!taken_.insert(name, id).is_new)
    wrong_model(fmt::format("two values of the graph {} have the name {}", in_quotes(graph.name),
                            in_quotes(name)));
  names_[id] = name;
}

bool WrittenNames::is_outside(std::string_view name) const {
  for (const WrittenNames* names = outer_; names != nullptr; names = names->outer_)
    if (names->taken_.find(name) != nullptr) return true;
  return false;
}

void WrittenNames::make_up(TensorId id, std::string_view like) {
  std::string& name = made_up_.emplace_back();
  for (std::uint64_t number = id;; number += names_.size()) {
    name = fmt::format("{}_{}", like, number);
    if (!is_outside(name) && taken_.insert(name, id).is_new) break;
  }
  names_[id] = name;
}

}  // namespace strata::onnx

#include "read/onnx/names.h"

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/onnx/node.h"

namespace strata::onnx {

TensorId Names::make_in_call(std::string_view name) {
  made_.push_back(new_tensor(loading_.make_name(prefix_, name)));
  return made_.back();
}

TensorId Names::use(std::string_view name) {
  if (name.empty()) return kNone;
  // Two guesses save most look-ups: nodes use weights in the order in which files store them, and
  // what the node before made.
  if (table_.is_name(next_weight_, name)) return tensor_of(table_.value(next_weight_++));
  if (table_.is_name(table_.size() - 1, name)) return tensor_of(table_.value(table_.size() - 1));
  const auto entry = table_.insert(name, 0);
  if (!entry.is_new) {
    const TensorId id = tensor_of(entry.value);
    if (id != kNone && graph_.tensors[id].role == Role::Initializer)
      next_weight_ = entry.number + 1;
    return id;
  }
  if (in_call_ && is_left_out(name)) {
    entry.value = kArgument | kNumber;
    return kNone;
  }
  return entry.value = make(name);
}

TensorId Names::find(std::string_view name) const {
  const std::uint32_t* value = table_.find(name);
  return value == nullptr ? kNone : tensor_of(*value);
}

TensorId Names::define(std::string_view name) {
  const auto entry = table_.insert(name, 0);
  if (entry.is_new) return entry.value = make(name);
  const TensorId id = tensor_of(entry.value);
  if ((entry.value & kArgument) != 0 || !is_open(graph_.tensors[id]))
    defined_twice(name, entry.value);
  return id;
}

void Names::bind_input(std::string_view parameter, TensorId argument) {
  if (parameter.empty() || !table_.insert(parameter, kArgument | (argument & kNumber)).is_new)
    loading_.source.wrong(
        fmt::format("the function has two inputs with the name {}", in_quotes(parameter)));
}

bool Names::bind_output(std::string_view result, TensorId target) {
  return table_.insert(result, target).is_new;
}

// An argument of an enclosing call that was not given: in a body of the function, too, it means
// that the input is left out.
bool Names::is_left_out(std::string_view name) const {
  for (const Names* names = outer_; names != nullptr; names = names->outer_)
    if (const std::uint32_t* value = names->table_.find(name)) return tensor_of(*value) == kNone;
  return false;
}

void Names::defined_twice(std::string_view name, std::uint32_t first) const {
  std::string by = "an argument of the function";
  if ((first & kArgument) == 0) {
    const Tensor& tensor = graph_.tensors[tensor_of(first)];
    if (tensor.role == Role::Input) by = "an input of the graph";
    if (tensor.role == Role::Initializer) by = "a stored tensor";
    if (tensor.producer == graph_.nodes.size()) by = "another output of the same node";
    if (tensor.producer < graph_.nodes.size()) {
      const Node& node = graph_.nodes[tensor.producer];
      by = describe(node.op, node.name, tensor.name);
    }
  }
  loading_.source.wrong(
      fmt::format("the value {} is defined twice; the first is {}", in_quotes(name), by));
}

}  // namespace strata::onnx

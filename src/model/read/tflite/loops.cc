#include "read/tflite/loops.h"

#include <algorithm>
#include <optional>

namespace strata::tflite {

namespace {

constexpr int kMostAnds = 8;  // comparisons of comparisons
constexpr std::int64_t kMost = std::int64_t{1} << 32;

std::optional<Node> producer_of(const Graph& graph, TensorId id) {
  if (id == kNone || id >= graph.tensors.size()) return std::nullopt;
  const NodeId producer = graph.tensors[id].producer;
  if (producer == kNone || producer >= graph.nodes.size()) return std::nullopt;
  return graph.nodes[producer];
}

// The only element of a stored integer.
std::optional<std::int64_t> constant_of(const Graph& graph, TensorId id) {
  if (id == kNone || id >= graph.tensors.size()) return std::nullopt;
  const Tensor& tensor = graph.tensors[id];
  if (tensor.role != Role::Initializer || tensor.data == nullptr ||
      !is_integer(tensor.data->dtype) || !tensor.data->elements().is(1))
    return std::nullopt;
  const auto value = decode(*tensor.data);
  if (!value || value->size() != 1) return std::nullopt;
  const auto number = value->items[0].whole().number();
  return number && *number > -kMost && *number < kMost ? number : std::nullopt;
}

std::optional<std::size_t> place_of(std::span<const TensorId> list, TensorId id) {
  const auto found = std::find(list.begin(), list.end(), id);
  if (id == kNone || found == list.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list.begin());
}

class Loop {
 public:
  Loop(const Graph& outer, std::span<const TensorId> inputs, const Graph& condition,
       const Graph& body)
      : outer_(outer), inputs_(inputs), condition_(condition), body_(body) {}

  std::optional<std::int64_t> iterations(TensorId test, int depth) const {
    const auto node = producer_of(condition_, test);
    if (!node || depth > kMostAnds || node->inputs.size() != 2) return std::nullopt;
    const TensorId a = node->inputs[0], b = node->inputs[1];
    if (node->op == "LOGICAL_AND") {
      const auto one = iterations(a, depth + 1), other = iterations(b, depth + 1);
      return one && other ? std::optional(std::min(*one, *other)) : std::nullopt;
    }
    if (node->op == "LESS") return up_to(a, b, 0);
    if (node->op == "LESS_EQUAL") return up_to(a, b, 1);
    if (node->op == "GREATER") return up_to(b, a, 0);
    if (node->op == "GREATER_EQUAL") return up_to(b, a, 1);
    return std::nullopt;
  }

 private:
  // The value that a variable of the loop begins with.
  std::optional<std::int64_t> first_of(std::size_t variable) const {
    return variable < inputs_.size() ? constant_of(outer_, inputs_[variable]) : std::nullopt;
  }
  // The number that the body adds to a variable.
  std::optional<std::int64_t> step_of(std::size_t variable) const {
    if (variable >= body_.inputs.size() || variable >= body_.outputs.size()) return std::nullopt;
    const TensorId own = body_.inputs[variable];
    if (body_.outputs[variable] == own) return 0;
    const auto node = producer_of(body_, body_.outputs[variable]);
    if (!node || node->op != "ADD" || node->inputs.size() != 2) return std::nullopt;
    if (node->inputs[0] == own) return constant_of(body_, node->inputs[1]);
    if (node->inputs[1] == own) return constant_of(body_, node->inputs[0]);
    return std::nullopt;
  }
  // A constant of the condition, or a variable that never changes.
  std::optional<std::int64_t> limit_of(TensorId id) const {
    if (const auto stored = constant_of(condition_, id)) return stored;
    const auto variable = place_of(condition_.inputs, id);
    if (!variable || step_of(*variable) != 0) return std::nullopt;
    return first_of(*variable);
  }
  std::optional<std::int64_t> up_to(TensorId counter, TensorId end, std::int64_t more) const {
    const auto variable = place_of(condition_.inputs, counter);
    const auto limit = limit_of(end);
    if (!variable || !limit) return std::nullopt;
    const auto first = first_of(*variable), step = step_of(*variable);
    if (!first || !step || *step < 1) return std::nullopt;
    return std::max<std::int64_t>(0, (*limit + more - *first + *step - 1) / *step);
  }

  const Graph& outer_;
  const std::span<const TensorId> inputs_;
  const Graph &condition_, &body_;
};

}  // namespace

Expr iterations_of(const Graph& outer, std::span<const TensorId> inputs, const Graph& condition,
                   const Graph& body) {
  if (condition.outputs.empty()) return Expr::unknown();
  const auto count = Loop(outer, inputs, condition, body).iterations(condition.outputs[0], 0);
  return count ? Expr(*count) : Expr::unknown();
}

}  // namespace strata::tflite

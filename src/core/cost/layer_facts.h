// The facts about a layer that the formulas of a counting convention may use.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "cost/formula.h"
#include "strata/cost/layers.h"

namespace strata {

class NodeView;

// The names, in the order of kFactNames.
enum class Fact : std::uint8_t {
  N,
  I,
  O,
  n,
  n_out,
  rows,
  rank,
  contiguous,
  K,
  k,
  k_int,
  b,
  affine,
  permutes,
  params,
  groups,
  Ci,
  Co,
  P,
  Pi,
  Fi,
  Fo,
  inner,
  f,
  products,
  scores,
  projected,
  attended,
  operands,
  indices,
  ellipsis,
  batched,
  nearest,
  linear,
  cubic,
  steps,
  H,
  D,
  gates,
  W,
  R,
  B,
  macs,
  flops,
  served_macs,
  served_flops,
  kCount,
};
inline constexpr std::size_t kFacts = static_cast<std::size_t>(Fact::kCount);

struct FactName {
  std::string_view name;
  std::string_view meaning;  // for the documentation and for `explain`
};
extern const std::array<FactName, kFacts> kFactNames;

enum class AxisFact : std::uint8_t { in, out, kernel, stride, pad, dilation, kCount };
inline constexpr std::size_t kAxisFacts = static_cast<std::size_t>(AxisFact::kCount);
extern const std::array<FactName, kAxisFacts> kAxisFactNames;

// The names in the form that formulas are parsed with.
FormulaNames layer_formula_names();

// A fact that a layer does not have (such as the window of a Linear) is unknown.
class LayerFacts {
 public:
  // Facts of a layer, or of one of its nodes: `members` are the nodes to look at and `main` is the
  // one that does the work, all as indices into costs.nodes.
  LayerFacts(const Costs& costs, LayerKind kind, std::uint32_t main,
             std::span<const std::uint32_t> members);
  LayerFacts(const LayerFacts&) = delete;
  LayerFacts& operator=(const LayerFacts&) = delete;

  const Amount& operator[](Fact fact) const { return plain_[static_cast<std::size_t>(fact)]; }
  FormulaValues values() const { return {plain_, {axis_spans_.data(), axes_.size()}}; }
  // Number of spatial axes: 2 for an image.
  std::size_t axes() const { return axes_.size(); }
  DType dtype() const { return dtype_; }  // type of what it reads
  const Expr& times() const { return times_; }

 private:
  using Axis = std::array<Amount, kAxisFacts>;
  static constexpr std::size_t kMaxAxes = 3;

  Amount& at(Fact fact) { return plain_[static_cast<std::size_t>(fact)]; }
  void find_ends(const Costs& costs, const Executed& main, std::span<const std::uint32_t> members);
  void find_sizes();
  void find_parameters(const Costs& costs, LayerKind kind, std::span<const std::uint32_t> members);
  void find_axes(const Graph& graph, const Node& node, LayerKind kind);
  void find_weights(const Graph& graph, const Node& node, LayerKind kind);
  void find_listed_recurrent(const NodeView& view, std::size_t first);
  void find_recurrent(const Graph& graph, const Node& node);
  void find_attention(const Costs& costs, std::span<const std::uint32_t> members);

  std::array<Amount, kFacts> plain_;
  InlineVector<Axis, kMaxAxes> axes_;
  std::array<std::span<const Amount>, kMaxAxes> axis_spans_;
  const TypeInfo* input_ = nullptr;
  const TypeInfo* output_ = nullptr;
  DType dtype_ = DType::Undefined;
  Expr times_;
};

}  // namespace strata

// The internal form of a convention: formulas by kind of layer.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/formula.h"
#include "cost/layer_facts.h"
#include "strata/cost/convention.h"

namespace strata {

// The kinds that a convention can have rules for: all but Unknown.
inline constexpr std::size_t kLayerKinds = static_cast<std::size_t>(LayerKind::Unknown);
std::string_view name_of(LayerKind kind);  // `AdaptiveAvgPool`

struct LayerRule {
  std::string key;  // as in the file: `Conv2d`
  // Counts of elements, not bytes, for what is read and written. If absent, the file's default
  // applies.
  std::array<std::optional<Formula>, kMetrics> formulas;
  bool at_least = false;  // the tool may count more, by something that a file does not keep
};

// Rules by kind, by kind and number of spatial axes, and by operator; the most specific one
// applies.
class RuleTable {
 public:
  RuleTable();
  // Keys are as in the file: `Conv`, `Conv2d`, `onnx:Einsum`. An error is a sentence.
  Status add(std::string_view key, const LayerRule& rule);
  // `op` is empty for a layer with several operators.
  const LayerRule* find(LayerKind kind, std::size_t axes, std::string_view op) const;
  // The rule for torch.nn's MultiheadAttention as one module, or nullptr: then its operators are
  // counted one by one.
  const LayerRule* multihead() const {
    return multihead_ == kNoRule ? nullptr : &rules_[static_cast<std::size_t>(multihead_)];
  }
  std::span<const LayerRule> rules() const { return rules_; }  // in the file's order
  // The rule for an operator by its name, or nullptr.
  const LayerRule* find_operator(std::string_view op) const;

 private:
  static constexpr std::size_t kMaxAxes = 3;  // 0: any number
  static constexpr std::int16_t kNoRule = -1;
  std::vector<LayerRule> rules_;
  std::array<std::array<std::int16_t, kMaxAxes + 1>, kLayerKinds> by_kind_;
  std::vector<std::pair<std::string, std::int16_t>> by_operator_;
  std::int16_t multihead_ = kNoRule;
};

struct ConventionRules {
  enum class Functional : std::uint8_t {
    Ignored,  // operations between modules are not counted
    AsModules,
    OwnTable,
  };
  std::string name, title, source;
  std::vector<std::string> quirks;
  std::array<std::optional<std::string>, kMetrics> labels;
  Metric headline = Metric::Macs;
  bool is_strata = false;
  // The count of layers and operators without a rule.
  enum class Default : std::uint8_t { Zero, Unknown, Strata } fallback = Default::Zero;
  Functional functional = Functional::Ignored;
  RuleTable modules, between;
};

// The counting of one layer: each part has a rule and the facts it is applied to.
struct CountedPart {
  LayerKind kind = LayerKind::Other;
  std::uint32_t main = 0;      // index into Costs::nodes
  std::uint32_t bias = kNone;  // for a part of one node: the node that adds its bias
  bool whole_layer = false;    // its facts cover all nodes of the layer
  bool one_operator = true;
  bool multihead = false;  // torch.nn's MultiheadAttention as a whole
  const RuleTable* table = nullptr;
};
using CountedParts = InlineVector<CountedPart, 2>;
// Empty if the convention has no row for the layer.
CountedParts parts_of(const ConventionRules& rules, const Costs& costs, const Layers& layers,
                      const Layer& layer);
// True if the convention states every metric that it has for this operator by name.
bool counts_operator(const ConventionRules& rules, const Node& node);
// The rule for a part, or nullptr; the number of spatial axes distinguishes `Conv2d` from `Conv1d`.
const LayerRule* rule_for(const CountedPart& part, const Costs& costs);
LayerFacts facts_of(const CountedPart& part, const Costs& costs, const Layers& layers,
                    const Layer& layer);
// Elements of a type in bytes; a fraction of an element is a fraction of its bytes.
Amount bytes_of_amount(const Amount& elements, DType type);

}  // namespace strata

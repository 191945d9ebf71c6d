// Counting conventions: what other tools count for each layer, from the same walk of the graph. A
// convention is a JSON file of formulas (docs/cost-model.md). Those in data/conventions/ are built
// in; users can name their own by its path.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/cost/amount.h"
#include "strata/cost/layers.h"

namespace strata {

enum class Metric : std::uint8_t { Macs, Flops, ReadBytes, WriteBytes };
inline constexpr std::size_t kMetrics = 4;
std::string_view name_of(Metric metric);  // as in the files: `macs`, `flops`, `read`, `write`

struct ConventionRules;

class Convention {
 public:
  explicit Convention(std::shared_ptr<const ConventionRules> rules) : rules_(std::move(rules)) {}

  const std::string& name() const;
  const std::string& title() const;   // one line
  const std::string& source() const;  // whose convention it is
  // The convention's surprises, one sentence each.
  const std::vector<std::string>& quirks() const;
  bool has(Metric metric) const;
  // The tool's own name for the metric: torchstat's `MAdd` is FLOPs.
  const std::string& label(Metric metric) const;
  // The number that its tool is known for.
  Metric headline() const;
  // True for strata's own convention, which uses the operators' rules instead of formulas per
  // layer.
  bool is_strata() const;

  const ConventionRules& rules() const { return *rules_; }

 private:
  std::shared_ptr<const ConventionRules> rules_;
};

// The built-in names, strata's own first.
std::vector<std::string> convention_names();
// Finds a convention by name, or reads a JSON file by path.
Result<Convention> find_convention(std::string_view name_or_path);
// Parses the text of such a file; `label` names it in errors.
Result<Convention> parse_convention(std::string_view json, std::string_view label);

// The counts of one layer, or of all layers together. A metric that the convention does not have is
// 0.
struct LayerCount {
  std::array<Amount, kMetrics> amounts;
  Expr params;  // as strata counts them, in every convention: each where it is first read
  Certainty certainty = Certainty::Exact;
  std::optional<Certainty> bytes_certainty = {};  // of what is read and written, if it differs
  bool counted = true;  // false: it has no row in this convention (an operation between modules)
  bool is_stratas = false;         // no rule of the convention applies: this is strata's own count
  DType dtype = DType::Undefined;  // of the layer's inputs: bytes are elements times its size

  const Amount& operator[](Metric metric) const {
    return amounts[static_cast<std::size_t>(metric)];
  }
  Amount& operator[](Metric metric) { return amounts[static_cast<std::size_t>(metric)]; }
};

struct ConventionCosts {
  std::vector<LayerCount> layers;  // in the order of Layers::list
  LayerCount total;
};

// The operators of `costs.unknown_ops` that the convention has no complete rule for either.
std::vector<std::string> not_counted(const Convention& convention, const Costs& costs);

// Linear in the number of nodes.
ConventionCosts count_as(const Convention& convention, const Costs& costs, const Layers& layers);

}  // namespace strata

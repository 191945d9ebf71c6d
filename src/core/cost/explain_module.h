// A module's numbers as the sum of those of the layers in it.
#pragma once

#include <optional>
#include <string>

#include "strata/cost/explain.h"

namespace strata {

// Nullopt unless `path` is that of a module with layers below it and of no layer.
std::optional<std::string> explain_module(const Model& model, const Costs& costs,
                                          const Layers& layers, std::string_view path,
                                          const Convention& convention, const ExplainStyle& style);
// How sure a sum over these layers is. A bound of 0 is unknown.
Certainty certainty_of(const Costs& costs, const Layers& some, const LayerCount& sum,
                       const Convention& convention, Metric metric);
// `rasp: FLOPs, MACs and bytes of torch.nn's layers`
std::string convention_text(const Convention& convention);
// Says how much some layers cost and their share of the network: `10.84 M MACs, 3.6 % of the
// network's; 864 parameters, 0.0 %.`
std::string answer_text(const Model& model, const Costs& costs, const Layers& layers,
                        const Layers& some, const Convention& convention);

}  // namespace strata

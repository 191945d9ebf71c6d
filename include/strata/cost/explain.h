// The formula behind each number of one layer, with the numbers filled in.
#pragma once

#include <string>
#include <string_view>

#include "strata/base/result.h"
#include "strata/cost/convention.h"
#include "strata/cost/layers.h"

namespace strata {

struct ExplainStyle {
  bool color = false;  // ANSI colours, for a terminal
};

// `query` names a layer: its path (`layer1.0.conv1`), a node's name, the end of either (`conv1`),
// or a pattern with * and ?. `#2` after it means the second call. If a query is ambiguous, the
// error lists the layers it could mean. The path of a module with layers below it is explained as
// their sum.
Result<std::string> explain(const Model& model, const Costs& costs, const Layers& layers,
                            std::string_view query, const Convention& convention,
                            const ExplainStyle& style = {});

// The one layer that a query means, as an index into Layers::list.
Result<std::size_t> find_layer(const Model& model, const Costs& costs, const Layers& layers,
                               std::string_view query);

}  // namespace strata

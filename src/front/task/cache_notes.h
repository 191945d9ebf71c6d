// Steps of decoders, recognised by their inputs.
#pragma once

#include "strata/graph/graph.h"

namespace strata {

// If inputs of the model are keys and values of earlier tokens, adds a note that says how many
// tokens they hold, how many bytes a step reads of them, and what the model copies that a serving
// engine would append in place. A model that is built from configurations says that itself.
void add_cache_notes(Model& model);

}  // namespace strata

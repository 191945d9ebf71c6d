// The weights' types, as a `quantization_config` states them.
#pragma once

#include <optional>
#include <string_view>

#include "llm/config_keys.h"

namespace strata::llm {

// Sets Network::weights, and Network::stored where the bits are not those of the type's usual form:
// other groups, other bits, or modules that stay as they are. Reads the layers, so they must be
// there. Without a `quantization_config`, nothing changes.
Status read_quantization(Keys& keys, Network& network);

// True if the pattern names the module, or one around it: `self_attn` names
// `model.layers.0.self_attn.q_proj`. A pattern that begins with `re:` is a regular expression from
// the start of the name on; of those, strata understands `.*`, `.`, `\.`, `^` and `$`, and
// returns nullopt for others.
std::optional<bool> matches_module(std::string_view pattern, std::string_view module);

}  // namespace strata::llm

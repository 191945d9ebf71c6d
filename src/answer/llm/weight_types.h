#pragma once

#include "llm/config_keys.h"
#include "strata/llm/weights.h"

namespace strata::llm {

// Sets Network::weights from `quantization_config` and the type that the configuration states.
Status read_weight_types(Keys& keys, Network& network);

}  // namespace strata::llm

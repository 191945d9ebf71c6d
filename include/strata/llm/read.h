// Reads language models from the configurations that their authors publish.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/llm/network.h"

namespace strata::llm {

// A config.json of transformers, in memory. `label` names it in errors.
Result<Network> read_config(std::string_view json, std::string_view label);

// A folder with a config.json, a config.json, or `zoo:NAME` for a built-in configuration.
Result<Network> read_network(const std::string& path);

// True if strata knows the class of the folder's config.json.
bool reads_class(const std::string& folder);
// True if a GGUF file says enough to be a network.
bool is_network(const std::string& gguf);

// Names of the built-in configurations, sorted.
std::vector<std::string_view> zoo_names();
bool is_in_zoo(std::string_view name);

}  // namespace strata::llm


#include <fmt/format.h>

#include "strata/engine/engine.h"

#include "strata/base/text_map.h"

namespace strata {

std::vector<std::string> node_keys(const Model& model) {
  TextMap<std::string_view, int> uses;
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) ++uses[node.name];
  std::vector<std::string> keys;
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) {
      // A name that looks like a number could be mistaken for one.
      const bool plain = !node.name.empty() && node.name[0] != '#' &&
                         node.name.find('\0') == node.name.npos && uses[node.name] == 1;
      keys.push_back(plain ? std::string(node.name) : fmt::format("#{}", keys.size()));
    }
  return keys;
}

}  // namespace strata

#include <algorithm>

#include <fmt/format.h>

#include "base/glob.h"
#include "base/in_quotes.h"
#include "base/nearest.h"
#include "strata/edit/layers.h"

namespace strata {

namespace {

// `features.0` holds `features.0.1`, not `features.01`; `stage1` and `stage1:0` hold `stage1:0:2`.
bool holds(std::string_view outer, std::string_view inner, char separator) {
  return inner.size() > outer.size() && inner.starts_with(outer) &&
         inner[outer.size()] == separator;
}

bool is_meant(const Model& model, const QuantLayer& layer, std::string_view name) {
  if (name.empty()) return false;
  if (layer.path == name || layer.block == name) return true;
  if (holds(name, layer.path, '.') || holds(name, layer.path, '#') || holds(name, layer.block, ':'))
    return true;
  const bool pattern = name.find_first_of("*?") != name.npos;
  if (pattern && (matches_glob(name, layer.path) || matches_glob(name, layer.block))) return true;
  return std::any_of(layer.nodes.begin(), layer.nodes.end(), [&](NodeId id) {
    const Node& node = model.graph().nodes[id];
    // The norm and the activation are modules of their own, and part of the layer.
    return node.name == name || model.scopes[node.scope].path == name;
  });
}

}  // namespace

Result<std::vector<bool>> select_layers(const Model& model, const std::vector<QuantLayer>& layers,
                                        const std::vector<std::string>& names) {
  constexpr std::size_t kMostListed = 8;
  std::vector<bool> selected(layers.size(), false);
  for (const std::string& name : names) {
    bool any = false;
    for (std::size_t i = 0; i < layers.size(); ++i)
      if (is_meant(model, layers[i], name)) selected[i] = any = true;
    if (any) continue;
    std::string list;
    for (std::size_t i = 0; i < std::min(layers.size(), kMostListed); ++i)
      list += (i == 0 ? "" : ", ") + layers[i].path;
    if (layers.size() > kMostListed)
      list += fmt::format(" and {} more", layers.size() - kMostListed);
    std::vector<std::string> paths;
    paths.reserve(layers.size());
    for (const QuantLayer& layer : layers) paths.push_back(layer.path);
    return failure(
        fmt::format("there is no layer {} that could be quantized{}; there are {}", in_quotes(name),
                    did_you_mean(name, paths), layers.empty() ? "none" : list),
        ErrorKind::Usage);
  }
  return selected;
}

}  // namespace strata

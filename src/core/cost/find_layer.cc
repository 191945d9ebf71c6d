#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/glob.h"
#include "base/nearest.h"
#include "strata/cost/explain.h"

namespace strata {

namespace {

// `conv1` is the end of `layer1.0.conv1` and not of `preconv1`.
bool is_end_of(std::string_view text, std::string_view end) {
  if (!text.ends_with(end) || end.empty()) return false;
  if (text.size() == end.size()) return true;
  const char before = text[text.size() - end.size() - 1];
  return before == '.' || before == '/';
}

struct Named {
  std::size_t layer;
  std::string path;
};

std::string with_call(const Layers& layers, const Named& named) {
  const Layer& layer = layers.list[named.layer];
  return layer.call == 0 ? named.path : fmt::format("{}#{}", named.path, layer.call + 1);
}

constexpr std::size_t kMaxListed = 12;

std::string list_of(const Layers& layers, const std::vector<Named>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMaxListed; ++i)
    text += (i == 0 ? "" : ", ") + with_call(layers, names[i]);
  if (names.size() > kMaxListed) text += fmt::format(" and {} more", names.size() - kMaxListed);
  return text;
}

}  // namespace

Result<std::size_t> find_layer(const Model& model, const Costs& costs, const Layers& layers,
                               std::string_view query) {
  std::string_view wanted = query;
  std::uint32_t call = 0;
  const std::size_t hash = wanted.rfind('#');
  if (hash != wanted.npos && hash > 0) {
    const std::string_view digits = wanted.substr(hash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), call);
    if (error == std::errc() && end == digits.data() + digits.size() && call > 0)
      wanted = wanted.substr(0, hash);
    else
      call = 0;
  }

  // Better matches first: the whole path, a node's whole name, the end of either, a pattern.
  constexpr std::size_t kTiers = 4;
  std::vector<Named> found[kTiers];
  std::vector<std::string> others;
  const bool pattern = wanted.find_first_of("*?") != wanted.npos;
  for (std::size_t i = 0; i < layers.list.size(); ++i) {
    const Layer& layer = layers.list[i];
    if (costs.nodes[layer.main].cost->folded) continue;
    if (call != 0 && layer.call + 1 != call) continue;
    Named named{i, layer_path(model, costs, layer)};
    bool node_name = false, node_end = false, node_pattern = false;
    for (std::uint32_t index : layers.nodes_of(layer)) {
      const std::string_view name = costs.nodes[index].get().name;
      node_name = node_name || name == wanted;
      node_end = node_end || is_end_of(name, wanted);
      node_pattern = node_pattern || (pattern && matches_glob(wanted, name));
    }
    if (named.path == wanted)
      found[0].push_back(named);
    else if (node_name)
      found[1].push_back(named);
    else if (is_end_of(named.path, wanted) || node_end)
      found[2].push_back(named);
    else if (pattern && (matches_glob(wanted, named.path) || node_pattern))
      found[3].push_back(named);
    else
      others.push_back(std::move(named.path));
  }
  for (const std::vector<Named>& tier : found) {
    if (tier.empty()) continue;
    const bool one_path = std::all_of(tier.begin(), tier.end(),
                                      [&](const Named& n) { return n.path == tier[0].path; });
    // The first of several calls of one module stands for all.
    if (one_path) return tier[0].layer;
    return failure(fmt::format("\"{}\" can be any of {} layers: {}; give more of its name", query,
                               tier.size(), list_of(layers, tier)),
                   ErrorKind::Usage);
  }
  return failure(Code::NoLayer,
                 {.name = std::string(query), .detail = did_you_mean(wanted, others)});
}

}  // namespace strata

#include "sensitivity/families.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "edit/fold.h"
#include "edit/quantize_values.h"
#include "ops/registry.h"
#include "strata/base/statistics.h"

namespace strata {

namespace {

constexpr double kAlike = 3;             // dB
constexpr std::size_t kMostMembers = 6;  // in a family, including the one that stands for it

std::string dims_text(const Graph& graph, TensorId id) {
  if (id == kNone) return "-";
  const TypeInfo& type = graph.tensors[id].type;
  std::string out(name_of(type.dtype));
  if (!type.ranked) return out + "?";
  for (const Expr& size : type.dims) out += " " + size.text();
  return out;
}

std::string attribute_text(const Attribute& attribute) {
  std::string out = std::string(attribute.name) + "=";
  if (const auto* whole = std::get_if<std::int64_t>(&attribute.value))
    out += fmt::format("{}", *whole);
  else if (const auto* real = std::get_if<float>(&attribute.value))
    out += fmt::format("{}", *real);
  else if (const auto* text = std::get_if<std::string_view>(&attribute.value))
    out += *text;
  else if (const auto* many = std::get_if<std::span<const std::int64_t>>(&attribute.value))
    out += fmt::format("{}", fmt::join(*many, ","));
  return out;
}

// Operator, attributes and shapes.
std::string node_text(const Graph& graph, const Node& node) {
  std::string out = fmt::format("{}:{}", node.domain, node.op);
  for (const Attribute& attribute : node.attributes) out += " " + attribute_text(attribute);
  for (const TensorId id : node.inputs) out += ", " + dims_text(graph, id);
  for (const TensorId id : node.outputs) out += "; " + dims_text(graph, id);
  return out + "\n";
}

struct LayerBlock {
  std::vector<std::size_t> layers;  // in running order
  std::vector<std::string> places;  // by layer: the rest of the path
};

// A module of the layer's path whose name ends in a number.
struct Numbered {
  std::string block, stem, place;  // `layers.1`, `layers.`, `attn.proj`
};
std::vector<Numbered> numbered_modules(const std::string& path) {
  std::vector<Numbered> out;
  for (std::size_t end = path.find('.'); end != std::string::npos; end = path.find('.', end + 1)) {
    std::size_t digits = end;
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(path[digits - 1])) != 0) --digits;
    if (digits < end)
      out.push_back({path.substr(0, end), path.substr(0, digits), path.substr(end + 1)});
  }
  return out;
}

// Describes all nodes from the first of its layers to the last, including those in between.
std::string block_text(const Graph& graph, const std::vector<QuantLayer>& layers,
                       const LayerBlock& block) {
  NodeId first = std::numeric_limits<NodeId>::max(), last = 0;
  std::string out;
  for (std::size_t i = 0; i < block.layers.size(); ++i) {
    const QuantLayer& layer = layers[block.layers[i]];
    for (const NodeId node : layer.nodes)
      first = std::min(first, node), last = std::max(last, node);
    out += fmt::format("{} {} {}{}\n", block.places[i], static_cast<int>(layer.role),
                       layer.first ? "first" : "", layer.last ? "last" : "");
  }
  // Constants appear where they are first needed, so they are skipped.
  for (NodeId n = first; n <= last; ++n)
    if (traits_of(graph.nodes[n]).op != Op::Constant) out += node_text(graph, graph.nodes[n]);
  return out;
}

// Groups of blocks that are alike, largest group first.
std::vector<std::vector<std::pair<std::string, LayerBlock>>> alike_blocks(
    const Model& model, const std::vector<QuantLayer>& layers) {
  std::map<std::string, LayerBlock> blocks;
  std::map<std::string, std::string> stems;
  for (std::size_t l = 0; l < layers.size(); ++l)
    for (const Numbered& module : numbered_modules(layers[l].path)) {
      blocks[module.block].layers.push_back(l);
      blocks[module.block].places.push_back(module.place);
      stems[module.block] = module.stem;
    }
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<std::string, LayerBlock>>>
      groups;
  for (auto& [path, block] : blocks) {
    if (block.layers.size() < 2) continue;
    auto text = block_text(model.graph(), layers, block);
    groups[{stems[path], std::move(text)}].emplace_back(path, std::move(block));
  }
  std::vector<std::vector<std::pair<std::string, LayerBlock>>> out;
  for (auto& [key, group] : groups) {
    if (group.size() < 2) continue;
    std::sort(group.begin(), group.end(),
              [](const auto& a, const auto& b) { return a.second.layers[0] < b.second.layers[0]; });
    out.push_back(std::move(group));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size()
                                : a[0].second.layers.size() > b[0].second.layers.size();
  });
  return out;
}

// The layers of one place that are near the median by both measures.
std::vector<std::size_t> agreeing(const std::vector<std::size_t>& place, const Rounding& rounding,
                                  std::span<const OwnNoise> noise) {
  std::vector<std::size_t> out = place;
  const auto keep_near = [&](std::optional<double> OwnNoise::*measure) {
    std::erase_if(out, [&](std::size_t l) { return !(noise[l].*measure); });
    if (out.empty()) return;
    std::vector<double> values;
    values.reserve(out.size());
    for (const std::size_t l : out) values.push_back(*(noise[l].*measure));
    const double middle = median_in_place(values);
    std::erase_if(out, [&](std::size_t l) {
      const double own = *(noise[l].*measure);
      return own != middle && !(std::abs(own - middle) <= kAlike);
    });
  };
  if (rounding.weights) keep_near(&OwnNoise::weights);
  if (rounding.activations) keep_near(&OwnNoise::activations);
  return out;
}

}  // namespace

Result<std::vector<OwnNoise>> own_noise(const Model& model, const std::vector<QuantLayer>& layers,
                                        const Rounding& rounding, const FillElements& fill,
                                        const ActivationSqnr& activation_sqnr) {
  std::vector<OwnNoise> out(layers.size());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const auto activations = activation_sqnr.find(model.graph().tensors[layers[l].output].name);
    if (activations != activation_sqnr.end()) out[l].activations = activations->second;
    if (!rounding.weights) continue;
    auto weights = layer_weights(model, layers[l], fill);
    if (!weights) return failure(weights);
    auto whole = quantized_weights(*weights, layers[l], rounding.weight_bits, rounding.choice, 0);
    if (!whole) return failure_in(layers[l].path, whole);
    double signal = 0, lost = 0;
    for (std::size_t i = 0; i < weights->weight.size(); ++i) {
      const double w = weights->weight[i], error = w - whole->restored[i];
      signal += w * w;
      lost += error * error;
    }
    if (signal > 0 && lost > 0) out[l].weights = 10 * std::log10(signal / lost);
  }
  return out;
}

Families find_families(const Model& model, const std::vector<QuantLayer>& layers,
                       const Rounding& rounding, std::span<const OwnNoise> noise) {
  Families out;
  for (std::size_t l = 0; l < layers.size(); ++l) out.like.push_back(l);
  std::vector<bool> taken(layers.size(), false);
  for (const auto& group : alike_blocks(model, layers)) {
    const bool free = std::all_of(group.begin(), group.end(), [&](const auto& block) {
      const auto& own = block.second.layers;
      return std::none_of(own.begin(), own.end(), [&](std::size_t l) { return taken[l]; });
    });
    if (!free) continue;
    AlikeBlocks alike;
    for (const auto& [path, block] : group) {
      alike.blocks.push_back(path);
      alike.layers += block.layers.size();
      for (const std::size_t l : block.layers) taken[l] = true;
    }
    for (std::size_t place = 0; place < group[0].second.layers.size(); ++place) {
      std::vector<std::size_t> same;
      same.reserve(group.size());
      for (const auto& [path, block] : group) same.push_back(block.layers[place]);
      same = agreeing(same, rounding, noise);
      if (same.size() < 2) continue;
      const std::size_t parts = (same.size() + kMostMembers - 1) / kMostMembers;
      for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t from = part * same.size() / parts;
        const std::size_t to = (part + 1) * same.size() / parts;
        const std::size_t middle = same[(from + to - 1) / 2];
        ++alike.standing;
        alike.members += to - from - 1;
        for (std::size_t i = from; i < to; ++i) out.like[same[i]] = middle;
      }
    }
    if (alike.members > 0) out.blocks.push_back(std::move(alike));
  }
  return out;
}

}  // namespace strata

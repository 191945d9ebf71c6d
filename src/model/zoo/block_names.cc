#include "zoo/block_names.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "cost/layer_kind.h"
#include "strata/base/text_map.h"
#include "zoo/efficientvit.h"

namespace strata::zoo {

namespace {

std::optional<BlockPart> part_of(LayerKind kind) {
  if (kind == LayerKind::Conv || kind == LayerKind::ConvTranspose) return BlockPart::Conv;
  if (is_norm(kind)) return BlockPart::Norm;
  return is_activation(kind) ? std::optional(BlockPart::Act) : std::nullopt;
}

std::string_view lookup(std::span<const BlockScheme::Name> names, std::string_view from) {
  for (const BlockScheme::Name& name : names)
    if (name.from == from) return name.to;
  return {};
}

struct Place {
  std::string_view stage;
  ScopeId block = kNone;
  std::string_view kind;
};

// The place of a module; it has no block if it is in no stage.
Place place_of(const Model& model, ScopeId scope, const BlockScheme& scheme) {
  Place place;
  std::vector<ScopeId> inside;  // the stage's modules around `scope`, outermost last
  for (ScopeId at = scope; at != kNone && at != 0; at = model.scopes[at].parent) {
    place.stage = lookup(scheme.stages, model.scopes[at].path);
    if (!place.stage.empty()) break;
    inside.push_back(at);
  }
  if (place.stage.empty()) return {};
  for (auto at = inside.rbegin(); at != inside.rend(); ++at) {
    const std::string_view cls = model.scopes[*at].cls;
    const bool holds = std::find(scheme.containers.begin(), scheme.containers.end(), cls) !=
                       scheme.containers.end();
    if (place.block == kNone && !holds) place.block = *at;
    if (place.block != kNone && place.kind.empty()) place.kind = lookup(scheme.kinds, cls);
  }
  return place;
}

// Finds the scheme of a network whose authors number their blocks.
const BlockScheme* find_scheme(std::string_view root_class) {
  for (const BlockScheme* scheme : {&efficientvit_blocks()})
    if (std::find(scheme->roots.begin(), scheme->roots.end(), root_class) != scheme->roots.end())
      return scheme;
  return nullptr;
}

constexpr std::string_view kParts[] = {"conv", "norm", "act"};

}  // namespace

std::string text(const BlockName& name) {
  return fmt::format("{}:{}:{}:{}:{}", name.stage, name.block, name.layer,
                     kParts[static_cast<std::size_t>(name.part)], name.kind);
}

std::vector<std::optional<BlockName>> block_names(const Model& model, const Layers& layers,
                                                  const LayerEdges& edges,
                                                  const BlockScheme& scheme) {
  std::vector<std::optional<BlockName>> names(layers.list.size());
  TextMap<std::string_view, std::uint32_t> blocks;  // number of blocks in a stage so far
  struct Block {
    std::uint32_t number = 0, layers = 0;
  };
  std::unordered_map<ScopeId, Block> known;
  std::unordered_map<TensorId, std::uint32_t> maker;  // named layer by the tensor that it returns
  for (std::uint32_t i = 0; i < layers.list.size(); ++i) {
    const auto part = part_of(layers.list[i].kind);
    if (!part || layers.list[i].functional) continue;
    if (*part == BlockPart::Conv) {
      const Place place = place_of(model, layers.list[i].scope, scheme);
      if (place.block == kNone) continue;
      const auto [block, is_new] = known.try_emplace(place.block);
      if (is_new) block->second.number = blocks[place.stage]++;
      names[i] = {place.stage, block->second.number, block->second.layers++, *part, place.kind};
    } else {
      const auto inputs = edges.inputs(i);
      const auto before = inputs.empty() ? maker.end() : maker.find(inputs[0]);
      if (before == maker.end() || names[before->second]->part >= *part) continue;
      names[i] = names[before->second];
      names[i]->part = *part;
    }
    for (TensorId id : edges.outputs(i)) maker.emplace(id, i);
  }
  return names;
}

std::vector<std::optional<BlockName>> block_names(const Model& model, const Layers& layers,
                                                  const LayerEdges& edges) {
  const BlockScheme* scheme = find_scheme(model.scopes[0].cls);
  if (scheme == nullptr) return {};
  return block_names(model, layers, edges, *scheme);
}

}  // namespace strata::zoo

// Layers numbered by stage and block, as authors of staged networks do: `stage1:0:2`
// is the third layer of the first block of stage 1, where a layer is a convolution
// with the norm and the activation that follow it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/cost/layers.h"

namespace strata::zoo {

// The rule by which a network's modules make stages and blocks.
struct BlockScheme {
  struct Name {
    std::string_view from, to;
  };
  std::span<const std::string_view> roots;       // classes of the root modules that have it
  std::span<const Name> stages;                  // path of a module, name of the stage
  std::span<const std::string_view> containers;  // classes that only hold blocks
  std::span<const Name> kinds;                   // class of a block or of what it wraps, its kind
};

enum class BlockPart : std::uint8_t { Conv, Norm, Act };

struct BlockName {
  std::string_view stage;
  std::uint32_t block = 0, layer = 0;  // from 0; blocks without a convolution have no number
  BlockPart part = BlockPart::Conv;
  std::string_view kind;  // empty if the scheme has none for the block
};

// `stage1:0:0:act:fmb`
std::string text(const BlockName& name);

// Returns one entry per layer; nullopt for layers outside of stages and for those that are not part
// of such a layer. A norm or activation belongs to the layer whose output it reads.
std::vector<std::optional<BlockName>> block_names(const Model& model, const Layers& layers,
                                                  const LayerEdges& edges,
                                                  const BlockScheme& scheme);

// Like above, by the zoo's scheme for the class of the model's root module; empty if it has none.
std::vector<std::optional<BlockName>> block_names(const Model& model, const Layers& layers,
                                                  const LayerEdges& edges);

}  // namespace strata::zoo

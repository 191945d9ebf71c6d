#include "cost/known_bodies.h"

#include <algorithm>

namespace strata {

namespace {

constexpr KnownBody kBodies[] = {
    {.cls = "BasicBlock",
     .children = {"conv1", "bn1", "conv2", "bn2", "relu"},
     .sums_in_place = true,
     .locals = {{"downsample"}}},
    {.cls = "Bottleneck",
     .children = {"conv1", "bn1", "conv3", "bn3", "relu"},
     .sums_in_place = true,
     .locals = {{"downsample"}}},
    {.cls = "Fire",
     .children = {"squeeze", "squeeze_activation", "expand1x1", "expand3x3"},
     .locals = {{"squeeze_activation"}}},
    {.cls = "_DenseLayer",
     .children = {"norm1", "relu1", "conv1", "norm2", "relu2", "conv2"},
     .locals = {{"Concat", "conv1"}, {"conv1"}}},
    {.cls = "SqueezeExcitation",
     .children = {"avgpool", "fc1", "activation", "fc2", "scale_activation"},
     .relu_in_place = false},
    {.cls = "DenseNet", .children = {}, .locals = {{"features"}}},
};

constexpr std::size_t kCount = std::size(kBodies);

}  // namespace

std::vector<const KnownBody*> find_known_bodies(const Model& model) {
  const std::size_t count = model.scopes.size();
  std::vector<unsigned> found(count * kCount, 0);  // bit i: child i exists
  for (const Scope& scope : model.scopes) {
    if (scope.parent == kNone || !model.scopes[scope.parent].cls.empty()) continue;
    for (std::size_t body = 0; body < kCount; ++body)
      for (std::size_t i = 0; i < KnownBody::kNames; ++i)
        if (scope.name == kBodies[body].children[i]) found[scope.parent * kCount + body] |= 1u << i;
  }
  std::vector<const KnownBody*> known(count, nullptr);
  for (ScopeId scope = 0; scope < count; ++scope)
    for (std::size_t body = 0; body < kCount; ++body) {
      unsigned wanted = 0;
      for (std::size_t i = 0; i < KnownBody::kNames; ++i)
        if (!kBodies[body].children[i].empty()) wanted |= 1u << i;
      const bool has_all = wanted != 0 && found[scope * kCount + body] == wanted;
      if (known[scope] == nullptr && (has_all || model.scopes[scope].cls == kBodies[body].cls))
        known[scope] = &kBodies[body];
    }
  return known;
}

}  // namespace strata

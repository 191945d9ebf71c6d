#include "read/torch/modules.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace strata::torch {

namespace {

// The module of nodes that PyTorch added, such as guards.
constexpr std::string_view kNoModule = "_empty_nn_module_stack_from_metadata_hook";

// `torch.nn.modules.conv.Conv2d` is a Conv2d.
std::string_view last_part(std::string_view cls) { return cls.substr(cls.rfind('.') + 1); }

// Takes off what follows the last comma.
std::string_view take_last(std::string_view& text) {
  const std::size_t comma = text.rfind(',');
  if (comma == std::string_view::npos) return std::exchange(text, {});
  const std::string_view last = text.substr(comma + 1);
  text = text.substr(0, comma);
  return last;
}

}  // namespace

Modules::Modules(Model& model) : model_(model) {
  model_.scopes.clear();
  model_.scopes.push_back({{}, {}, {}, kNone, 0});
}

ScopeId Modules::scope_of(std::string_view stack) {
  const auto known = stacks_.insert(stack, 0);
  if (!known.is_new) return known.value;
  const std::size_t number = known.number;
  ScopeId scope = 0;
  while (!stack.empty()) {
    const std::size_t end = stack.find(';');
    scope = enter(scope, stack.substr(0, end));
    stack = end == std::string_view::npos ? std::string_view() : stack.substr(end + 1);
  }
  return stacks_.value(number) = scope;
}

ScopeId Modules::enter(ScopeId parent, std::string_view entry) {
  if (entry.empty() || entry.starts_with(kNoModule)) return parent;
  std::string_view key = entry;
  const std::string_view cls = take_last(key);
  std::string_view path = take_last(key);
  // Some releases number the call in the path, and others in the key.
  path = path.substr(0, path.find('@'));
  if (path.empty()) {
    if (model_.scopes[0].cls.empty()) model_.scopes[0].cls = last_part(cls);
    return parent;
  }
  const std::string text = fmt::format("{} {}", parent, entry);
  if (const std::uint32_t* known = entries_.find(text)) return *known;
  const ScopeId scope = add(parent, path, cls);
  entries_.insert(model_.keep(text), scope);
  return scope;
}

ScopeId Modules::add(ScopeId parent, std::string_view path, std::string_view cls) {
  constexpr std::uint32_t kDeepest = 64;  // modules in modules; what is deeper is in the last
  const std::uint32_t depth = depths_[parent] + 1;
  if (depth > kDeepest) return parent;
  const auto scope = static_cast<ScopeId>(model_.scopes.size());
  const auto first = paths_.insert(path, scope);
  // The number of a call is one more than that of the last, which the first remembers.
  const std::uint32_t call = first.is_new ? 0 : ++calls_[first.value];
  const std::string_view around = model_.scopes[parent].path;
  const bool inside = !around.empty() && path.size() > around.size() + 1 &&
                      path.starts_with(around) && path[around.size()] == '.';
  model_.scopes.push_back(
      {inside ? path.substr(around.size() + 1) : path, path, last_part(cls), parent, call});
  calls_.push_back(0);
  depths_.push_back(depth);
  return scope;
}

ScopeId Modules::scope_at(std::string_view path) {
  if (path.empty()) return 0;
  if (const std::uint32_t* known = paths_.find(path)) return *known;
  ScopeId parent = 0;
  constexpr int kFarthest = 64;  // dots, from the end
  std::string_view around = path;
  for (int i = 0; i < kFarthest && parent == 0 && !around.empty(); ++i) {
    const std::size_t dot = around.rfind('.');
    around = dot == std::string_view::npos ? std::string_view() : around.substr(0, dot);
    if (const std::uint32_t* known = around.empty() ? nullptr : paths_.find(around))
      parent = *known;
  }
  return add(parent, path, {});
}

}  // namespace strata::torch

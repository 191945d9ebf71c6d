#include "read/onnx/scopes.h"

#include <algorithm>

#include <fmt/format.h>

#include "read/onnx/scope_text.h"

namespace strata::onnx {

namespace {

// Limits for names that are meant to be expensive; beyond them, there are no scopes.
constexpr std::size_t kLongestName = 4096;
constexpr std::size_t kMostComponents = 64;
constexpr std::size_t kMostPathBytes = std::size_t{64} << 20;

// Components that a framework adds and the author did not write.
bool is_noise(std::string_view component) {
  constexpr std::size_t kShortest = 15;
  if (component.size() < kShortest) return component.empty();
  return component == "_empty_nn_module_stack_from_metadata_hook" ||
         component.starts_with("StatefulPartitionedCall") ||
         component.starts_with("PartitionedCall");
}

}  // namespace

ScopeTree::Id ScopeTree::place(Id start, const NodeText& node, const ModuleName& layer) {
  Id id = kNone;
  // The exporter itself writes a namespace beside the lists.
  if (!node.name_scopes.empty() && !node.module_namespace.empty())
    id = from_run(node.name_scopes, node.class_hierarchy, layer);
  if (id == kNone && !node.name_scopes.empty())
    id = from_lists(node.name_scopes, node.class_hierarchy);
  if (id == kNone && !node.module_namespace.empty()) id = from_namespace(node.module_namespace);
  if (id == kNone) id = from_name(start, node.name);
  entries_[id].has_nodes = true;
  return id;
}

ScopeTree::Id ScopeTree::from_name(Id start, std::string_view name) {
  if (name.empty()) return start;
  const std::size_t slash = last_of(name, '/');
  if (slash == name.npos || slash == 0 || name.size() > kLongestName) return start;
  const std::string_view path(name.data(), slash);
  if (start == last_start_ && path == last_path_) return last_id_;
  last_start_ = start;
  last_path_ = path;
  return last_id_ = enter_path(start, path, path[0] == '/' ? Style::Torch : Style::Slashed, 0);
}

// Walks up to the first component that is known, and down again.
ScopeTree::Id ScopeTree::enter_path(Id start, std::string_view path, Style style,
                                    std::size_t depth) {
  if (path.empty() || depth > kMostComponents) return start;
  const std::string_view key = key_at(start, path);
  const auto found = ids_.insert(key, kNone);
  if (!found.is_new) return found.value;
  const std::size_t number = ids_.size() - 1;
  const std::size_t slash = last_of(path, '/');
  const bool is_first = slash == std::string_view::npos;
  const Id parent = is_first ? start : enter_path(start, path.substr(0, slash), style, depth + 1);
  const std::string_view text = is_first ? path : path.substr(slash + 1);
  return ids_.value(number) = add(parent, key, text, {}, style);
}

ScopeTree::Id ScopeTree::from_lists(std::string_view names, std::string_view classes) {
  if (names.size() > kLongestName) return kNone;
  // The last element is the node's own name.
  const std::size_t last = std::min(names.rfind(", "), names.size());
  if (const Id* known = ids_.find(names.substr(0, last))) return *known;
  const Words words = list_of_texts(names);
  if (words.empty()) return kNone;
  const Words class_words = list_of_texts(classes);
  Id id = kRoot;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    std::string_view cls;
    if (class_words.size() == words.size()) cls = last_part(class_words[i]);
    if (words[i].empty() && root_class_.empty()) root_class_ = cls;
    const auto size =
        static_cast<std::size_t>(words[i].data() + words[i].size() + 1 - names.data());
    id = enter(id, names.substr(0, size), words[i], cls, Style::Dotted);
  }
  return id;
}

// The exporter writes nodes in the order in which the modules ran, and does not number the calls: a
// module that was left and is entered again is called again. kNone if the text is not such a list,
// or if the exporter lost the node's place.
ScopeTree::Id ScopeTree::from_run(std::string_view names, std::string_view classes,
                                  const ModuleName& layer) {
  if (names.size() > kLongestName) return kNone;
  const std::string_view path = names.substr(0, std::min(names.rfind(", "), names.size()));
  if (layer.path.empty() && path == open_names_) return open_.empty() ? kRoot : open_.back().id;
  const Words words = list_of_texts(names);
  if (words.empty()) return kNone;
  std::size_t count = words.size() - 1;  // the last element is the node's own name
  for (std::size_t i = 0; i < count; ++i)
    if (!words[i].empty() && is_noise(words[i])) return kNone;
  const Words class_words = list_of_texts(classes);

  Id id = kRoot;
  std::size_t depth = 0;
  bool is_open = true;  // the scopes so far are those around the last node
  const auto enter_next = [&](std::string_view text, std::string_view cls) {
    is_open = is_open && depth < open_.size() && open_[depth].text == text;
    if (!is_open) {
      open_.resize(depth);
      open_.push_back({text, add(id, text, text, cls, Style::Dotted)});
    }
    id = open_[depth++].id;
  };
  // A folded layer is in the innermost of the scopes whose path its own continues.
  const auto contains_layer = [&](std::string_view scope) {
    return scope.empty() || (layer.path.size() > scope.size() && layer.path.starts_with(scope) &&
                             layer.path[scope.size()] == '.');
  };
  while (!layer.path.empty() && count > 0 && !contains_layer(words[count - 1])) --count;
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view cls;
    if (class_words.size() == words.size()) cls = last_part(class_words[i]);
    if (words[i].empty() && root_class_.empty()) root_class_ = cls;
    enter_next(words[i], cls);
  }
  if (!layer.path.empty()) {
    const std::size_t outside = count == 0 ? 0 : words[count - 1].size();
    for (std::size_t dot = layer.path.find('.', outside + 1); dot != std::string_view::npos;
         dot = layer.path.find('.', dot + 1))
      enter_next(layer.path.substr(0, dot), {});
    enter_next(layer.path, layer.cls);
  }
  open_.resize(depth);
  open_names_ = layer.path.empty() ? path : std::string_view();
  return id;
}

ScopeTree::Id ScopeTree::from_namespace(std::string_view text) {
  if (text.find(": ") == std::string_view::npos) return from_name(kRoot, text);
  const std::size_t last = text.rfind('/');
  if (last == std::string_view::npos || text.size() > kLongestName) return kNone;
  const std::string_view path = text.substr(0, last);
  if (const Id* known = ids_.find(path)) return *known;
  if (static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')) > kMostComponents)
    return kNone;
  Id id = kRoot;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view component = path.substr(begin, end - begin);
    const std::size_t colon = std::min(component.find(": "), component.size());
    const std::string_view name = component.substr(0, colon);
    const std::string_view cls =
        colon == component.size() ? std::string_view() : last_part(component.substr(colon + 2));
    if (name.empty() && root_class_.empty()) root_class_ = cls;
    id = enter(id, path.substr(0, end), name, cls, Style::Dotted);
    begin = end + 1;
  }
  return id;
}

ScopeTree::Id ScopeTree::enter_call(Id outside, std::string_view name, std::string_view function) {
  name = name.substr(name.rfind('/') + 1);
  // Exporters write `Sequential.1` for another function of the same class.
  const std::size_t dot = function.rfind('.');
  if (dot != std::string_view::npos &&
      function.find_first_not_of("0123456789", dot + 1) == std::string_view::npos)
    function = function.substr(0, dot);
  return enter(outside, composed_key(outside, name), name, function, Style::Call);
}

std::string_view ScopeTree::key_at(Id start, std::string_view key) {
  return start == kRoot ? key : composed_key(start, key);
}

// Other keys are views into the file.
std::string_view ScopeTree::composed_key(Id start, std::string_view key) {
  const std::string composed = fmt::format("#{}/{}", start, key);
  const std::string_view known = ids_.kept_name(composed);
  return known.empty() ? model_.keep(composed) : known;
}

ScopeTree::Id ScopeTree::enter(Id parent, std::string_view key, std::string_view text,
                               std::string_view cls, Style style) {
  const auto found = ids_.insert(key, kNone);
  if (found.is_new) found.value = add(parent, key, text, cls, style);
  return found.value;
}

ScopeTree::Id ScopeTree::add(Id parent, std::string_view key, std::string_view text,
                             std::string_view cls, Style style) {
  if (is_noise(text)) return parent;
  const std::size_t path_bytes = entries_[parent].path_bytes + text.size() + 1;
  if (path_bytes_ + path_bytes > kMostPathBytes || path_bytes > kLongestName) return parent;
  path_bytes_ += path_bytes;
  entries_.push_back({key, text, cls, parent, style, false, path_bytes});
  return static_cast<Id>(entries_.size() - 1);
}

}  // namespace strata::onnx

#include "write/onnx/scope_lists.h"

#include <algorithm>

#include <fmt/format.h>

#include "read/onnx/scopes.h"

namespace strata::onnx {

namespace {

// Reads the names of a model's nodes as the reader would.
class NamesOnly {
 public:
  explicit NamesOnly(const Model& model) : model_(model), tree_(read_) {
    // Weights show whether a number at the end of a name is part of it.
    for (const Tensor& tensor : model.graph().tensors)
      if (tensor.role == Role::Initializer) read_.graph().tensors.push_back(tensor);
    place(model.graph(), ScopeTree::kRoot);
    tree_.finish();
  }

  bool tell_all() const {
    const NodeList& nodes = read_.graph().nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!same(nodes[i].scope, scopes_[i])) return false;
    return true;
  }

 private:
  // Puts all nodes into one graph, in the order in which they are read.
  void place(const Graph& graph, ScopeTree::Id start) {
    for (const Node& node : graph.nodes) {
      NodeText text;
      text.name = node.name;
      Node placed;
      placed.scope = tree_.place(start, text);
      read_.graph().nodes.push_back(placed);
      scopes_.push_back(node.scope);
      for (const Attribute& attribute : node.attributes) {
        if (const auto* body = std::get_if<Graph*>(&attribute.value)) place(**body, placed.scope);
        if (const auto* bodies = std::get_if<std::span<Graph* const>>(&attribute.value))
          for (const Graph* body : *bodies) place(*body, placed.scope);
      }
    }
  }

  bool same(ScopeId read, ScopeId written) const {
    while (read != kNone && written != kNone) {
      const Scope& a = read_.scopes[read];
      const Scope& b = model_.scopes[written];
      if (a.path != b.path || a.name != b.name || a.call != b.call) return false;
      read = a.parent;
      written = b.parent;
    }
    return read == written;
  }

  const Model& model_;
  Model read_;
  ScopeTree tree_;
  std::vector<ScopeId> scopes_;
};

bool lists_needed(const Model& model) {
  if (std::any_of(model.scopes.begin(), model.scopes.end(),
                  [](const Scope& scope) { return !scope.cls.empty(); }))
    return true;
  return !NamesOnly(model).tell_all();
}

// An element of a list as Python prints it. The reader does not unescape, so a text with both kinds
// of quotes comes back with its escapes.
std::string element(std::string_view text) {
  const char quote = text.find('\'') == text.npos ? '\'' : '"';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') out += '\\';
    out += c;
  }
  return out += quote;
}

}  // namespace

ScopeLists::ScopeLists(const Model& model)
    : model_(model), needed_(lists_needed(model)), lists_(model.scopes.size()) {}

const ScopeLists::Lists& ScopeLists::of(ScopeId id) {
  Lists& lists = lists_[id];
  if (!lists.names.empty()) return lists;
  const Scope& scope = model_.scopes[id];
  if (scope.parent == kNone) {
    lists = {"[''", "[" + element(scope.cls)};
    return lists;
  }
  const Lists& around = of(scope.parent);
  std::string word(scope.path);
  if (scope.call > 0) word += fmt::format("@{}", scope.call);
  lists.names = fmt::format("{}, {}", around.names, element(word));
  lists.classes = fmt::format("{}, {}", around.classes, element(scope.cls));
  return lists;
}

std::string ScopeLists::names(const Node& node) {
  return fmt::format("{}, {}]", of(node.scope).names, element(node.op));
}

std::string ScopeLists::classes(const Node& node) {
  return fmt::format("{}, {}]", of(node.scope).classes, element(node.op));
}

}  // namespace strata::onnx

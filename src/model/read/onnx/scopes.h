// The module tree that an author wrote, from what exporters keep of it in the names and metadata of
// nodes.
//
//   /features/features.0/features.0.0/Conv   TorchScript: `features.0.0`
//   /head/conv_1/Conv                        … its second call: `head.conv`, call 1
//   model/block1/conv/Conv2D                 TensorFlow and others: `model/block1/conv`
//   metadata pkg.torch.onnx.name_scopes      ['', 'features', 'features.0', 'conv2d']
//            pkg.torch.onnx.class_hierarchy  ['Net', 'torch.nn.….Sequential', …]
//   metadata namespace                       : Net/features: torch.nn.….Sequential/conv2d: aten…
//
// Nodes whose names have no structure (`Conv_0`) are placed where their surroundings are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "read/onnx/folded_norm.h"
#include "read/onnx/node.h"
#include "strata/graph/graph.h"

namespace strata::onnx {

class ScopeTree {
 public:
  // A scope as the file writes it, before repeated calls are distinguished.
  using Id = std::uint32_t;
  static constexpr Id kRoot = 0;

  explicit ScopeTree(Model& model) : model_(model), entries_(1) {}

  // Makes room for the scopes of this many nodes.
  void reserve(std::size_t nodes) {
    ids_.reserve(nodes);
    entries_.reserve(nodes);
  }
  // The scope of a node whose surroundings are at `start`. If `layer` has a path, the node belongs
  // to that module in place of the innermost one that it states.
  Id place(Id start, const NodeText& node, const ModuleName& layer = {});
  // The scope inside a function call.
  Id enter_call(Id outside, std::string_view name, std::string_view function);
  // Fills Model::scopes and replaces the Ids in all nodes with ScopeIds.
  void finish();

 private:
  enum class Style : std::uint8_t {
    Torch,    // a component repeats its parent's: `conv.0` inside `conv`
    Slashed,  // plain components
    Dotted,   // the whole path from the root
    Call,     // a function call
  };
  struct Entry {
    std::string_view key;
    std::string_view text;  // as in the file: `features.0`, `conv_1`
    std::string_view cls;
    Id parent = kRoot;
    Style style = Style::Slashed;
    bool has_nodes = false;  // a node is directly in it, not only in scopes inside it
    std::size_t path_bytes = 0;
  };
  // A module, which has one path and is called once or more.
  struct Module {
    std::string_view path;
    std::string_view name;
    std::string_view text;
    std::string_view cls;
    std::uint32_t parent = 0;
    std::uint32_t written = 0;  // entries with this path
    std::uint32_t calls = 0;
    bool has_nodes = false;
    bool says_parent = false;  // its entries say which call of the parent they are in
    bool says_calls = false;   // every call of it is an entry, even if it has no nodes
    ScopeId first = 0;
    // Its children: how many there are, and how often each seems to be called.
    std::uint32_t children = 0;
    std::uint32_t fewest = 0, most = 0, divisor = 0;
  };
  struct Place {
    std::uint32_t module = 0;
    std::uint32_t call = 0;
  };

  Id from_name(Id start, std::string_view name);
  Id enter_path(Id start, std::string_view path, Style style, std::size_t depth);
  Id from_lists(std::string_view names, std::string_view classes);
  Id from_run(std::string_view names, std::string_view classes, const ModuleName& layer);
  Id from_namespace(std::string_view text);
  // The entry with this key, created if it does not exist.
  Id enter(Id parent, std::string_view key, std::string_view text, std::string_view cls,
           Style style);
  // A new entry; `parent` if the text is noise or there are too many.
  Id add(Id parent, std::string_view key, std::string_view text, std::string_view cls, Style style);
  // `key` unchanged at the root; inside a function, prefixed with the place.
  std::string_view key_at(Id start, std::string_view key);
  std::string_view composed_key(Id start, std::string_view key);

  void find_modules();
  std::string_view without_call_number(const Entry& entry, const Module& parent);
  bool has_weights(std::string_view path);
  void count_calls();
  void make_scopes();

  Model& model_;
  NameTable ids_;
  std::vector<Entry> entries_;
  std::size_t path_bytes_ = 0;
  // The last look-up: neighbouring nodes are mostly in the same scope.
  Id last_start_ = kRoot;
  Id last_id_ = kRoot;
  std::string_view last_path_;
  // The scopes around the last node that states them, from the root; see from_run().
  struct Open {
    std::string_view text;
    Id id;
  };
  std::vector<Open> open_;
  std::string_view open_names_;
  std::string_view root_class_;
  std::vector<Module> modules_;
  std::vector<Place> places_;  // one per entry
  NameTable weighted_;         // paths that have stored tensors
  bool weights_known_ = false;
};

}  // namespace strata::onnx

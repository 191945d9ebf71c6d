// The place of a node in its author's module tree, as PyTorch's newer exporter writes it into a
// node's metadata. read/onnx/scopes.h reads it.
#pragma once

#include <string>
#include <vector>

#include "strata/graph/graph.h"

namespace strata::onnx {

class ScopeLists {
 public:
  explicit ScopeLists(const Model& model);

  // False if the names of the nodes already say everything. Then no node gets lists: a module that
  // one node names and another lists would count as called twice.
  bool needed() const { return needed_; }
  // `['', 'head', 'head.conv@1', 'Conv']`: the paths of the modules around a node, with the number
  // of the call, followed by the node's own name.
  std::string names(const Node& node);
  // `['Net', 'Head', 'Conv2d', 'Conv']`: the classes of these modules.
  std::string classes(const Node& node);

 private:
  struct Lists {
    std::string names;  // without the node's own name
    std::string classes;
  };
  const Lists& of(ScopeId scope);

  const Model& model_;
  bool needed_;
  std::vector<Lists> lists_;  // indexed by ScopeId; empty: not made yet
};

}  // namespace strata::onnx

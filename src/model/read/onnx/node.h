// The fields of a NodeProto, before its names are resolved.
#pragma once

#include <string>
#include <string_view>

#include "read/onnx/wire.h"
#include "strata/base/inline_vector.h"

namespace strata::onnx {

struct NodeText {
  std::string_view op;
  std::string_view domain;  // "ai.onnx" is read as ""
  std::string_view name;
  std::string_view overload;
  InlineVector<std::string_view, 6> inputs;
  InlineVector<std::string_view, 2> outputs;
  InlineVector<std::string_view, 8> attributes;  // AttributeProto messages
  // Its place in the author's module tree; see scopes.h. Empty if not stated.
  std::string_view name_scopes;
  std::string_view class_hierarchy;
  std::string_view module_namespace;
  std::string_view rewrites;  // names of the rules by which the exporter's optimizer made it
};

NodeText read_node(Source& source, std::string_view message);

// `Conv "/stem/conv"`, or `Conv (no name, output "x")`.
std::string describe(const NodeText& node);
std::string describe(std::string_view op, std::string_view name, std::string_view output);

std::string_view standard_domain(std::string_view domain);

// While this object lives, errors name the node.
class AtNode {
 public:
  AtNode(Source& source, const NodeText& node) : source_(source), before_(source.node) {
    source_.node = &node;
  }
  ~AtNode() { source_.node = before_; }
  AtNode(const AtNode&) = delete;
  AtNode& operator=(const AtNode&) = delete;

 private:
  Source& source_;
  const NodeText* before_;
};

}  // namespace strata::onnx

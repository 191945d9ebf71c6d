#include "read/onnx/node.h"

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/onnx/entry.h"
#include "read/onnx/proto.h"

namespace strata::onnx {

namespace {

void read_metadata(Source& source, std::string_view message, NodeText& node) {
  const auto [key, value] = read_entry(source, message);
  if (key == "pkg.torch.onnx.name_scopes")
    node.name_scopes = value;
  else if (key == "pkg.torch.onnx.class_hierarchy")
    node.class_hierarchy = value;
  else if (key == "namespace")
    node.module_namespace = value;
  else if (key == "pkg.onnxscript.rewriter.rule_name")
    node.rewrites = value;
}

}  // namespace

std::string_view standard_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

NodeText read_node(Source& source, std::string_view message) {
  NodeText node;
  const AtNode here(source, node);
  for (Fields f(source, message); f.next();) {
    switch (f.number()) {
      case proto::node::kInput:
        node.inputs.push_back(f.bytes());
        break;
      case proto::node::kOutput:
        node.outputs.push_back(f.bytes());
        break;
      case proto::node::kName:
        node.name = f.bytes();
        break;
      case proto::node::kOpType:
        node.op = f.bytes();
        break;
      case proto::node::kAttribute:
        node.attributes.push_back(f.bytes());
        break;
      case proto::node::kDomain:
        node.domain = standard_domain(f.bytes());
        break;
      case proto::node::kOverload:
        node.overload = f.bytes();
        break;
      case proto::node::kMetadata:
        read_metadata(source, f.bytes(), node);
        break;
      default:
        f.skip();
    }
  }
  if (node.op.empty()) source.wrong("the node says no operator");
  return node;
}

std::string describe(std::string_view op, std::string_view name, std::string_view output) {
  std::string what = op.empty() ? "a node" : op.size() > 60 ? in_quotes(op) : std::string(op);
  if (!name.empty()) return fmt::format("{} {}", what, in_quotes(name));
  if (!output.empty()) return fmt::format("{} (no name, output {})", what, in_quotes(output));
  return what;
}

std::string describe(const NodeText& node) {
  std::string_view output;
  for (const std::string_view candidate : node.outputs)
    if (output.empty()) output = candidate;
  return describe(node.op, node.name, output);
}

}  // namespace strata::onnx

// ONNX messages written by hand, for tests. Each function returns the bytes of
// one message.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "read/onnx/proto.h"

namespace strata::onnx::test {

using Texts = std::vector<std::string>;
using Sizes = std::vector<std::int64_t>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

inline std::string entry(const std::string& key, const std::string& value) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_string(proto::entry::kKey, key);
  w.add_string(proto::entry::kValue, value);
  return bytes;
}

struct NodeParts {
  std::string name = {};
  Texts attributes = {};
  std::string domain = {};
  std::string overload = {};
  Pairs metadata = {};
};

inline std::string node(const std::string& op, const Texts& inputs, const Texts& outputs,
                        const NodeParts& parts = {}) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  for (const std::string& input : inputs) w.add_string(proto::node::kInput, input);
  for (const std::string& output : outputs) w.add_string(proto::node::kOutput, output);
  if (!parts.name.empty()) w.add_string(proto::node::kName, parts.name);
  w.add_string(proto::node::kOpType, op);
  for (const std::string& attribute : parts.attributes)
    w.add_message(proto::node::kAttribute, attribute);
  if (!parts.domain.empty()) w.add_string(proto::node::kDomain, parts.domain);
  if (!parts.overload.empty()) w.add_string(proto::node::kOverload, parts.overload);
  for (const auto& [key, value] : parts.metadata)
    w.add_message(proto::node::kMetadata, entry(key, value));
  return bytes;
}

// An attribute with one field; `type` 0 leaves its type out.
template <class Add>
std::string attribute(const std::string& name, int type, Add&& add) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_string(proto::attribute::kName, name);
  add(w);
  if (type != 0) w.add_enum(proto::attribute::kType, type);
  return bytes;
}
inline std::string int_attribute(const std::string& name, std::int64_t i) {
  return attribute(name, 2, [&](auto& w) { w.add_int64(proto::attribute::kInt, i); });
}
inline std::string ints_attribute(const std::string& name, const Sizes& items) {
  return attribute(name, 7, [&](auto& w) {
    for (const std::int64_t item : items) w.add_int64(proto::attribute::kInts, item);
  });
}
inline std::string graph_attribute(const std::string& name, const std::string& graph) {
  return attribute(name, 5, [&](auto& w) { w.add_message(proto::attribute::kGraph, graph); });
}
inline std::string tensor_attribute(const std::string& name, const std::string& tensor) {
  return attribute(name, 4, [&](auto& w) { w.add_message(proto::attribute::kTensor, tensor); });
}
// An attribute that refers to an attribute of the enclosing function.
inline std::string reference(const std::string& name, const std::string& to, int type) {
  return attribute(name, type, [&](auto& w) { w.add_string(proto::attribute::kRefAttrName, to); });
}

// A stored tensor; `add` writes its elements.
template <class Add>
std::string tensor(const std::string& name, int dtype, const Sizes& dims, Add&& add) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  for (const std::int64_t size : dims) w.add_int64(proto::tensor::kDims, size);
  w.add_int32(proto::tensor::kDataType, dtype);
  if (!name.empty()) w.add_string(proto::tensor::kName, name);
  add(w);
  return bytes;
}
inline std::string tensor(const std::string& name, int dtype, const Sizes& dims) {
  return tensor(name, dtype, dims, [](auto&) {});
}
inline std::string raw_tensor(const std::string& name, int dtype, const Sizes& dims,
                              const std::string& raw) {
  return tensor(name, dtype, dims, [&](auto& w) { w.add_bytes(proto::tensor::kRawData, raw); });
}
inline std::string external_tensor(const std::string& name, int dtype, const Sizes& dims,
                                   const Pairs& entries) {
  return tensor(name, dtype, dims, [&](auto& w) {
    for (const auto& [key, value] : entries)
      w.add_message(proto::tensor::kExternalData, entry(key, value));
    w.add_enum(proto::tensor::kDataLocation, 1);
  });
}

// A tensor type; each size is a number, a symbol, or empty for an open size.
inline std::string tensor_type(int dtype, const Texts& sizes) {
  std::string shape;
  protozero::pbf_writer s(shape);
  for (const std::string& size : sizes) {
    std::string dim;
    protozero::pbf_writer d(dim);
    if (size.find_first_not_of("-0123456789") != std::string::npos)
      d.add_string(proto::shape::kDimParam, size);
    else if (!size.empty())
      d.add_int64(proto::shape::kDimValue, std::stoll(size));
    s.add_message(proto::shape::kDim, dim);
  }
  std::string type;
  protozero::pbf_writer t(type);
  t.add_int32(proto::type::kElement, dtype);
  t.add_message(proto::type::kShape, shape);
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(proto::type::kTensor, type);
  return bytes;
}
// A sequence or optional (`kind` is the field number in TypeProto) of a type.
inline std::string type_of(unsigned kind, const std::string& element) {
  std::string inner;
  protozero::pbf_writer(inner).add_message(proto::type::kElement, element);
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(kind, inner);
  return bytes;
}
inline std::string value(const std::string& name, const std::string& type = {}) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_string(proto::value_info::kName, name);
  if (!type.empty()) w.add_message(proto::value_info::kType, type);
  return bytes;
}
inline std::string value_with(const std::string& name, const Pairs& metadata) {
  std::string bytes = value(name);
  for (const auto& [key, text] : metadata)
    protozero::pbf_writer(bytes).add_message(proto::value_info::kMetadata, entry(key, text));
  return bytes;
}
// A value with what PyTorch's newer exporter tells of it: `PARAMETER`, `BUFFER`, …
inline std::string value_of_kind(const std::string& name, const std::string& kind) {
  return value_with(name, {{"pkg.torch.export.graph_signature.InputSpec.kind", kind}});
}
// A stored tensor that it computed from others: `['val_1', 'fc.weight']`.
inline std::string folded_value(const std::string& name, const std::string& from) {
  return value_with(name, {{"pkg.onnxscript.optimizer.folded_from", from}});
}
inline std::string value(const std::string& name, int dtype, const Texts& sizes) {
  return value(name, tensor_type(dtype, sizes));
}

struct GraphParts {
  Texts nodes = {};
  Texts inputs = {};
  Texts outputs = {};
  Texts initializers = {};
  Texts sparse_initializers = {};
  Texts declared = {};
  std::string name = "g";
};
inline std::string graph(const GraphParts& parts) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  for (const std::string& each : parts.nodes) w.add_message(proto::graph::kNode, each);
  w.add_string(proto::graph::kName, parts.name);
  for (const std::string& each : parts.initializers)
    w.add_message(proto::graph::kInitializer, each);
  for (const std::string& each : parts.inputs) w.add_message(proto::graph::kInput, each);
  for (const std::string& each : parts.outputs) w.add_message(proto::graph::kOutput, each);
  for (const std::string& each : parts.declared) w.add_message(proto::graph::kValueInfo, each);
  for (const std::string& each : parts.sparse_initializers)
    w.add_message(proto::graph::kSparseInitializer, each);
  return bytes;
}

inline std::string opset(const std::string& domain, std::int64_t version) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_string(proto::opset::kDomain, domain);
  w.add_int64(proto::opset::kVersion, version);
  return bytes;
}

struct FunctionParts {
  Texts nodes = {};
  Texts inputs = {};
  Texts outputs = {};
  Texts defaults = {};
  Texts opsets = {};
  std::string domain = "local";
  std::string overload = {};
};
inline std::string function(const std::string& name, const FunctionParts& parts) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_string(proto::function::kName, name);
  for (const std::string& each : parts.inputs) w.add_string(proto::function::kInput, each);
  for (const std::string& each : parts.outputs) w.add_string(proto::function::kOutput, each);
  for (const std::string& each : parts.nodes) w.add_message(proto::function::kNode, each);
  for (const std::string& each : parts.opsets) w.add_message(proto::function::kOpsetImport, each);
  w.add_string(proto::function::kDomain, parts.domain);
  for (const std::string& each : parts.defaults)
    w.add_message(proto::function::kAttributeDefault, each);
  if (!parts.overload.empty()) w.add_string(proto::function::kOverload, parts.overload);
  return bytes;
}

struct ModelParts {
  Texts opsets = {opset("", 17)};
  Texts functions = {};
  Pairs metadata = {};
  std::int64_t ir_version = 8;
};
inline std::string model(const std::string& graph, const ModelParts& parts = {}) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_int64(proto::model::kIrVersion, parts.ir_version);
  w.add_string(proto::model::kProducerName, "test");
  w.add_message(proto::model::kGraph, graph);
  for (const std::string& each : parts.opsets) w.add_message(proto::model::kOpsetImport, each);
  for (const auto& [key, value] : parts.metadata)
    w.add_message(proto::model::kMetadata, entry(key, value));
  for (const std::string& each : parts.functions) w.add_message(proto::model::kFunctions, each);
  return bytes;
}
inline std::string model(const GraphParts& parts) { return model(graph(parts)); }

// A model from `x` to `y` through these nodes.
inline std::string chain(const Texts& nodes) {
  return model(
      GraphParts{.nodes = nodes, .inputs = {value("x", 1, {"2", "3"})}, .outputs = {value("y")}});
}

// A graph with an If whose body is a graph with an If, and so on.
inline std::string nested_bodies(int depth) {
  // The innermost part of each message comes last, so a level is only what precedes it, and the
  // whole is written from the outside in.
  const auto before = [](unsigned field, std::size_t size) {
    std::string bytes;
    protozero::add_varint_to_buffer(&bytes, field << 3 | 2);
    protozero::add_varint_to_buffer(&bytes, size);
    return bytes;
  };
  std::string body = graph({.nodes = {node("Relu", {"x"}, {"y"})}, .outputs = {value("y")}});
  std::vector<std::string> levels = {body};
  std::size_t size = body.size();
  for (int i = 0; i < depth; ++i) {
    std::string attribute_start = attribute("then_branch", 5, [](auto&) {});
    attribute_start += before(proto::attribute::kGraph, size);
    size += attribute_start.size();
    std::string node_start = node("If", {"x"}, {"y"}, {.name = "deep"});
    node_start += before(proto::node::kAttribute, size);
    size += node_start.size();
    std::string graph_start = graph({.outputs = {value("y")}});
    graph_start += before(proto::graph::kNode, size);
    size += graph_start.size();
    graph_start += node_start + attribute_start;
    levels.push_back(std::move(graph_start));
  }
  std::string whole;
  whole.reserve(size);
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) whole += *level;
  return whole;
}

}  // namespace strata::onnx::test

// Differences between two models, for tests. Compares the networks, not how files store them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "read/onnx/proto.h"
#include "strata/graph/graph.h"
#include "write/onnx/message.h"

namespace strata::onnx::test {

class Difference {
 public:
  Difference(const Model& a, const Model& b) : a_(a), b_(b) {
    same("ir_version", a.ir_version, b.ir_version);
    same("producer", a.producer, b.producer);
    same("producer_version", a.producer_version, b.producer_version);
    same("domain", a.domain, b.domain);
    same("model_version", a.model_version, b.model_version);
    same("doc", a.doc, b.doc);
    same("metadata", pairs(a.metadata), pairs(b.metadata));
    std::vector<std::string> opsets_a, opsets_b;
    for (const OpsetImport& o : a.opsets)
      opsets_a.push_back(fmt::format("{} {}", o.domain, o.version));
    for (const OpsetImport& o : b.opsets)
      opsets_b.push_back(fmt::format("{} {}", o.domain, o.version));
    same("opsets", opsets_a, opsets_b);
    graphs(a.graph(), b.graph());
    same("graphs", a.graphs.size(), b.graphs.size());
  }

  // The first difference; empty if there is none.
  const std::string& text() const { return text_; }

 private:
  template <class T>
  void same(std::string_view what, const T& a, const T& b) {
    if (text_.empty() && !(a == b)) text_ = fmt::format("{}: {} became {}", what, a, b);
  }

  static std::vector<std::string> pairs(const std::vector<KeyValue>& entries) {
    std::vector<std::string> out;
    out.reserve(entries.size());
    for (const KeyValue& e : entries) out.push_back(fmt::format("{}={}", e.key, e.value));
    return out;
  }

  static std::string type(const TypeInfo& t) {
    std::string dims = t.ranked ? "ranked" : "unranked";
    for (const Expr& size : t.dims) dims += " " + size.text();
    return fmt::format("{} {} {} {}", static_cast<int>(t.kind), strata::name_of(t.dtype), dims,
                       in_hex(t.encoded.bytes));
  }

  static std::string in_hex(std::string_view bytes) {
    std::string out;
    for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return out;
  }

  // Fields of a message, sorted and without names; two levels for sparse tensors.
  static std::vector<std::string> fields(std::string_view message, int levels) {
    std::vector<std::string> out;
    while (!message.empty()) {
      const EncodedField field = take_field(message);
      if (levels > 0 && !field.content.empty() && field.number != proto::sparse_tensor::kDims)
        for (const std::string& inner : fields(field.content, levels - 1))
          out.push_back(fmt::format("{}.{}", field.number, inner));
      else if (levels > 0 || is_element(field.number))
        out.push_back(fmt::format("{} {}", field.number, in_hex(field.whole)));
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  static bool is_element(unsigned number) {
    return number != proto::tensor::kName && number != proto::tensor::kDims &&
           number != proto::tensor::kDataType;
  }

  void data(const std::string& where, const TensorData* a, const TensorData* b) {
    if (a == nullptr || b == nullptr) return same(where, a == nullptr, b == nullptr);
    same(where + " dtype", strata::name_of(a->dtype), strata::name_of(b->dtype));
    same(where + " dims", std::vector(a->dims.begin(), a->dims.end()),
         std::vector(b->dims.begin(), b->dims.end()));
    same(where + " store", static_cast<int>(a->store), static_cast<int>(b->store));
    same(where + " location", a->location, b->location);
    same(where + " offset", a->offset, b->offset);
    same(where + " nonzeros", a->nonzeros, b->nonzeros);
    same(where + " texts", std::vector(a->texts.begin(), a->texts.end()),
         std::vector(b->texts.begin(), b->texts.end()));
    if (a->store == TensorData::Store::Raw && a->bytes != b->bytes) same(where + " bytes", 0, 1);
    if (a->store == TensorData::Store::Encoded)
      same(where + " elements", fields(a->encoded.bytes, 0), fields(b->encoded.bytes, 0));
    if (a->store == TensorData::Store::Sparse)
      same(where + " elements", fields(a->encoded.bytes, 1), fields(b->encoded.bytes, 1));
  }

  // Values that a body captures have the name they have outside.
  static std::string name_of(const Graph& start, TensorId id) {
    const Graph* graph = &start;
    for (; id != kNone && graph->tensors[id].role == Role::Captured; graph = graph->parent)
      id = graph->tensors[id].outer;
    return id == kNone ? std::string() : std::string(graph->tensors[id].name);
  }
  static std::vector<std::string> names(const Graph& graph, std::span<const TensorId> ids) {
    std::vector<std::string> out;
    for (const TensorId id : ids) out.push_back(name_of(graph, id));
    return out;
  }
  static std::int64_t imported(const Model& model, std::string_view domain) {
    for (const OpsetImport& opset : model.opsets)
      if (opset.domain == domain) return opset.version;
    return 0;
  }
  static std::string scope(const Model& model, ScopeId id) {
    std::string text;
    for (; id != kNone; id = model.scopes[id].parent) {
      const Scope& s = model.scopes[id];
      text = fmt::format("{} > {}|{}|{}#{}", text, s.name, s.path, s.cls, s.call);
    }
    return text;
  }

  void attribute(const std::string& where, const Attribute& a, const Attribute& b) {
    same(where + " name", a.name, b.name);
    same(where + " kind", a.value.index(), b.value.index());
    if (!text_.empty()) return;
    std::visit(
        [&](const auto& x) {
          using T = std::decay_t<decltype(x)>;
          const auto& y = std::get<T>(b.value);
          if constexpr (std::is_same_v<T, const TensorData*>)
            data(where, x, y);
          else if constexpr (std::is_same_v<T, const TypeInfo*>)
            same(where, type(*x), type(*y));
          else if constexpr (std::is_same_v<T, Graph*>)
            graphs(*x, *y);
          else if constexpr (std::is_same_v<T, std::span<Graph* const>>) {
            same(where, x.size(), y.size());
            for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) graphs(*x[i], *y[i]);
          } else if constexpr (std::is_same_v<T, Encoded>)
            same(where, fields(x.bytes, 1), fields(y.bytes, 1));
          else if constexpr (std::is_same_v<T, float>)
            same(where, in_hex({reinterpret_cast<const char*>(&x), sizeof x}),
                 in_hex({reinterpret_cast<const char*>(&y), sizeof y}));
          else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::string_view>)
            same(where, x, y);
          else if constexpr (!std::is_same_v<T, std::monostate>)
            same(where, std::vector(x.begin(), x.end()), std::vector(y.begin(), y.end()));
        },
        a.value);
  }

  void graphs(const Graph& a, const Graph& b) {
    same("graph", a.name, b.name);
    same("doc of a graph", a.doc, b.doc);
    same("inputs", names(a, a.inputs), names(b, b.inputs));
    same("outputs", names(a, a.outputs), names(b, b.outputs));
    same("nodes", a.nodes.size(), b.nodes.size());
    same("tensors", a.tensors.size(), b.tensors.size());
    if (!text_.empty()) return;
    for (std::size_t i = 0; i < a.nodes.size(); ++i) node(a, a.nodes[i], b, b.nodes[i]);
    std::map<std::string, const Tensor*> known;
    for (TensorId id = 0; id < b.tensors.size(); ++id) known[name_of(b, id)] = &b.tensors[id];
    for (TensorId id = 0; id < a.tensors.size(); ++id) {
      const Tensor& tensor = a.tensors[id];
      const std::string where = fmt::format("tensor {}", tensor.name);
      const auto found = known.find(name_of(a, id));
      if (found == known.end()) return same(where, std::string("there"), std::string("missing"));
      same(where + " role", static_cast<int>(tensor.role), static_cast<int>(found->second->role));
      same(where + " replaceable", tensor.replaceable, found->second->replaceable);
      same(where + " type", type(tensor.type), type(found->second->type));
      data(where, tensor.data, found->second->data);
    }
  }

  void node(const Graph& a, const Node& x, const Graph& b, const Node& y) {
    const std::string where = fmt::format("node {} {}", x.op, x.name);
    same(where + " op", x.op, y.op);
    same(where + " domain", x.domain, y.domain);
    same(where + " name", x.name, y.name);
    if (x.opset == imported(a_, x.domain)) same(where + " opset", x.opset, y.opset);
    same(where + " inputs", names(a, x.inputs), names(b, y.inputs));
    same(where + " outputs", names(a, x.outputs), names(b, y.outputs));
    same(where + " scope", scope(a_, x.scope), scope(b_, y.scope));
    same(where + " attributes", x.attributes.size(), y.attributes.size());
    if (!text_.empty()) return;
    for (std::size_t i = 0; i < x.attributes.size(); ++i)
      attribute(fmt::format("{} attribute {}", where, x.attributes[i].name), x.attributes[i],
                y.attributes[i]);
  }

  const Model& a_;
  const Model& b_;
  std::string text_;
};

inline std::string difference(const Model& a, const Model& b) { return Difference(a, b).text(); }

}  // namespace strata::onnx::test

// A network as it is in a file: tensors and nodes, the bodies of control flow, and the module tree
// its author wrote. Text and weights are views into the model's memory (usually a mapped file);
// nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "strata/base/arena.h"
#include "strata/base/block_list.h"
#include "strata/base/result.h"
#include "strata/base/shared.h"
#include "strata/graph/dtype.h"
#include "strata/graph/shape.h"
#include "strata/graph/value.h"

namespace strata {

using TensorId = std::uint32_t;
using NodeId = std::uint32_t;
using ScopeId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffff;  // no such tensor, node or scope

enum class ValueKind : std::uint8_t {
  Tensor,
  Sparse,    // a sparse tensor; dims are those of the dense form
  Sequence,  // a sequence of tensors; dtype and dims are what all elements have in common
  Optional,  // an optional tensor
  OptionalSequence,
  Map,  // key and value types are not tracked
  SequenceOfMap,
  Opaque,
};

struct TensorData;

// The parts of a file's encoding that Graph does not take apart. Only the format's own reader and
// writer look into it.
struct Encoding {
  std::string_view format;  // `onnx`
  // The elements of a tensor of Store::Encoded, as Store::Raw has them.
  Result<std::string> (*elements)(const TensorData& data);
};
// A part of a file, byte for byte as the file has it.
struct Encoded {
  std::string_view bytes;
  const Encoding* encoding = nullptr;  // null: there are no bytes
};

// Facts about a value that are known before it is computed.
struct TypeInfo {
  ValueKind kind = ValueKind::Tensor;
  DType dtype = DType::Undefined;
  bool ranked = false;  // false: even the number of axes is unknown, and dims is empty
  Dims dims;
  // Set for a sequence whose elements are known one by one.
  std::shared_ptr<const std::vector<TypeInfo>> items;
  // For Map, SequenceOfMap and Opaque: the type as the file encodes it, so it can be written back.
  Encoded encoded = {};

  static TypeInfo tensor(DType dtype, Dims dims) {
    return {ValueKind::Tensor, dtype, true, std::move(dims), nullptr, {}};
  }
  static TypeInfo unranked(DType dtype) {
    return {ValueKind::Tensor, dtype, false, {}, nullptr, {}};
  }
};

// The product of sizes, which may overflow.
inline Expr elements_of(std::span<const std::int64_t> sizes) {
  std::int64_t count = 1;
  bool overflows = false;
  for (const std::int64_t size : sizes) overflows |= __builtin_mul_overflow(count, size, &count);
  if (!overflows) [[likely]]
    return count;
  Expr product = 1;  // which knows that nothing times too much is 0
  for (const std::int64_t size : sizes) product *= size;
  return product;
}

// True for a stored tensor that training changes, if the file says so. Most formats do not.
enum class Learned : std::uint8_t { Unknown, Yes, No };

// A stored tensor: where its elements are, not the elements themselves.
struct TensorData {
  enum class Store : std::uint8_t {
    Absent,    // dims only: the file has no weights, or strata does not read its kind of them
    Raw,       // `bytes` are the elements, little endian, packed
    Encoded,   // as the file's format encodes them; too many to be worth unpacking
    External,  // in another file at `location`
    Sparse,    // `nonzeros` values and their indices
  };
  std::string_view name;
  DType dtype = DType::Undefined;
  Store store = Store::Absent;
  Learned learned = Learned::Unknown;
  std::span<const std::int64_t> dims;
  std::string_view bytes;                   // Raw: the elements
  strata::Encoded encoded;                  // Encoded and Sparse: the whole tensor, or empty
  std::span<const std::string_view> texts;  // Encoded: the strings, if there are only a few
  std::string_view location;
  std::int64_t offset = 0;    // External
  std::int64_t nonzeros = 0;  // Sparse

  Expr elements() const { return elements_of(dims); }
};

// The elements of a stored tensor, if they are in memory and number at most kMaxValueElements.
std::optional<Value> decode(const TensorData& data);

class Graph;

// One attribute of a node. monostate means that it has no value, Encoded that it is of a kind that
// no rule needs.
struct Attribute {
  std::string_view name;
  std::variant<std::monostate, std::int64_t, float, std::string_view, std::span<const std::int64_t>,
               std::span<const float>, std::span<const std::string_view>, const TensorData*,
               const TypeInfo*, Graph*, std::span<Graph* const>, Encoded>
      value;
};

// The part of a training step that a node runs in. Files of networks alone have one part.
enum class Phase : std::uint8_t {
  Forward,
  Backward,
  Optimizer,
  Recomputed,  // the forward pass again, for a backward pass that did not keep its activations
};

struct Node {
  std::string_view op;
  std::string_view domain;            // "" is ONNX's own domain ("ai.onnx" is stored as "")
  std::string_view name;              // as in the file; may be empty
  std::span<const TensorId> inputs;   // kNone: an optional input that is left out
  std::span<const TensorId> outputs;  // kNone: an output that is not used
  std::span<const Attribute> attributes;
  ScopeId scope = 0;
  std::int32_t opset = 0;  // the version of `domain` that this node is written for
  Phase phase = Phase::Forward;

  const Attribute* attribute(std::string_view attribute_name) const {
    for (const Attribute& a : attributes)
      if (a.name == attribute_name) return &a;
    return nullptr;
  }
};

// The nodes of a graph. They are packed: what nodes of one operator have in common is kept once,
// and a node is put together when it is asked for. So it is a copy, and is changed by set().
class NodeList {
 public:
  NodeList() = default;
  NodeList(const std::vector<Node>& nodes) {  // NOLINT(google-explicit-constructor): as a list
    reserve(nodes.size());
    for (const Node& node : nodes) push_back(node);
  }

  std::size_t size() const { return packed_.size(); }
  bool empty() const { return packed_.empty(); }
  void reserve(std::size_t count) { packed_.reserve(count); }
  void push_back(const Node& node) { packed_.push_back(pack(node)); }
  void set(std::size_t i, const Node& node) { packed_[i] = pack(node); }
  void set_scope(std::size_t i, ScopeId scope) { packed_[i].scope = scope; }
  template <class Change>
  void change(std::size_t i, const Change& change) {  // is given the node
    Node node = (*this)[i];
    change(node);
    set(i, node);
  }
  // Constant, so that nobody changes a copy by mistake.
  const Node operator[](std::size_t i) const {  // NOLINT(readability-const-return-type)
    const Packed& packed = packed_[i];
    const Operation& operation = operations_[packed.operation];
    Node node;
    node.op = operation.op;
    node.domain = operation.domain;
    node.name = {packed.name, packed.name_size};
    node.inputs = {packed.inputs, packed.input_count};
    node.outputs = {packed.outputs, packed.output_count};
    node.attributes = operation.attributes;
    node.scope = packed.scope;
    node.opset = operation.opset;
    node.phase = operation.phase;
    return node;
  }
  const Node front() const { return (*this)[0]; }          // NOLINT(readability-const-return-type)
  const Node back() const { return (*this)[size() - 1]; }  // NOLINT(readability-const-return-type)

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = const Node;

    Iterator(const NodeList& list, std::size_t at) : list_(&list), at_(at) {}
    const Node operator*() const { return (*list_)[at_]; }  // NOLINT(readability-const-return-type)
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {*list_, at_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
    friend std::ptrdiff_t operator-(const Iterator& a, const Iterator& b) {
      return static_cast<std::ptrdiff_t>(a.at_) - static_cast<std::ptrdiff_t>(b.at_);
    }

   private:
    const NodeList* list_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  struct Operation {
    std::string_view op, domain;
    std::span<const Attribute> attributes;
    std::int32_t opset = 0;
    Phase phase = Phase::Forward;
  };
  struct Packed {
    const TensorId* inputs;
    const TensorId* outputs;
    const char* name;
    std::uint32_t name_size, input_count, output_count;
    std::uint32_t operation;
    ScopeId scope;
  };
  Packed pack(const Node& node);
  std::uint32_t operation_of(const Node& node);  // its place in operations_
  void index_again();

  std::vector<Packed> packed_;
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> places_;  // of operations_, by hash; kNone: there is none
};

enum class Role : std::uint8_t {
  Input,        // given by the caller
  Initializer,  // stored in the file (may also be listed as an input)
  Activation,   // made by a node
  Captured,     // belongs to an enclosing graph and is read inside a body
};

struct Tensor {
  std::string_view name;
  Shared<TypeInfo> type;  // which tensors that are alike share
  Role role = Role::Activation;
  bool replaceable = false;  // Initializer: also listed as an input, so a caller may override it
  NodeId producer = kNone;
  TensorId outer = kNone;            // Captured: its id in the enclosing graph
  const TensorData* data = nullptr;  // Initializer
  const Value* value = nullptr;      // its elements, once they are known
};

class Graph {
 public:
  std::string_view name;
  std::string_view doc;     // free text
  Graph* parent = nullptr;  // the enclosing graph, if this is a body
  NodeList nodes;           // in an order in which they can run
  std::vector<Tensor> tensors;
  std::vector<TensorId> inputs;  // without those that are also initializers
  std::vector<TensorId> outputs;
  // For a body: how often it runs each time its node runs. For a loop, this is the trip count; for
  // a branch of an If that cannot be taken, it is 0. Inference sets it.
  Expr runs = 1;
};

// One call of one module. A module that is called three times has three scopes with the same path.
// Scope 0 is the network itself and has an empty path.
struct Scope {
  std::string_view name;  // last component: `conv1`, `0`
  std::string_view path;  // `features.0.0`, as its author would write it
  std::string_view cls;   // `Conv2d`; empty if the file does not say
  ScopeId parent = kNone;
  std::uint32_t call = 0;  // 0 for the first call of this path
};

// The values that a file allows for a symbol or for a formula in its sizes.
struct SizeRange {
  std::string_view name;  // `s77`
  Expr size;
  std::optional<std::int64_t> least, most;  // nullopt: no bound
};

struct OpsetImport {
  std::string_view domain;
  std::int64_t version;
};

struct KeyValue {
  std::string_view key;
  std::string_view value;
};

struct RecordedRun;  // strata/graph/recorded.h

// A model file and everything that was read from it. Moving a Model keeps every pointer valid.
class Model {
 public:
  Model();
  Model(Model&&) noexcept = default;
  Model& operator=(Model&&) noexcept = default;
  ~Model();

  Graph& graph() { return graphs.front(); }
  const Graph& graph() const { return graphs.front(); }

  // These make copies that live as long as the model.
  std::string_view keep(std::string_view text);
  const Value* keep(Value&& value);
  const TypeInfo* keep(TypeInfo&& type);
  template <class T>
  std::span<T> keep_span(std::size_t count);  // uninitialised; trivial types only
  template <class T>
  std::span<const T> keep(std::span<const T> items);

  std::string path;  // as the caller gave it; empty if the model came from memory
  std::uint64_t file_bytes = 0;
  std::int64_t ir_version = 0;
  std::string_view producer;
  std::string_view producer_version;
  std::string_view domain;         // namespace of the model's name, as in a package: `org.example`
  std::int64_t model_version = 0;  // the author's own version number
  std::string_view doc;            // free text
  std::vector<OpsetImport> opsets;
  std::vector<KeyValue> metadata;
  std::vector<SizeRange> size_ranges;  // what the file says about its symbols
  // The file states the type of every tensor, with formulas for open sizes. Inference then changes
  // no type, but gives symbols the values that the caller chose.
  bool states_types = false;
  std::vector<std::string> notes;  // what a reader assumed or left out, one sentence each
  std::deque<Graph> graphs;        // the first is the network, the rest are bodies
  std::vector<Scope> scopes;       // parents before children
  BlockList<TensorData> stored;    // initializers and tensor attributes
  std::shared_ptr<const RecordedRun> recorded;  // null: the file is not a recording of a run
  std::shared_ptr<const void> backing;          // keeps the mapped file alive

 private:
  Arena arena_;
  BlockList<Value> values_;
  BlockList<TypeInfo> types_;
};

template <class T>
std::span<T> Model::keep_span(std::size_t count) {
  static_assert(std::is_trivially_destructible_v<T>);
  if (count == 0) return {};
  // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer, and then pointers are kept
  return {static_cast<T*>(arena_.allocate(count * sizeof(T), alignof(T))), count};
}

template <class T>
std::span<const T> Model::keep(std::span<const T> items) {
  auto copy = keep_span<T>(items.size());
  std::uninitialized_copy(items.begin(), items.end(), copy.begin());
  return copy;
}

}  // namespace strata

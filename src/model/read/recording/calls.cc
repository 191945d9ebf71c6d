#include "read/recording/calls.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "ops/aten_schema.h"
#include "read/torch/broken.h"

namespace strata::recording {

namespace {

using torch::Argument;
using torch::Broken;
using Kind = Argument::Kind;

// A whole number or another one, as it is written; `is_whole` says which.
double take_number(JsonText& json, std::int64_t& whole, bool& is_whole) {
  const std::string_view text = json.skip();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? static_cast<double>(whole) : json.at(text).number();
}

// PyTorch's own dropout does nothing in evaluation, and does not say so by an operator.
bool is_dropout(std::string_view cls) {
  return cls.find("Dropout") != std::string_view::npos ||
         cls.find("DropPath") != std::string_view::npos;
}

std::vector<TensorId> read_numbers(const Loading& loading, JsonText& json) {
  std::vector<TensorId> numbers;
  for (JsonArray item(json); item.next();) numbers.push_back(take_tensor(loading, json));
  return numbers;
}

}  // namespace

std::vector<Leaf> read_leaves(const Loading& loading, JsonText& json) {
  std::vector<Leaf> leaves;
  for (JsonArray item(json); item.next();) {
    Leaf leaf;
    Row row(json);
    if (row.next()) leaf.scope = loading.scope(json.integer());
    if (row.next()) leaf.inputs = read_numbers(loading, json);
    if (row.next()) leaf.outputs = read_numbers(loading, json);
    if (row.next()) {
      const std::int64_t before = json.integer();
      if (before < 0) json.wrong("a number of calls is negative");
      leaf.before = static_cast<std::uint64_t>(before);
    }
    row.skip_rest();
    leaves.push_back(std::move(leaf));
  }
  std::stable_sort(leaves.begin(), leaves.end(),
                   [](const Leaf& a, const Leaf& b) { return a.before < b.before; });
  return leaves;
}

CallReader::CallReader(Loading& loading, std::vector<Leaf> leaves)
    : loading_(loading), leaves_(std::move(leaves)) {
  now_.resize(loading.places.size());
  for (TensorId id = 0; id < now_.size(); ++id) now_[id] = id;
  used_.resize(now_.size());
}

TensorId CallReader::use(TensorId recorded) {
  if (recorded != kNone) used_[recorded] = true;
  return now(recorded);
}

void CallReader::read(JsonText& json) {
  for (JsonArray item(json); item.next(); ++calls_) {
    for (; next_leaf_ < leaves_.size() && leaves_[next_leaf_].before <= calls_; ++next_leaf_)
      add_leaf(leaves_[next_leaf_]);
    read_call(json);
  }
}

void CallReader::finish() {
  for (; next_leaf_ < leaves_.size(); ++next_leaf_) add_leaf(leaves_[next_leaf_]);
}

NodeId CallReader::node_of(std::int64_t call) const {
  const auto number = static_cast<std::uint64_t>(call);
  const auto before = std::upper_bound(leaf_nodes_.begin(), leaf_nodes_.end(), number);
  return static_cast<NodeId>(number + static_cast<std::uint64_t>(before - leaf_nodes_.begin()));
}

void CallReader::read_reference(JsonText& json, Argument& argument) {
  argument.kind = Kind::Value;  // without a value: no rule needs it
  for (JsonObject member(json); member.next();) {
    if (member.key() == "t") {
      argument.kind = Kind::Tensors;
      argument.first = static_cast<std::uint32_t>(tensors_.size());
      argument.count = 1;
      if (json.take_null()) {
        tensors_.push_back(kNone);
        continue;
      }
      const std::int64_t number = json.integer();
      if (number < 0 || number >= std::int64_t{kNone}) json.wrong("there is no such tensor");
      tensors_.push_back(static_cast<TensorId>(number));
    } else if (member.key() == "s") {
      argument.value = json.string();
    } else {
      json.skip();
    }
  }
}

// Reads a list of tensors, of numbers or of texts. Lists of lists, and of anything else, have no
// value.
void CallReader::read_list(JsonText& json, Argument& argument) {
  argument.kind = Kind::Value;
  wholes_.clear();
  reals_.clear();
  texts_.clear();
  const auto first = static_cast<std::uint32_t>(tensors_.size());
  bool whole = true, other = false, any_tensor = false;
  std::size_t empty = 0;
  for (JsonArray item(json); item.next();) {
    const char next = json.peek();
    if (next == '{') {
      Argument inner;
      read_reference(json, inner);
      if (inner.kind == Kind::Tensors)
        any_tensor = true;
      else if (const auto* text = std::get_if<std::string_view>(&inner.value))
        texts_.push_back(*text);
      else
        other = true;
    } else if (next == '"') {
      texts_.push_back(json.string());
    } else if (next == '[') {
      json.skip();
      other = true;
    } else if (json.take_null()) {
      ++empty;
      tensors_.push_back(kNone);
    } else if (next == 't' || next == 'f') {
      wholes_.push_back(std::int64_t{json.boolean()});
      reals_.push_back(static_cast<float>(wholes_.back()));
    } else {
      bool is_whole = false;
      std::int64_t number = 0;
      reals_.push_back(static_cast<float>(take_number(json, number, is_whole)));
      wholes_.push_back(number);
      whole = whole && is_whole;
    }
  }
  const bool any_value = !reals_.empty() || !texts_.empty() || other;
  if (any_tensor || (empty > 0 && !any_value)) {
    argument.kind = Kind::Tensors;
    argument.is_list = true;
    argument.first = first;
    argument.count = static_cast<std::uint32_t>(tensors_.size()) - first;
    return;
  }
  tensors_.resize(first);
  Model& model = loading_.model;
  const int kinds = (reals_.empty() ? 0 : 1) + (texts_.empty() ? 0 : 1) + (other ? 1 : 0);
  if (kinds > 1 || other || empty > 0) return;
  if (!texts_.empty())
    argument.value = model.keep(std::span<const std::string_view>(texts_));
  else if (whole)
    argument.value = model.keep(std::span<const std::int64_t>(wholes_));
  else
    argument.value = model.keep(std::span<const float>(reals_));
}

void CallReader::read_argument(JsonText& json, Argument& argument) {
  const char next = json.peek();
  if (json.take_null()) return;
  if (next == '{') return read_reference(json, argument);
  if (next == '[') return read_list(json, argument);
  argument.kind = Kind::Value;
  if (next == '"') {
    argument.value = json.string();
  } else if (next == 't' || next == 'f') {
    argument.value = std::int64_t{json.boolean()};
  } else {
    std::int64_t whole = 0;
    bool is_whole = false;
    const double real = take_number(json, whole, is_whole);
    if (is_whole)
      argument.value = whole;
    else
      argument.value = static_cast<float>(real);
  }
}

// Numbers names like torch.fx: `add`, `add_1`.
std::string_view CallReader::name_of(std::string_view op) {
  op = op.substr(0, op.find('.'));
  const auto known = names_.insert(op, 0);
  if (known.is_new) return op;
  return loading_.model.keep(fmt::format("{}_{}", op, ++known.value));
}

// Tensors that nobody has named are called after the node that makes them.
void CallReader::name_outputs(const Node& node) {
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNone) continue;
    Tensor& tensor = loading_.graph().tensors[node.outputs[i]];
    if (!tensor.name.empty()) continue;
    tensor.name = i == 0 ? node.name : loading_.model.keep(fmt::format("{}.{}", node.name, i));
  }
}

// The operator, its arguments and its keywords. Positions of inputs are those in tensors_.
void CallReader::read_operator(JsonText& json, Row& row, Pattern& pattern) {
  pattern.target = json.string();
  pattern.op = torch::operator_of(pattern.target);
  const torch::Operator& op = pattern.op;
  const AtenSchema* schema = op.domain == "aten" ? find_aten_schema(op.op) : nullptr;
  arguments_.clear();
  tensors_.clear();
  if (row.next())
    for (JsonArray item(json); item.next();) {
      const std::size_t number = arguments_.size();
      Argument& argument = arguments_.emplace_back();
      if (schema != nullptr && number < schema->arguments().size())
        argument.name = schema->arguments()[number].name();
      read_argument(json, argument);
    }
  if (row.next())
    for (JsonObject member(json); member.next();) {
      Argument& argument = arguments_.emplace_back();
      argument.name = member.key();
      read_argument(json, argument);
    }
  torch::arrange(op, arguments_, operands_);
  pattern.attributes = loading_.model.keep(std::span<const Attribute>(operands_.attributes));
}

void CallReader::read_patterns(JsonText& json) {
  for (JsonArray item(json); item.next();) {
    loading_.count_node();
    const std::string_view text = json.skip();
    JsonText inner = json.at(text);
    Row row(inner);
    if (!row.next()) inner.wrong("a pattern has no operator");
    Pattern& pattern = patterns_.emplace_back();
    read_operator(inner, row, pattern);
    row.skip_rest();
    pattern.bytes = text.size();
    // A call names every tensor, so that no call stands for more than it says.
    for (const TensorId number : tensors_)
      if (number != kNone && number != pattern.tensors++)
        throw Broken{fmt::format("pattern {} ({}) does not number its tensors from 0 on",
                                 patterns_.size() - 1, pattern.target)};
    for (const std::uint32_t slot : operands_.inputs)
      pattern.inputs.push_back(slot == kNone ? kNone : tensors_[slot]);
  }
}

void CallReader::read_written_out(JsonText& json, Row& row, Pattern& pattern) {
  read_operator(json, row, pattern);
  for (TensorId& id : tensors_)
    if (id != kNone) id = use(loading_.tensor(id));
  inputs_.clear();
  for (const std::uint32_t slot : operands_.inputs)
    inputs_.push_back(slot == kNone ? kNone : tensors_[slot]);
}

const Pattern& CallReader::read_short(JsonText& json, Row& row) {
  const std::int64_t number = json.integer();
  if (number < 0 || static_cast<std::uint64_t>(number) >= patterns_.size())
    throw Broken{fmt::format("there is no pattern {}; it has {}", number, patterns_.size())};
  const Pattern& pattern = patterns_[static_cast<std::size_t>(number)];
  // Rules look at arguments once for every call, so that repeating long ones has to be paid for.
  constexpr std::uint64_t kMostRepeated = 256 << 20;
  repeated_ += pattern.bytes;
  if (static_cast<double>(repeated_) > kMostRepeated * loading_.options.limit)
    throw Broken{fmt::format("its first {} calls repeat arguments that would take {} MB if they "
                             "were written out",
                             calls_ + 1, repeated_ >> 20),
                 Code::OverLimit};
  tensors_.clear();
  if (row.next())
    for (JsonArray item(json); item.next();) tensors_.push_back(use(take_tensor(loading_, json)));
  if (tensors_.size() != pattern.tensors)
    throw Broken{fmt::format("call {} ({}) names {} tensors, and its pattern has {}", calls_,
                             pattern.target, tensors_.size(), pattern.tensors)};
  inputs_.clear();
  for (const std::uint32_t slot : pattern.inputs)
    inputs_.push_back(slot == kNone ? kNone : tensors_[slot]);
  return pattern;
}

void CallReader::read_call(JsonText& json) {
  loading_.count_node();
  Row row(json);
  if (!row.next()) json.wrong("a call has no operator");
  Pattern own;
  const bool is_short = json.peek() != '"';
  if (!is_short) read_written_out(json, row, own);
  const Pattern& pattern = is_short ? read_short(json, row) : own;
  const std::string_view target = pattern.target;

  Graph& graph = loading_.graph();
  Node node;
  node.op = pattern.op.op;
  node.domain = pattern.op.domain;
  node.name = name_of(node.op);
  node.opset = 1;
  node.inputs = loading_.model.keep(std::span<const TensorId>(inputs_));
  node.attributes = pattern.attributes;
  inputs_.clear();
  if (row.next())
    for (JsonArray item(json); item.next();) inputs_.push_back(take_tensor(loading_, json));
  if (row.next()) node.scope = loading_.scope(json.integer());
  if (row.next()) {
    const std::int64_t phase = json.integer();
    if (phase < 0 || phase > 3) json.wrong("there is no such phase");
    node.phase = static_cast<Phase>(phase);
  }
  row.skip_rest();
  const auto id = static_cast<NodeId>(graph.nodes.size());
  for (TensorId& output : inputs_) {
    if (output == kNone) continue;
    Tensor& tensor = graph.tensors[output];
    if (tensor.producer != kNone || tensor.role != Role::Activation)
      throw Broken{fmt::format("tensor {} is made twice, the second time by call {} ({})", output,
                               calls_, target)};
    if (used_[output])
      throw Broken{
          fmt::format("tensor {} is read before call {} ({}) makes it", output, calls_, target)};
    tensor.producer = id;
  }
  node.outputs = loading_.model.keep(std::span<const TensorId>(inputs_));
  name_outputs(node);
  graph.nodes.push_back(node);
}

void CallReader::add_leaf(const Leaf& leaf) {
  loading_.count_node();
  leaf_nodes_.push_back(calls_);
  Graph& graph = loading_.graph();
  Model& model = loading_.model;
  Node node;
  node.domain = "aten";
  node.op = is_dropout(model.scopes[leaf.scope].cls) ? "dropout" : "alias";
  node.name = model.keep(fmt::format("{} (no operator)", model.scopes[leaf.scope].path));
  node.opset = 1;
  node.scope = leaf.scope;
  const auto inputs = model.keep_span<TensorId>(leaf.inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = use(leaf.inputs[i]);
  node.inputs = inputs;
  const auto outputs = model.keep_span<TensorId>(leaf.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = kNone;
    if (leaf.outputs[i] == kNone) continue;
    loading_.count_tensor();
    outputs[i] = static_cast<TensorId>(graph.tensors.size());
    Tensor tensor;
    tensor.type = graph.tensors[leaf.outputs[i]].type;
    tensor.producer = static_cast<NodeId>(graph.nodes.size());
    graph.tensors.push_back(std::move(tensor));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i] != kNone) now_[leaf.outputs[i]] = outputs[i];
  node.outputs = outputs;
  name_outputs(node);
  graph.nodes.push_back(node);
}

}  // namespace strata::recording

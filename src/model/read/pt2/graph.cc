#include "read/pt2/graph.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/shortened.h"
#include "read/pt2/higher_order.h"

namespace strata::pt2 {

namespace {

// Members in the order in which they have to be read. The file may have them in another.
enum Member : std::size_t { kInputs, kNodes, kTypes, kOutputs, kMembers };
constexpr std::array<std::string_view, kMembers> kMemberNames = {"inputs", "nodes", "tensor_values",
                                                                 "outputs"};

constexpr std::size_t kLongestPrefix = 200;  // bytes, in front of every name of an inlined graph

// Nodes that compute sizes, or check them. What they compute the file states as formulas.
bool is_about_sizes(const Operator& op, const NodeText& text) {
  const bool makes_tensor = std::any_of(text.outputs.begin(), text.outputs.end(),
                                        [](std::string_view name) { return !name.empty(); });
  if (makes_tensor) return false;
  return op.domain == "aten" || !text.target.starts_with("torch.ops.");
}

}  // namespace

void GraphReader::inline_with(std::vector<TensorId> inputs, std::string_view prefix) {
  given_ = std::move(inputs);
  prefix_ = shortened(prefix, kLongestPrefix);
  is_inline_ = true;
}

void GraphReader::read(JsonText& json) {
  std::array<std::string_view, kMembers> later;
  std::size_t done = 0;  // members that have been read
  const auto read_member = [&](std::size_t member, JsonText& text) {
    switch (member) {
      case kInputs:
        return read_inputs(text);
      case kNodes:
        return read_nodes(text);
      case kTypes:
        return read_types(text);
      default:
        return read_outputs(text);
    }
  };
  for (JsonObject member(json); member.next();) {
    const auto known = std::find(kMemberNames.begin(), kMemberNames.end(), member.key());
    const auto number = static_cast<std::size_t>(known - kMemberNames.begin());
    if (number == done) {
      read_member(number, json);
      ++done;
      continue;
    }
    const std::string_view value = json.skip();
    if (number < kMembers) later[number] = value;
  }
  for (; done < kMembers; ++done) {
    if (later[done].empty()) json.wrong(fmt::format("a graph has no \"{}\"", kMemberNames[done]));
    JsonText text = json.at(later[done]);
    read_member(done, text);
  }
  for (const auto& [body, sliced] : along_) {
    const TypeInfo& type = graph_.tensors[sliced].type;
    body->runs = type.ranked && !type.dims.empty() ? type.dims[0] : Expr::unknown();
  }
}

TensorId GraphReader::new_tensor(std::string_view name, Role role) {
  loading_.count_tensor();
  const auto id = static_cast<TensorId>(graph_.tensors.size());
  Tensor& tensor = graph_.tensors.emplace_back();
  tensor.name = full_name(name);
  tensor.role = role;
  if (!names_.insert(name, id).is_new)
    throw Broken{fmt::format("two values of its graph are called {}", in_quotes(name))};
  return id;
}

std::string_view GraphReader::full_name(std::string_view name) {
  if (!is_inline_) return name;
  loading_.count_text(prefix_.size() + 1 + name.size());
  return loading_.model.keep(fmt::format("{}/{}", prefix_, name));
}

TensorId GraphReader::find(std::string_view name) const {
  const std::uint32_t* known = names_.find(name);
  return known == nullptr ? kNone : *known;
}

TensorId GraphReader::use(std::string_view name) const {
  if (name.empty()) return kNone;
  const TensorId id = find(name);
  if (id == kNone)
    throw Broken{fmt::format("node {} reads {}, which nothing before it makes",
                             in_quotes(text_.name), in_quotes(name))};
  return id;
}

void GraphReader::bind(std::string_view name, TensorId id) {
  if (!names_.insert(name, id).is_new)
    throw Broken{fmt::format("two values of its graph are called {}", in_quotes(name))};
}

void GraphReader::read_inputs(JsonText& json) {
  std::vector<std::string_view> names;
  for (JsonArray item(json); item.next();) {
    names.clear();
    read_tensor_names(json, names);
    const std::string_view name = names.size() == 1 ? names[0] : std::string_view();
    const std::size_t number = inputs_.size();
    inputs_.push_back(kNone);
    if (is_inline_ && number >= given_.size())
      throw Broken{
          fmt::format("the graph of node {} has more inputs than it is given", in_quotes(prefix_))};
    if (name.empty()) continue;
    if (is_inline_) {
      bind(name, inputs_[number] = given_[number]);
    } else {
      inputs_[number] = new_tensor(name, Role::Input);
      graph_.inputs.push_back(inputs_[number]);
    }
  }
}

void GraphReader::read_nodes(JsonText& json) {
  for (JsonArray item(json); item.next();) {
    read_node(loading_, json, text_);
    const Operator op = operator_of_node(text_.target);
    if (is_about_sizes(op, text_)) continue;
    if (op.domain == "higher_order")
      add_higher_order(*this, json, op, text_);
    else
      add_operator(text_);
  }
}

void GraphReader::add_operator(const NodeText& text) {
  const Operator op = operator_of_node(text.target);
  torch::arrange(op, text.arguments, operands_);
  ids_.clear();
  for (const std::uint32_t slot : operands_.inputs)
    ids_.push_back(slot == kNone ? kNone : use(text.tensors[slot]));
  Node node;
  node.op = op.op;
  node.domain = op.domain;
  for (const Argument& argument : text.arguments) {
    if (argument.kind != Argument::Kind::Unknown) continue;
    // No rule matches the fully qualified name.
    node.op = text.target;
    node.domain = {};
    loading_.note(fmt::format(
        "node {} has an argument of a kind that strata does not know ({}), so that its costs are "
        "unknown",
        in_quotes(text.name), in_quotes(argument.graph)));
  }
  add(node, text, ids_, operands_.attributes);
}

void GraphReader::add(Node node, const NodeText& text, std::span<const TensorId> inputs,
                      std::span<const Attribute> attributes) {
  loading_.count_node();
  Model& model = loading_.model;
  const auto id = static_cast<NodeId>(graph_.nodes.size());
  node.name = full_name(text.name);
  node.inputs = model.keep(inputs);
  node.attributes = model.keep(attributes);
  node.scope = text.stack.empty() ? scope_ : loading_.modules.scope_of(text.stack);
  if (model.scopes.size() > loading_.options.max_nodes)
    throw Broken{fmt::format("the model has more than {} modules", loading_.options.max_nodes),
                 Code::OverLimit};
  node.opset = loading_.aten_version;
  const auto outputs = model.keep_span<TensorId>(text.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i] = kNone;
    if (text.outputs[i].empty()) continue;
    outputs[i] = new_tensor(text.outputs[i], Role::Activation);
    graph_.tensors[outputs[i]].producer = id;
  }
  node.outputs = outputs;
  graph_.nodes.push_back(node);
}

void GraphReader::read_types(JsonText& json) {
  for (JsonObject member(json); member.next();) {
    const TensorId id = find(member.key());
    if (id == kNone)
      json.skip();
    else
      graph_.tensors[id].type = read_type(loading_, json);
  }
}

void GraphReader::read_outputs(JsonText& json) {
  std::vector<std::string_view> names;
  for (JsonArray item(json); item.next();) {
    names.clear();
    read_tensor_names(json, names);
    for (const std::string_view name : names) {
      const TensorId id = name.empty() ? kNone : find(name);
      if (id == kNone && !name.empty())
        throw Broken{fmt::format("its output {} is made by nothing", in_quotes(name))};
      outputs_.push_back(id);
      if (id != kNone && !is_inline_) graph_.outputs.push_back(id);
    }
  }
}

}  // namespace strata::pt2

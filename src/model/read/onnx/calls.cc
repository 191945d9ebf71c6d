#include "read/onnx/calls.h"

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata::onnx {

namespace {

// While this object lives, errors name the function.
class InFunction {
 public:
  InFunction(Source& source, std::string_view name) : source_(source), before_(source.function) {
    source_.function = name;
  }
  ~InFunction() { source_.function = before_; }
  InFunction(const InFunction&) = delete;
  InFunction& operator=(const InFunction&) = delete;

 private:
  Source& source_;
  std::string_view before_;
};

void check_nesting(Loading& loading, const Environment& here, const Function& function) {
  for (const Call* call = here.call; call != nullptr; call = call->caller.call)
    if (&call->function == &function)
      loading.source.wrong(fmt::format("the function {} calls itself, which ONNX forbids",
                                       in_quotes(function.name)));
  if (here.depth >= loading.options.max_depth)
    loading.source.wrong(fmt::format("bodies and functions are nested more than {} deep",
                                     loading.options.max_depth));
  // Work is bounded separately from nodes: a call can take long to read and add none.
  constexpr std::uint64_t kStepsPerNode = 100;
  if (loading.source.steps / kStepsPerNode > loading.options.max_nodes)
    loading.source.wrong("its functions call each other so often that inlining them has no end",
                         Code::OverLimit);
}

// A result that is also an argument or another result becomes a copy of it.
void add_copy(Loading& loading, const Environment& here, const Environment& inside, TensorId from,
              TensorId to) {
  Node copy;
  copy.op = "Identity";
  copy.opset = opset_at(loading, here, "");
  copy.scope = inside.scope;
  copy.name = inside.call->prefix;
  const auto inputs = loading.model.keep_span<TensorId>(1);
  const auto outputs = loading.model.keep_span<TensorId>(1);
  inputs[0] = from;
  outputs[0] = to;
  copy.inputs = inputs;
  copy.outputs = outputs;
  Graph& graph = here.graph.graph();
  loading.count_node();
  graph.tensors[to].producer = static_cast<NodeId>(graph.nodes.size());
  graph.nodes.push_back(copy);
}

ScopeTree::Id scope_of(Loading& loading, const Environment& here, const NodeText& text) {
  const ScopeTree::Id outside = loading.scopes.place(here.scope, text);
  // Operators that an exporter wrote as functions are not modules.
  if (text.name.empty() || text.domain.starts_with("pkg.onnxscript")) return outside;
  return loading.scopes.enter_call(outside, text.name, text.op);
}

}  // namespace

std::int32_t opset_at(Loading& loading, const Environment& here, std::string_view domain) {
  const bool is_usual = here.call == nullptr && domain.empty();
  if (is_usual && loading.own_opset != 0) return loading.own_opset;
  std::int32_t version = 0;
  if (here.call != nullptr) version = opset_of(here.call->function.opsets, domain);
  if (version == 0) version = opset_of(loading.model.opsets, domain);
  if (version == 0 && domain.empty())
    loading.note("the file does not say which version of ONNX's operators it uses; 1 is assumed");
  if (version == 0) version = 1;
  if (is_usual) loading.own_opset = version;
  return version;
}

void inline_call(Loading& loading, const Environment& here, const NodeText& text,
                 const Function& function) {
  check_nesting(loading, here, function);
  if (text.inputs.size() > function.inputs.size() || text.outputs.size() > function.outputs.size())
    loading.source.wrong(fmt::format(
        "the call has {} inputs and {} outputs, but the function has {} and {}", text.inputs.size(),
        text.outputs.size(), function.inputs.size(), function.outputs.size()));

  InlineVector<Default, 8> attributes;
  for (const std::string_view message : text.attributes)
    attributes.push_back({attribute_name(loading.source, message), message});
  const std::string_view own = text.name.empty() ? text.op : text.name;
  const std::string_view prefix =
      loading.unique_prefix(here.call == nullptr ? own : loading.make_name(here.call->prefix, own));
  const Call call{function, attributes, here, prefix};
  Names names(loading, here.names, prefix);
  names.reserve(function.inputs.size() + function.nodes.size());
  const Environment inside{here.graph, names, &call, scope_of(loading, here, text), here.depth + 1};

  for (std::size_t i = 0; i < function.inputs.size(); ++i)
    names.bind_input(function.inputs[i],
                     i < text.inputs.size() ? here.names.use(text.inputs[i]) : kNone);
  Graph& graph = here.graph.graph();
  InlineVector<std::size_t, 4> copies;
  InlineVector<TensorId, 4> results(text.outputs.size(), kNone);
  for (std::size_t i = 0; i < text.outputs.size(); ++i) {
    if (text.outputs[i].empty()) continue;
    results[i] = here.names.define(text.outputs[i]);
    if (!names.bind_output(function.outputs[i], results[i])) copies.push_back(i);
  }

  {
    const InFunction errors(loading.source, function.name);
    for (const std::string_view node : function.nodes) here.graph.add_node(inside, node);
  }
  for (const std::size_t i : copies) {
    const TensorId from = names.find(function.outputs[i]);
    if (from != kNone && is_open(graph.tensors[results[i]]))
      add_copy(loading, here, inside, from, results[i]);
  }
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i] != kNone && is_open(graph.tensors[results[i]]))
      loading.source.wrong(fmt::format("the function {} never computes its output {}",
                                       in_quotes(function.name), in_quotes(function.outputs[i])));
  here.graph.add_made_up(names.made());
  for (const TensorId id : names.made())
    if (is_open(graph.tensors[id]))
      loading.source.wrong(fmt::format("the function {} reads {}, which none of its nodes makes",
                                       in_quotes(function.name),
                                       in_quotes(graph.tensors[id].name)));
}

}  // namespace strata::onnx

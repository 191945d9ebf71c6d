#include "instrument.h"

#include <torch/csrc/jit/api/function_impl.h>

#include <set>

#include "tape.h"

namespace strata::libtorch {

namespace {

using torch::jit::Block;
using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::Value;

const auto kEnter = c10::Symbol::fromQualString("strata::enter");
const auto kLeaveOperator = c10::Symbol::fromQualString("strata::leave");

// The path from the graph's own module to the one that the value is; false if it was not reached by
// its name, but passed as a value.
bool path_to(const Value* module, const Value* self, std::string& path) {
  while (module != self) {
    const Node* node = module->node();
    if (node->kind() != torch::jit::prim::GetAttr) return false;
    const std::string& name = node->s(torch::jit::attr::name);
    path.insert(0, path.empty() ? name : name + ".");
    module = node->input(0);
  }
  return true;
}

bool is_module(const c10::TypePtr& type) {
  if (const auto known = type->cast<c10::ClassType>()) return known->is_module();
  if (const auto known = type->cast<c10::InterfaceType>()) return known->is_module();
  return false;
}

class Instrument {
 public:
  explicit Instrument(std::vector<CallSite>& sites) : sites_(sites) {}

  void change(Graph& graph) {
    if (graph.inputs().empty()) return;
    std::vector<Node*> calls;
    find_calls(*graph.block(), calls);
    for (Node* call : calls) wrap(graph, call);
  }

 private:
  static void find_calls(Block& block, std::vector<Node*>& calls) {
    for (Node* node : block.nodes()) {
      if (node->kind() == torch::jit::prim::CallMethod && is_module(node->input(0)->type()))
        calls.push_back(node);
      for (Block* inner : node->blocks()) find_calls(*inner, calls);
    }
  }

  void wrap(Graph& graph, Node* call) {
    CallSite site;
    if (!path_to(call->input(0), graph.inputs()[0], site.path) || site.path.empty()) return;
    site.is_forward = call->s(torch::jit::attr::name) == "forward";
    const torch::jit::WithInsertPoint here(call);
    Value* number = graph.insertConstant(static_cast<std::int64_t>(sites_.size()));
    Value* input = call->inputs().size() > 1 ? call->input(1) : graph.insertConstant(c10::IValue());
    graph.create(kEnter, {number, input}, 0)->insertBefore(call);
    graph.create(kLeaveOperator, {call->output()}, 0)->insertAfter(call);
    sites_.push_back(std::move(site));
  }

  std::vector<CallSite>& sites_;
};

}  // namespace

std::vector<CallSite> instrument(const torch::jit::Module& module) {
  register_tape_operators();
  std::vector<CallSite> sites;
  Instrument work(sites);
  std::set<const c10::ClassType*> done;
  for (const torch::jit::Module& each : module.modules()) {
    if (!done.insert(each.type().get()).second) continue;
    for (torch::jit::Function* method : each.type()->methods())
      if (const auto graph = torch::jit::tryToGraphFunction(*method)) work.change(*graph->graph());
  }
  return sites;
}

}  // namespace strata::libtorch

#include "instrument.h"

#include <torch/csrc/jit/api/function_impl.h>

#include <algorithm>
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

  // A module without modules is a row of its own, and what it calls is a part of that.
  void change(Graph& graph, bool has_modules) {
    if (graph.inputs().empty()) return;
    std::vector<Node*> calls;
    find_calls(*graph.block(), calls);
    for (Node* call : calls) {
      if (call->kind() != torch::jit::prim::CallFunction)
        wrap_method(graph, call, has_modules);
      else if (has_modules)
        wrap(graph, call, {"", "", false});
    }
  }

 private:
  static void find_calls(Block& block, std::vector<Node*>& calls) {
    for (Node* node : block.nodes()) {
      if (node->kind() == torch::jit::prim::CallFunction ||
          (node->kind() == torch::jit::prim::CallMethod && is_module(node->input(0)->type())))
        calls.push_back(node);
      for (Block* inner : node->blocks()) find_calls(*inner, calls);
    }
  }

  // Methods may call each other, but not without end: TorchScript has no recursion.
  static bool calls_modules(const c10::ClassType& type, const std::string& name) {
    torch::jit::Function* method = type.findMethod(name);
    const auto graph = method == nullptr ? nullptr : torch::jit::tryToGraphFunction(*method);
    if (graph == nullptr) return true;
    std::vector<Node*> calls;
    find_calls(*graph->graph()->block(), calls);
    return std::any_of(calls.begin(), calls.end(), [&](const Node* call) {
      if (call->kind() == torch::jit::prim::CallFunction) return false;
      return call->input(0) != graph->graph()->inputs()[0] ||
             calls_modules(type, call->s(torch::jit::attr::name));
    });
  }

  void wrap_method(Graph& graph, Node* call, bool has_modules) {
    CallSite site;
    if (!path_to(call->input(0), graph.inputs()[0], site.path)) return;
    const std::string& name = call->s(torch::jit::attr::name);
    site.is_forward = name == "forward";
    if (site.path.empty()) {
      const auto type = call->input(0)->type()->cast<c10::ClassType>();
      if (!has_modules || type == nullptr || calls_modules(*type, name)) return;
      site.method = name;
      site.is_forward = false;
    }
    wrap(graph, call, std::move(site));
  }

  void wrap(Graph& graph, Node* call, CallSite site) {
    const torch::jit::WithInsertPoint here(call);
    Value* number = graph.insertConstant(static_cast<std::int64_t>(sites_.size()));
    Value* input = call->inputs().size() > 1 ? call->input(1) : graph.insertConstant(c10::IValue());
    graph.create(kEnter, {number, input}, 0)->insertBefore(call);
    Node* leave = graph.create(kLeaveOperator, 0);
    leave->addInput(call->outputs().size() == 1 ? call->output() : number);
    leave->insertAfter(call);
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
      if (const auto graph = torch::jit::tryToGraphFunction(*method))
        work.change(*graph->graph(), each.children().size() > 0);
  }
  return sites;
}

}  // namespace strata::libtorch

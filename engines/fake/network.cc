#include "network.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include "strata/base/text_map.h"
#include "strata/cost/cost.h"
#include "strata/engine/engine.h"

namespace strata::fake {

namespace {

bool joins_its_input(std::string_view op) {
  return op == "Relu" || op == "Clip" || op == "Sigmoid" || op == "BatchNormalization";
}

std::int64_t number_or(const Expr& expr, std::int64_t other) {
  if (auto number = expr.number()) return *number;
  return upper_bound(expr).value_or(other);
}

// The number of readers of each tensor of the main graph.
std::vector<int> readers_of(const Graph& graph) {
  std::vector<int> readers(graph.tensors.size());
  for (const Node& node : graph.nodes)
    for (const TensorId input : node.inputs)
      if (input != kNone) ++readers[input];
  for (const TensorId output : graph.outputs) ++readers[output];
  return readers;
}

std::vector<std::int32_t> types_of(const Graph& graph, std::span<const TensorId> ids) {
  std::vector<std::int32_t> types;
  for (const TensorId id : ids)
    if (id != kNone) types.push_back(static_cast<std::int32_t>(graph.tensors[id].type->dtype));
  return types;
}

// A kernel that starts with this node.
KernelPlan first_node(const Graph& graph, const Node& node, const std::string& key) {
  KernelPlan kernel;
  kernel.name = key;
  kernel.op = node.op;
  kernel.scope = node.scope;
  kernel.inputs = types_of(graph, node.inputs);
  kernel.output_types = types_of(graph, node.outputs);
  if (!kernel.inputs.empty())
    kernel.dtype = kernel.inputs.front();
  else if (!kernel.output_types.empty())
    kernel.dtype = kernel.output_types.front();
  return kernel;
}

}  // namespace

std::int32_t dtype_of(std::string_view precision) {
  const DType type = precision == "fp32"   ? DType::F32
                     : precision == "fp16" ? DType::F16
                     : precision == "bf16" ? DType::BF16
                     : precision == "int8" ? DType::I8
                                           : DType::Undefined;
  return static_cast<std::int32_t>(type);
}

Plan plan_kernels(const Model& model, bool fuse) {
  const Graph& graph = model.graph();
  const std::vector<std::string> keys = node_keys(model);
  std::unordered_map<const Graph*, std::size_t> first_key;
  std::size_t total = 0;
  for (const Graph& part : model.graphs) {
    first_key[&part] = total;
    total += part.nodes.size();
  }
  const std::vector<int> readers = readers_of(graph);
  Plan plan;
  std::vector<bool> seen(total);
  std::unordered_map<TensorId, std::size_t> makers;  // the kernel that makes a tensor
  const auto kernel_for = [&](const Executed& executed) {
    const Node& node = executed.get();
    if (executed.graph != &graph && !plan.kernels.empty()) return plan.kernels.size() - 1;
    if (!fuse || !joins_its_input(node.op) || node.inputs.empty() || node.inputs[0] == kNone)
      return plan.kernels.size();
    const auto maker = makers.find(node.inputs[0]);
    if (maker == makers.end() || readers[node.inputs[0]] != 1) return plan.kernels.size();
    return maker->second;
  };
  for (const Executed& executed : count(model).nodes) {
    const Node& node = executed.get();
    const std::size_t at = first_key[executed.graph] + executed.node;
    if (seen[at]) continue;
    seen[at] = true;
    if (node.op == "Constant" && executed.graph == &graph) {
      plan.absent.emplace_back(keys[at], "a constant");
      continue;
    }
    const std::size_t index = kernel_for(executed);
    if (index == plan.kernels.size())
      plan.kernels.push_back(first_node(*executed.graph, node, keys[at]));
    KernelPlan& kernel = plan.kernels[index];
    kernel.sources.push_back(keys[at]);
    const auto times = static_cast<double>(number_or(executed.times, 1));
    const NodeCost& cost = executed.cost;
    kernel.flops += times * static_cast<double>(number_or(cost.flops(), 0));
    kernel.bytes += times * static_cast<double>(number_or(cost.read_bytes + cost.write_bytes, 0));
    if (executed.graph != &graph) continue;
    kernel.outputs.assign(node.outputs.begin(), node.outputs.end());
    kernel.output_types = types_of(graph, node.outputs);
    for (const TensorId output : node.outputs) makers[output] = index;
  }
  for (std::size_t at = 0; at < total; ++at)
    if (!seen[at]) plan.absent.emplace_back(keys[at], "never runs");
  for (KernelPlan& kernel : plan.kernels)
    for (const std::string& source : kernel.sources)
      kernel.source_pointers.push_back(source.c_str());
  return plan;
}

std::vector<std::int64_t> dims_now(const Tensor& tensor) {
  std::vector<std::int64_t> dims;
  for (const Expr& dim : tensor.type->dims) dims.push_back(number_or(dim, 1));
  return dims;
}

std::uint64_t bytes_now(const Tensor& tensor) {
  std::uint64_t elements = 1;
  for (const std::int64_t dim : dims_now(tensor)) elements *= static_cast<std::uint64_t>(dim);
  return (elements * static_cast<std::uint64_t>(bits(tensor.type->dtype)) + 7) / 8;
}

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t hash) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return mixed(hash);
}

std::vector<std::byte> elements_of(const Tensor& tensor, std::uint64_t input_hash) {
  std::vector<std::byte> data(bytes_now(tensor));
  std::uint64_t state = hash_bytes(tensor.name, input_hash);
  if (tensor.type->dtype != DType::F32) {
    for (std::byte& byte : data) byte = static_cast<std::byte>((state = mixed(state)) & 1);
    return data;
  }
  for (std::size_t i = 0; i + sizeof(float) <= data.size(); i += sizeof(float)) {
    const float number = static_cast<float>((state = mixed(state)) >> 40) * 0x1p-23F - 1;
    std::memcpy(&data[i], &number, sizeof number);
  }
  return data;
}

std::vector<StrataBlock> blocks_of(const Model& model, const Plan& plan,
                                   std::span<const KernelTime> times, std::int64_t end_ns) {
  const Graph& graph = model.graph();
  TextMap<std::string_view, std::size_t> kernel_of;
  for (std::size_t i = 0; i < plan.kernels.size(); ++i)
    for (const std::string& source : plan.kernels[i].sources) kernel_of[source] = i;
  const std::vector<std::string> keys = node_keys(model);
  std::unordered_map<TensorId, std::size_t> last_use;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (const auto found = kernel_of.find(keys[n]); found != kernel_of.end())
      for (const TensorId input : graph.nodes[n].inputs)
        if (input != kNone) last_use[input] = std::max(last_use[input], found->second);
  for (const TensorId output : graph.outputs) last_use[output] = plan.kernels.size();

  std::vector<StrataBlock> blocks;
  const auto add = [&](std::int64_t time, TensorId id, std::int64_t sign) {
    const auto bytes = static_cast<std::int64_t>(bytes_now(graph.tensors[id]));
    blocks.push_back({time, sign * bytes, 0x1000 + std::uint64_t{id} * 0x1000, -1, nullptr});
  };
  std::vector<TensorId> held;
  for (const KernelTime& time : times) {
    for (const TensorId output : plan.kernels[time.kernel].outputs)
      if (output != kNone) {
        add(time.start_ns, output, 1);
        held.push_back(output);
      }
    std::erase_if(held, [&](TensorId id) {
      if (last_use[id] > time.kernel) return false;
      add(time.start_ns + time.duration_ns, id, -1);
      return true;
    });
  }
  for (const TensorId id : held) add(end_ns, id, -1);
  return blocks;
}

void add_modules(const Model& model, const Plan& plan, std::span<const KernelTime> times,
                 const StrataTrace& trace, std::vector<ModuleTime>& out) {
  const std::size_t first = out.size();
  out.push_back({trace.run, 0, trace.start_ns, trace.end_ns});
  std::unordered_map<ScopeId, std::size_t> places;  // in out
  for (const KernelTime& time : times) {
    std::vector<ScopeId> chain;  // from the kernel's module outwards, without the model
    for (ScopeId s = plan.kernels[time.kernel].scope; s != 0 && s != kNone;
         s = model.scopes[s].parent)
      chain.push_back(s);
    for (auto scope = chain.rbegin(); scope != chain.rend(); ++scope) {
      const auto [at, is_new] = places.try_emplace(*scope, out.size());
      if (is_new) out.push_back({trace.run, *scope, time.start_ns, 0});
      out[at->second].exit_ns = time.start_ns + time.duration_ns;
    }
  }
  std::stable_sort(
      out.begin() + static_cast<std::ptrdiff_t>(first), out.end(),
      [](const ModuleTime& a, const ModuleTime& b) { return a.enter_ns < b.enter_ns; });
}

}  // namespace strata::fake

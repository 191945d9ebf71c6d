#include "strata/cost/cost.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/formula_scope.h"
#include "base/pool.h"
#include "cost/bodies.h"
#include "cost/cost_sums.h"
#include "cost/load_work.h"
#include "cost/same_cost.h"
#include "cost/weights.h"
#include "ops/registry.h"
#include "strata/base/text_map.h"

namespace strata {

namespace {

Expr bytes_of(const TypeInfo& type) {
  if (type.kind != ValueKind::Tensor || !type.ranked) return Expr::unknown();
  return bytes(elements(type.dims), type.dtype);
}

// The bytes of each tensor of a graph, computed once: most tensors are written once and read at
// least once.
class TensorBytes {
 public:
  explicit TensorBytes(const Graph& graph) : graph_(graph), sizes_(graph.tensors.size(), kNew) {}

  const Expr& of(TensorId id) {
    Expr& size = sizes_[id];
    if (size.is(kNew)) size = bytes_of(graph_.tensors[id].type);
    return size;
  }

 private:
  static constexpr std::int64_t kNew = -1;
  const Graph& graph_;
  std::vector<Expr> sizes_;
};

// The stored tensor behind an input, and its number of elements.
struct StoredInput {
  WeightRef weight;
  Expr count;
};

// A set of keys (addresses, which are never 0) in one flat array.
class Keys {
 public:
  // False if it was already there.
  bool insert(std::uint64_t key) {
    if (4 * (count_ + 1) > 3 * slots_.size()) grow();
    std::uint64_t& slot = slot_of(key);
    if (slot == key) return false;
    slot = key;
    ++count_;
    return true;
  }

 private:
  std::uint64_t& slot_of(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = (key * 0x9e3779b97f4a7c15u) >> 32;
    while (slots_[i & mask] != 0 && slots_[i & mask] != key) ++i;
    return slots_[i & mask];
  }
  void grow() {
    std::vector<std::uint64_t> old(std::max<std::size_t>(512, 2 * slots_.size()));
    old.swap(slots_);
    for (const std::uint64_t key : old)
      if (key != 0) slot_of(key) = key;
  }
  std::vector<std::uint64_t> slots_;
  std::size_t count_ = 0;
};

// All its work together is a number or a formula.
bool is_countable(const NodeCost& cost) {
  constexpr std::int64_t kSafe = Expr::kMaxNumber / 8;  // five of them do not overflow
  const auto is_small = [](const Expr& amount) {
    return amount.is_number() && amount.value() <= kSafe;
  };
  if (is_small(cost.macs) && is_small(cost.adds) && is_small(cost.muls) && is_small(cost.specials))
    return true;
  return !cost.macs.is_unknown() && !cost.flops().is_unknown();
}

// One body of an If whose condition is not known.
struct Branch {
  NodeCost cost;
  std::vector<Executed> nodes;
};

// The most that running one of these branches can cost above the counted one: for each figure, the
// largest of all branches less that of the counted one.
NodeCost beyond(std::span<const Branch> branches, std::size_t counted) {
  const NodeCost& base = branches[counted].cost;
  NodeCost more;
  const auto largest = [&](const auto& figure) {
    Expr most = figure(base);
    for (const Branch& branch : branches)
      if (&branch != &branches[counted]) most = max(most, figure(branch.cost));
    Expr above = most - figure(base);
    more.depends_on_branch = more.depends_on_branch || !above.is(0);
    return above;
  };
  more.macs = largest([](const NodeCost& cost) { return cost.macs; });
  // All work besides MACs is put down as additions: the branch with the most FLOPs need not have
  // the most of each kind.
  more.adds = largest([](const NodeCost& cost) { return cost.flops(); }) - more.macs * 2;
  more.read_bytes = largest([](const NodeCost& cost) { return cost.read_bytes; });
  more.weight_bytes = largest([](const NodeCost& cost) { return cost.weight_bytes; });
  more.write_bytes = largest([](const NodeCost& cost) { return cost.write_bytes; });
  for (const Branch& branch : branches) {
    if (&branch == &branches[counted]) continue;
    if (branch.cost.certainty != Certainty::Exact) more.certainty = Certainty::LowerBound;
    if (branch.cost.bytes_certainty != Certainty::Exact)
      more.bytes_certainty = Certainty::LowerBound;
  }
  return more;
}

class Counter {
 public:
  Counter(const Model& model, const CountOptions& options)
      : options_(options),
        is_run_(model.recorded != nullptr),
        parameters_(model),
        has_bodies_(model.graphs.size() > 1) {}
  // Appends the cost of running `graph`; `outer` are the constants around a body.
  NodeCost run(const Graph& graph, const ConstantTensors* outer, const Expr& times,
               std::vector<Executed>& out);
  Costs finish(std::vector<Executed> nodes, NodeCost total);

 private:
  void count_node(const Graph& graph, const Constants& constants, TensorBytes& sizes,
                  std::span<const OpRule* const> rows, const Node& node, NodeCost& cost);
  void count_work(const Graph& graph, const Node& node, const OpRule* rule, NodeCost& cost);
  void count_bytes(const Constants& constants, TensorBytes& sizes, const Node& node,
                   const OpRule* rule, std::span<const StoredInput> stored, NodeCost& cost);
  void count_parameters(const Graph& graph, const Node& node, const OpRule* rule,
                        std::span<const StoredInput> stored, NodeCost& cost);
  NodeCost run_bodies(const Graph& graph, const ConstantTensors& constants, const Node& node,
                      const Expr& times, std::vector<Executed>& out);
  void leave_out(const Graph& graph, ConstantTensors& constants, const OpRule* rule,
                 Executed& executed, NodeCost& cost);
  void unknown_operator(const Node& node, std::string_view why);
  void lower_bound(const Node& node, std::string_view why);

  const CountOptions options_;
  const bool is_run_;  // it is recorded: work on constants was done, and is done again in each run
  const ParameterRule parameters_;
  const bool has_bodies_;
  Pool<NodeCost> pool_;
  Keys counted_;  // parameters, by WeightRef::key
  TextSet<std::string_view> unknown_seen_, bounded_seen_;
  Costs result_;
};

NodeCost Counter::run(const Graph& graph, const ConstantTensors* outer, const Expr& times,
                      std::vector<Executed>& out) {
  ConstantTensors known;
  known.constants = stored_tensors(graph, outer == nullptr ? nullptr : &outer->constants);
  known.of_sizes = captured_of(graph, outer == nullptr ? nullptr : &outer->of_sizes);
  if (options_.load_work || is_run_)
    known.made_by_work = captured_of(graph, outer == nullptr ? nullptr : &outer->made_by_work);
  Constants& constants = known.constants;
  TensorBytes sizes(graph);
  CostSums total;
  std::vector<const OpRule*> rows;  // of the nodes so far
  rows.reserve(graph.nodes.size());
  out.reserve(out.size() + graph.nodes.size());
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    const OpRule* rule = rows.emplace_back(find_rule(node.domain, node.op, node.opset));
    if (rule != nullptr && rule->traits.quantized == Quantized::Dequantizes)
      result_.dequantizes = true;
    const bool folded = is_constant(graph, constants, node, rule);
    if (folded && !node.inputs.empty()) mark_of_sizes(known, node);
    if (folded)
      for (TensorId output : node.outputs)
        if (output != kNone) constants[output] = true;
    Executed& executed = out.emplace_back();
    executed.graph = &graph;
    executed.node = id;
    executed.scope = node.scope;
    executed.times = times;
    NodeCost cost;
    cost.folded = folded;
    // It reads nothing, and what it stores counts where it is read.
    if (rule != nullptr && rule->traits.op == Op::Constant) {
      executed.cost = pool_.share(std::move(cost));
      continue;
    }
    count_node(graph, constants, sizes, rows, node, cost);
    if (folded) leave_out(graph, known, rule, executed, cost);
    if (cost.folded)
      add_parameters(total, cost);  // it has nothing else
    else if (!cost.at_load)
      add_costs(total, cost, 1);
    executed.cost = pool_.share(std::move(cost));
    const bool runs_bodies =
        has_bodies_ &&
        std::any_of(node.attributes.begin(), node.attributes.end(),
                    [](const auto& a) { return std::holds_alternative<Graph*>(a.value); });
    if (runs_bodies) add_costs(total, run_bodies(graph, known, node, times, out), 1);
  }
  return total.total();
}

// A node that depends on stored values alone costs nothing per run. If the work at load is to be
// counted, it counts once, however often its body runs.
void Counter::leave_out(const Graph& graph, ConstantTensors& constants, const OpRule* rule,
                        Executed& executed, NodeCost& cost) {
  const Node& node = executed.get();
  const bool works = is_load_work(graph, constants, node, rule, cost);
  result_.has_load_work = result_.has_load_work || (works && !is_run_);
  if ((options_.load_work || is_run_) &&
      (works || is_made_of(constants.made_by_work, graph, node))) {
    for (TensorId output : node.outputs)
      if (output != kNone) constants.made_by_work[output] = true;
    cost.folded = false;
    cost.at_load = !is_run_;
    if (cost.at_load) executed.times = 1;
    return;
  }
  const auto clear = [](Expr& amount) {
    if (!amount.is(0)) amount = 0;
  };
  clear(cost.macs), clear(cost.adds), clear(cost.muls), clear(cost.specials);
  clear(cost.read_bytes), clear(cost.write_bytes), clear(cost.weight_bytes);
  cost.certainty = cost.bytes_certainty = Certainty::Exact;
}

NodeCost Counter::run_bodies(const Graph& graph, const ConstantTensors& constants, const Node& node,
                             const Expr& times, std::vector<Executed>& out) {
  const std::size_t owner = out.size() - 1;  // the node itself, which was appended last
  NodeCost total;
  std::vector<Branch> branches;
  for (const BodyRun& run_of : body_runs(node)) {
    const bool unknown_trips = run_of.times.is_unknown();
    const Expr trips = unknown_trips ? Expr(1) : run_of.times;
    if (unknown_trips)
      result_.notes.push_back(fmt::format(
          "{}: how often its body runs is not known; it is counted once", describe(graph, node)));
    std::vector<Executed> nodes;
    NodeCost cost = run(*run_of.body, &constants, times * trips, nodes);
    if (unknown_trips) cost.certainty = of_sum(cost.certainty, Certainty::Unknown);
    if (run_of.alternative) {
      branches.push_back({std::move(cost), std::move(nodes)});
      continue;
    }
    add_to(total, cost, trips);
    std::move(nodes.begin(), nodes.end(), std::back_inserter(out));
  }
  if (branches.empty()) return total;

  std::size_t counted = 0;
  for (std::size_t i = 1; i < branches.size(); ++i)
    if (is_larger(branches[i].cost, branches[counted].cost)) counted = i;
  // The nodes of one branch are counted. What a figure of another branch is above that stands at
  // the If itself, so that rows add up to the total.
  const NodeCost more = beyond(branches, counted);
  result_.notes.push_back(
      fmt::format("{}: {}", describe(graph, node),
                  more.depends_on_branch
                      ? "each figure is that of the branch in which it is larger; what that is "
                        "above the branch that is listed stands at the If"
                      : "of its branches the larger is counted"));
  NodeCost& own = out[owner].cost.edit();
  own.depends_on_branch = more.depends_on_branch;
  add_to(own, more, 1);
  add_to(total, more, 1);
  std::swap(branches[counted], branches.back());
  for (Branch& branch : branches) {
    const bool runs = &branch == &branches.back();
    // The other branch never runs, but its parameters are stored all the same.
    if (!runs)
      for (Executed& node_of : branch.nodes) node_of.times = 0;
    add_to(total, branch.cost, runs ? 1 : 0);
    std::move(branch.nodes.begin(), branch.nodes.end(), std::back_inserter(out));
  }
  return total;
}

// The last of `rows` is the node's own.
void Counter::count_node(const Graph& graph, const Constants& constants, TensorBytes& sizes,
                         std::span<const OpRule* const> rows, const Node& node, NodeCost& cost) {
  const OpRule* rule = rows.back();
  cost.view = rule != nullptr && rule->view;
  InlineVector<StoredInput, 6> inputs;  // one for each input; none if none is a stored tensor
  const std::uint32_t settings = rule != nullptr ? rule->settings : 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (const TensorId id = node.inputs[i]; id != kNone && constants[id] && !has_bit(settings, i)) {
      if (inputs.empty()) inputs.resize(node.inputs.size());
      inputs[i].weight = weight_of(graph, id, rows);
      if (const TensorData* data = inputs[i].weight.data) inputs[i].count = data->elements();
    }
  const std::span<const StoredInput> stored(inputs.data(), inputs.size());
  // Nodes that are computed at load move nothing in a run.
  if (!cost.folded || options_.load_work || is_run_)
    count_bytes(constants, sizes, node, rule, stored, cost);
  count_work(graph, node, rule, cost);
  count_parameters(graph, node, rule, stored, cost);
  if (cost.read_bytes.is_unknown() || cost.write_bytes.is_unknown())
    cost.bytes_certainty = Certainty::Unknown;
}

void Counter::count_work(const Graph& graph, const Node& node, const OpRule* rule, NodeCost& cost) {
  if (rule == nullptr || rule->cost == nullptr) {
    cost.certainty = Certainty::Unknown;
    cost.macs = cost.adds = Expr::unknown();
    unknown_operator(node, "no rule");
    return;
  }
  CostContext context(graph, node);
  rule->cost(context);
  cost.macs = context.amount(Work::Mac);
  cost.adds = context.amount(Work::Add);
  cost.muls = context.amount(Work::Mul);
  cost.specials = context.amount(Work::Special);
  cost.certainty = context.certainty();
  if (node.domain == kAten && node.attribute(kStored) != nullptr) {
    // The rule took every element to be stored.
    if (!context.knows_stored() && !cost.flops().is(0))
      context.cannot_tell("how many elements of its sparse tensors it computes");
    cost.certainty = context.certainty();
    cost.read_bytes = Expr::unknown();
  }
  if (cost.certainty == Certainty::Unknown) {
    cost.macs = cost.adds = Expr::unknown();
    unknown_operator(node, context.reason());
  } else if (!is_countable(cost)) {
    cost.certainty = Certainty::Unknown;
    if (cost.flops().is_overflow()) unknown_operator(node, "more work than can be counted");
  } else if (cost.certainty == Certainty::LowerBound) {
    lower_bound(node, context.reason());
  }
  if (const Expr* reads = context.read_override()) {
    cost.read_bytes = *reads;
    cost.weight_bytes = min(cost.weight_bytes, *reads);
  }
  if (context.write_override() != nullptr) cost.write_bytes = *context.write_override();
}

void Counter::count_bytes(const Constants& constants, TensorBytes& sizes, const Node& node,
                          const OpRule* rule, std::span<const StoredInput> stored, NodeCost& cost) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId id = node.inputs[i];
    if (id == kNone || (rule != nullptr && has_bit(rule->settings, i))) continue;
    const auto before = node.inputs.first(std::min<std::size_t>(i, 16));
    if (std::find(before.begin(), before.end(), id) != before.end()) continue;
    // Use the stored size: a quantized weight is read narrow, whatever it is widened to.
    const TensorData* data = stored.empty() ? nullptr : stored[i].weight.data;
    const Expr size = data != nullptr ? bytes(stored[i].count, data->dtype) : sizes.of(id);
    if (size.is_unknown()) {
      cost.bytes_certainty = Certainty::LowerBound;
      continue;
    }
    cost.read_bytes += size;
    if (constants[id]) cost.weight_bytes += size;
  }
  for (TensorId id : node.outputs)
    if (id != kNone) {
      const Expr& size = sizes.of(id);
      if (size.is_unknown())
        cost.bytes_certainty = Certainty::LowerBound;
      else
        cost.write_bytes += size;
    }
}

void Counter::count_parameters(const Graph& graph, const Node& node, const OpRule* rule,
                               std::span<const StoredInput> stored, NodeCost& cost) {
  const bool passes = rule != nullptr && rule->passes_weights;
  for (std::size_t i = passes ? 1 : 0; i < stored.size(); ++i) {
    const auto& [weight, count] = stored[i];
    if (weight.data == nullptr || (rule != nullptr && has_bit(rule->settings, i))) continue;
    const bool is_state = rule != nullptr && has_bit(rule->buffers, i);
    const bool is_said_to_be_state = weight.data->learned == Learned::No;
    if (!is_said_to_be_state && !parameters_.is_parameter(graph, node, rule, i, weight, cost))
      continue;
    if (i < 32) cost.learned |= std::uint32_t{1} << i;
    if (!counted_.insert(weight.key)) continue;
    if (is_state || is_said_to_be_state) {
      result_.buffers += static_cast<std::uint64_t>(count.number().value_or(0));
      continue;
    }
    const bool packed = rule != nullptr && rule->parameters != nullptr;
    cost.params += packed ? rule->parameters(NodeView(graph, node), i) : count;
    cost.param_bytes += bytes(count, weight.data->dtype);
  }
}

std::string full_name(const Node& node) {
  return node.domain.empty() ? std::string(node.op) : fmt::format("{}.{}", node.domain, node.op);
}

void Counter::unknown_operator(const Node& node, std::string_view why) {
  if (unknown_seen_.insert(node.op).second)
    result_.unknown_ops.push_back(fmt::format("{} ({})", full_name(node), why));
}

void Counter::lower_bound(const Node& node, std::string_view why) {
  if (bounded_seen_.insert(node.op).second)
    result_.lower_bounds.push_back(
        fmt::format("{} is counted as a lower bound: {}", full_name(node), why));
}

Costs Counter::finish(std::vector<Executed> nodes, NodeCost total) {
  for (const Executed& executed : nodes)
    if (executed.cost->at_load) add_to(total, executed.cost, executed.times);
  result_.nodes = std::move(nodes);
  result_.total = std::move(total);
  return std::move(result_);
}

}  // namespace

Costs count(const Model& model, const CountOptions& options) {
  const FormulaScope scope(model.file_bytes);
  Counter counter(model, options);
  std::vector<Executed> nodes;
  NodeCost total = counter.run(model.graph(), nullptr, 1, nodes);
  Costs costs = counter.finish(std::move(nodes), std::move(total));
  if (!options.as_stored) costs.quantized = QuantizedTensors(model, costs);
  if (scope.is_over_limit()) costs.notes.emplace_back(kFormulasOverLimit);
  return costs;
}

}  // namespace strata

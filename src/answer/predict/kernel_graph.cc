#include "predict/kernel_graph.h"

#include <algorithm>

#include "predict/kernel_class.h"

namespace strata {

namespace {

// Kernels that are looked at before two are left apart: keeps the work linear.
constexpr std::size_t kMostSeen = 200;
constexpr std::size_t kMaxFused = 64;
constexpr double kNumberBytes = 64;  // a stored number, not a bias

bool has_epilogue(KernelClass kind) {
  return kind != KernelClass::Attention && kind != KernelClass::Recurrent &&
         (uses_matrix_units(kind) || kind == KernelClass::Depthwise ||
          kind == KernelClass::DepthwiseLarge);
}

// Elements that a kernel goes through.
double extent(const KernelNode& node) { return std::max(node.inputs, node.outputs); }

}  // namespace

KernelGraph::KernelGraph(std::vector<KernelNode> nodes, std::size_t tensors,
                         std::span<const TensorId> outputs)
    : nodes_(std::move(nodes)),
      parent_(nodes_.size()),
      members_(nodes_.size()),
      maker_(tensors, kNone),
      readers_(tensors),
      is_output_(tensors, false) {
  for (const TensorId id : outputs)
    if (id != kNone) is_output_[id] = true;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    parent_[i] = i;
    members_[i] = {i};
    if (!nodes_[i].in_network) continue;
    for (const TensorId id : nodes_[i].reads) readers_[id].push_back(i);
    // A node that works in place makes its input's memory anew; the last one counts.
    for (const TensorId id : nodes_[i].writes) maker_[id] = i;
  }
}

std::uint32_t KernelGraph::find(std::uint32_t node) const {
  while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
  return node;
}

void KernelGraph::merge(std::uint32_t into, std::uint32_t other) {
  parent_[other] = into;
  members_[into].insert(members_[into].end(), members_[other].begin(), members_[other].end());
  std::sort(members_[into].begin(), members_[into].end());
  members_[other].clear();
}

// True if `to` is also made from results of `from` through a third kernel, so that the two cannot
// run as one; or if that takes long to find out.
bool KernelGraph::has_other_way(std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t oldest = members_[from].front();
  std::vector<std::uint32_t> seen = {to}, open;
  const auto visit = [&](std::uint32_t kernel) {
    for (const std::uint32_t node : members_[kernel])
      for (const TensorId id : nodes_[node].reads) {
        if (maker_[id] == kNone) continue;
        const std::uint32_t made = find(maker_[id]);
        if (made == from && kernel != to) return true;
        if (made == from || members_[made].back() < oldest) continue;
        if (std::find(seen.begin(), seen.end(), made) != seen.end()) continue;
        seen.push_back(made);
        open.push_back(made);
      }
    return false;
  };
  if (visit(to)) return true;
  while (!open.empty()) {
    if (seen.size() > kMostSeen) return true;
    const std::uint32_t kernel = open.back();
    open.pop_back();
    if (visit(kernel)) return true;
  }
  return false;
}

std::uint32_t KernelGraph::only_reader(std::uint32_t node) const {
  if (nodes_[node].writes.empty()) return kNone;
  const TensorId made = nodes_[node].writes.front();
  return is_output_[made] || readers_[made].size() != 1 ? kNone : readers_[made].front();
}

bool KernelGraph::is_scaling(std::uint32_t node) const {
  const KernelNode& one = nodes_[node];
  return one.is_part && one.kind == KernelClass::Pointwise && one.reads.size() == 1 &&
         one.weight_bytes <= kNumberBytes;
}

// x·w, and a vector that is added to it.
void KernelGraph::join_biases() {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].is_part || nodes_[i].kind != KernelClass::Gemm) continue;
    const std::uint32_t next = only_reader(i);
    if (next == kNone || find(next) != next) continue;
    const KernelNode& sum = nodes_[next];
    if (sum.is_part && sum.kind == KernelClass::Pointwise && sum.reads.size() == 1 &&
        sum.weight_bytes > 0 && sum.outputs == nodes_[i].outputs && sum.flops <= sum.outputs)
      merge(find(i), next);
  }
}

// softmax(q·kᵀ·scale)·v, without a bias.
void KernelGraph::join_attention() {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].is_part || nodes_[i].kind != KernelClass::Softmax) continue;
    std::vector<std::uint32_t> chain = {i};
    std::uint32_t first = i, last = i;
    do {
      const TensorId read = nodes_[first].reads.empty() ? kNone : nodes_[first].reads.front();
      const std::uint32_t maker = read == kNone ? kNone : maker_[read];
      first = maker != kNone && only_reader(maker) == first ? maker : kNone;
      if (first != kNone) chain.push_back(first);
    } while (first != kNone && is_scaling(first));
    do {
      last = only_reader(last);
      if (last != kNone) chain.push_back(last);
    } while (last != kNone && is_scaling(last));
    if (first == kNone || last == kNone || nodes_[first].kind != KernelClass::BatchedGemm ||
        nodes_[last].kind != KernelClass::BatchedGemm)
      continue;
    for (const std::uint32_t node : chain)
      if (find(node) != find(first)) merge(find(first), find(node));
  }
}

// x·f(x), where elementwise operators make f: SiLU, GELU and the like, and a number that scales it.
void KernelGraph::join_functions() {
  std::vector<TensorId> of(nodes_.size(), kNone);  // the tensor that a result depends on alone
  const auto maker_inside = [&](TensorId read, std::uint32_t reader) {
    const std::uint32_t maker = maker_[read];
    const bool is_inside = maker != kNone && maker < reader && of[maker] != kNone &&
                           nodes_[maker].outputs == nodes_[reader].outputs;
    return is_inside ? maker : kNone;
  };
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const KernelNode& node = nodes_[i];
    if (!node.is_part || node.kind != KernelClass::Pointwise || node.reads.empty() || find(i) != i)
      continue;
    const auto origin = [&](TensorId read) {
      const std::uint32_t maker = maker_inside(read, i);
      return maker == kNone ? read : of[maker];
    };
    const TensorId x = origin(node.reads.front());
    if (!std::all_of(node.reads.begin(), node.reads.end(),
                     [&](TensorId read) { return origin(read) == x; }))
      continue;
    of[i] = x;
    if (!node.is_product || node.reads.size() < 2) continue;
    std::vector<std::uint32_t> open = {i};
    while (!open.empty() && members_[find(i)].size() < kMaxFused) {
      const std::uint32_t one = open.back();
      open.pop_back();
      for (const TensorId read : nodes_[one].reads)
        if (const std::uint32_t maker = maker_inside(read, one);
            maker != kNone && find(maker) != find(i)) {
          merge(find(i), find(maker));
          open.push_back(maker);
        }
    }
    const std::uint32_t next = only_reader(i);
    if (next != kNone && is_scaling(next) && nodes_[next].is_product && find(next) == next)
      merge(find(i), next);
  }
}

void KernelGraph::join_operators() {
  join_biases();
  join_attention();
  join_functions();
}

void KernelGraph::fuse_epilogues() {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].in_network || !has_epilogue(nodes_[i].kind)) continue;
    std::uint32_t last = i;
    while (members_[find(i)].size() < kMaxFused) {
      if (nodes_[last].writes.empty()) break;
      const TensorId made = nodes_[last].writes.front();
      if (is_output_[made] || readers_[made].size() != 1) break;
      const std::uint32_t next = readers_[made].front();
      const KernelClass kind = nodes_[next].kind;
      if (kind != KernelClass::BatchNorm && kind != KernelClass::Pointwise) break;
      if (nodes_[next].phase != nodes_[i].phase) break;
      if (nodes_[next].outputs != nodes_[i].outputs || find(next) != next) break;
      if (has_other_way(find(i), next)) break;
      merge(find(i), next);
      last = next;
    }
  }
}

void KernelGraph::fuse_equal_sizes() {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].in_network || !is_fusible(nodes_[i].kind) || find(i) != i) continue;
    for (const TensorId id : nodes_[i].reads) {
      if (maker_[id] == kNone || maker_[id] == i) continue;
      const std::uint32_t made = find(maker_[id]), own = find(i);
      const KernelNode& first = nodes_[members_[made].front()];
      if (made == own || maker_[id] > i || !is_fusible(first.kind)) continue;
      if (extent(first) != extent(nodes_[i]) || first.phase != nodes_[i].phase) continue;
      if (members_[made].size() + members_[own].size() > kMaxFused) continue;
      if (has_other_way(made, own)) continue;
      merge(made, own);
    }
  }
}

FusedKernel KernelGraph::kernel_of(const std::vector<std::uint32_t>& members) const {
  FusedKernel out;
  const KernelNode* main = &nodes_[members.front()];
  const auto inside = [&](std::uint32_t node) {
    return std::binary_search(members.begin(), members.end(), node);
  };
  std::vector<TensorId> read;
  std::size_t products = 0;
  bool has_softmax = false;
  for (const std::uint32_t member : members) {
    const KernelNode& node = nodes_[member];
    out.macs += node.macs;
    out.flops += node.flops;
    out.read_bytes += node.read_bytes;
    out.write_bytes += node.write_bytes;
    out.weight_bytes += node.weight_bytes;
    if (members.size() > 1) {
      for (std::size_t r = 0; r < node.reads.size(); ++r) {
        const TensorId id = node.reads[r];
        const bool is_made_here = maker_[id] != kNone && maker_[id] < member && inside(maker_[id]);
        const bool again = std::find(read.begin(), read.end(), id) != read.end();
        if (is_made_here || again)
          out.read_bytes -= node.read_sizes[r];
        else
          read.push_back(id);
      }
      bool stays = node.writes.empty();
      for (const TensorId id : node.writes) {
        stays = stays || is_output_[id];
        for (const std::uint32_t reader : readers_[id])
          stays = stays || (reader > member && !inside(reader));
      }
      if (!stays) out.write_bytes -= node.write_bytes;
    }
    products += node.kind == KernelClass::BatchedGemm ? 1 : 0;
    has_softmax = has_softmax || node.kind == KernelClass::Softmax;
    // The most expensive class stands for all.
    if (node.macs > main->macs || (main->macs == 0 && node.flops > main->flops)) main = &node;
  }
  out.read_bytes = std::max(out.read_bytes, out.weight_bytes);
  out.kind = has_softmax && products > 1 ? KernelClass::Attention : main->kind;
  out.phase = main->phase;
  out.times = main->times;
  out.outputs = main->outputs;
  out.element_bytes = main->element_bytes;
  out.nodes = {main->index};
  for (const std::uint32_t member : members)
    if (&nodes_[member] != main) out.nodes.push_back(nodes_[member].index);
  return out;
}

std::vector<FusedKernel> KernelGraph::kernels() const {
  std::vector<FusedKernel> list;
  for (const std::vector<std::uint32_t>& members : members_)
    if (!members.empty()) list.push_back(kernel_of(members));
  return list;
}

}  // namespace strata

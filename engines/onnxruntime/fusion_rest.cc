// Handles source nodes whose values no kernel makes: why that is, or which kernel does their work.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "fusion_state.h"

namespace strata::ort {

namespace {

class Rest {
 public:
  Rest(FusionState& state, Fusion& out) : state_(state), source_(state.source), out_(out) {
    absent_.resize(source_.nodes().size());
    first_of_class_.resize(source_.value_count(), kNone);
    for (NodeNumber n = 0; n < source_.nodes().size(); ++n)
      if (state_.kernel_of[n] != kNone)
        for (const ValueNumber v : source_.node(n).outputs)
          if (v != kNone) {
            NodeNumber& first = first_of_class_[source_.value(v).equal_class];
            if (first == kNone) first = n;
          }
  }

  void run() {
    const auto count = static_cast<NodeNumber>(source_.nodes().size());
    // Readers come before what they read: a node without readers that run need not run.
    for (NodeNumber n = count; n-- > 0;) {
      if (state_.kernel_of[n] != kNone) continue;
      if (auto reason = reason_for(n)) {
        absent_[n] = true;
        out_.absent.emplace_back(source_.node(n).key, *reason);
      } else {
        place_with_neighbour(n);
      }
    }
    std::reverse(out_.absent.begin(), out_.absent.end());
    std::reverse(out_.guessed.begin(), out_.guessed.end());
  }

 private:
  std::optional<std::string> reason_for(NodeNumber n) const {
    const auto& facts = source_.node(n);
    if (facts.node.op == "Constant") return "a constant";
    if (facts.constant) return "folded into a constant";
    if (facts.passes_on) return "gives its input unchanged";
    bool stored = false, read = false, all_absent = true, output = false;
    for (const ValueNumber v : facts.outputs) {
      if (v == kNone) continue;
      stored = stored || state_.stored[v];
      output = output || source_.value(v).is_output;
      const NodeNumber same = first_of_class_[source_.value(v).equal_class];
      if (same != kNone && same != n)
        return fmt::format("computes what {} gives", source_.node(same).key);
      for (const NodeNumber reader : source_.value(v).readers) {
        read = true;
        all_absent = all_absent && absent_[reader];
      }
    }
    if (stored) return "folded into a constant";
    if (facts.shape_only) return "computes a shape that the engine knows";
    const NodeNumber owner = facts.owner;
    if (owner != kNone && !has_kernel_with_bodies(owner)) return "in a branch that is not taken";
    if (output) return std::nullopt;
    if (!read) return "nothing reads what it gives";
    if (all_absent) return "only for what is folded into a constant";
    return std::nullopt;
  }

  // True if the node still runs its bodies, and is not replaced by one of them.
  bool has_kernel_with_bodies(NodeNumber n) const {
    const KernelNumber kernel = state_.kernel_of[n];
    return kernel != kNone && out_.kernels[kernel].op == source_.node(n).node.op;
  }

  void place_with_neighbour(NodeNumber n) {
    const auto& facts = source_.node(n);
    KernelNumber home = kNone;
    for (const ValueNumber v : facts.outputs)
      if (v != kNone)
        for (const NodeNumber reader : source_.value(v).readers)
          if (home == kNone) home = state_.kernel_of[reader];
    for (const ValueNumber v : facts.inputs)
      if (const NodeNumber maker = source_.value(v).producer; maker != kNone && home == kNone)
        home = state_.kernel_of[maker];
    if (home == kNone) {
      absent_[n] = true;
      out_.absent.emplace_back(facts.key, "not found in what the engine runs");
      return;
    }
    state_.kernel_of[n] = home;
    out_.guessed.push_back(facts.key);
    add_sources(out_, home, {facts.key});
  }

  FusionState& state_;
  const SourceValues& source_;
  Fusion& out_;
  std::vector<bool> absent_;
  std::vector<NodeNumber> first_of_class_;  // a node with a kernel that makes such a value
};

}  // namespace

void place_the_rest(FusionState& state, Fusion& out) { Rest(state, out).run(); }

}  // namespace strata::ort

#include "sensitivity/keep_order.h"

#include <algorithm>

#include "edit/placement.h"

namespace strata {

namespace {

constexpr std::size_t kMaxPlacements = 20'000;
// A layer alone is preferred to an activation, which takes layers along, unless the activation is
// worth more by this factor.
constexpr double kClearlyMore = 1.01;
// A step that costs nothing is not worth infinitely much: it costs at least this share of the
// median saving.
constexpr double kMinCost = 0.05;

// The tensors that a plan rounds, and the sums of drops and savings.
struct Rounded {
  double drop = 0, seconds = 0;  // sums; seconds that its layers save
  std::size_t left = 0;          // layers in int8
};

class Ordering {
 public:
  Ordering(const Model& model, const std::vector<QuantLayer>& layers, const KeepWorth& worth)
      : model_(model), links_(model), layers_(layers), worth_(worth) {
    weights_.assign(layers.size(), 0);
    std::vector<double> saved;
    for (const double seconds : worth.seconds_saved)
      if (seconds > 0) saved.push_back(seconds);
    std::sort(saved.begin(), saved.end());
    least_ = saved.empty() ? 1 : kMinCost * saved[saved.size() / 2];
    for (std::size_t p = 0; p < worth.parts.size(); ++p) {
      const QuantPart& part = worth.parts[p];
      KeepStep step;
      step.label = part.label;
      if (part.kind == QuantPart::Kind::Weights) {
        weights_[part.layer] = worth.drops[p];
        step.layer = part.layer;
      } else {
        tensors_[part.tensor] = worth.drops[p];
        step.tensor = std::string(model.graph().tensors[part.tensor].name);
      }
      steps_.push_back(std::move(step));
    }
    std::stable_partition(steps_.begin(), steps_.end(),
                          [](const KeepStep& step) { return step.layer != kNoLayer; });
  }

  std::vector<KeepStep> run() {
    std::vector<KeepStep> order;
    StaysFloat floats;
    floats.layers.assign(layers_.size(), false);
    Rounded now = rounded(floats);
    while (!steps_.empty() && placements_ < kMaxPlacements) {
      std::size_t best = steps_.size();
      double best_worth = 0;
      Rounded best_rounded;
      for (std::size_t s = 0; s < steps_.size(); ++s) {
        StaysFloat trial = floats;
        add_to(trial, steps_[s]);
        const Rounded then = rounded(trial);
        if (then.left == 0) continue;
        const double taken = now.drop - then.drop;
        const double worth = taken / std::max(now.seconds - then.seconds, least_);
        if (!(taken > 0) || worth <= kClearlyMore * best_worth) continue;
        best = s;
        best_worth = worth;
        best_rounded = then;
      }
      if (best == steps_.size()) break;
      add_to(floats, steps_[best]);
      order.push_back(steps_[best]);
      steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(best));
      now = best_rounded;
    }
    return order;
  }

 private:
  // The drop of a tensor; if a file entirely in int8 does not round it, that of the tensor that is
  // passed on to it.
  double drop_of(TensorId id, const Placement& placement) const {
    const Graph& graph = model_.graph();
    while (true) {
      if (const auto found = tensors_.find(id); found != tensors_.end()) return found->second;
      const NodeId producer = graph.tensors[id].producer;
      if (producer == kNone || placement.uses[producer] != Int8Use::Passing) return 0;
      id = graph.nodes[producer].inputs[0];
    }
  }

  Rounded rounded(const StaysFloat& floats) {
    ++placements_;
    const Placement placement = place_int8(model_, links_, layers_, floats);
    Rounded out;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      if (!placement.int8[layers_[l].main]) continue;
      ++out.left;
      out.drop += weights_[l];
      out.seconds += worth_.seconds_saved[l];
    }
    for (const TensorId id : placement.roots()) out.drop += drop_of(id, placement);
    return out;
  }

  const Model& model_;
  const Links links_;
  const std::vector<QuantLayer>& layers_;
  const KeepWorth& worth_;
  std::vector<double> weights_;  // drops by layer
  std::map<TensorId, double> tensors_;
  std::vector<KeepStep> steps_;  // steps that are left
  double least_ = 1;
  std::size_t placements_ = 0;
};

}  // namespace

void add_to(StaysFloat& floats, const KeepStep& step) {
  if (step.layer == kNoLayer) {
    floats.tensors.insert(step.tensor);
    return;
  }
  if (floats.layers.size() <= step.layer) floats.layers.resize(step.layer + 1, false);
  floats.layers[step.layer] = true;
}

std::vector<KeepStep> keep_order(const Model& model, const std::vector<QuantLayer>& layers,
                                 const KeepWorth& worth) {
  return Ordering(model, layers, worth).run();
}

}  // namespace strata

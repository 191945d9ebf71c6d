// Decides how many samples each layer gets if not all layers can have all: successive halving.
#pragma once

#include <cstddef>
#include <vector>

#include "strata/sensitivity/sensitivity.h"

namespace strata {

// Measures layers and remembers their scores. Samples known from an earlier run are available at
// once; they count towards the budget like others, so that a resumed run takes the same course as
// an uninterrupted one.
class LayerTrials {
 public:
  virtual ~LayerTrials() = default;
  // Each measures up to the first `count` samples, or ends early if ended() says so.
  virtual Status alone(std::size_t layer, std::size_t count) = 0;
  virtual Status left_out(std::size_t layer, std::size_t count) = 0;
  virtual Status joint(std::size_t count) = 0;
  virtual const Sensitivity& so_far() const = 0;
  // True if stopped, or if this share of the time has passed.
  virtual bool ended(double share_of_time) const = 0;
};

struct BudgetTask {
  std::size_t samples = 0;        // in the data set
  std::vector<double> share;      // by layer: passes of the network for one sample
  std::vector<std::size_t> like;  // by layer: the one that stands for it, or itself
  double allowed = 0;             // passes; leave-one-out may take the same again
  bool timed = false;             // time is the limit, too
  bool leave_one_out = false;
  std::size_t top = 10;  // layers whose order counts
  Quality quality = Quality::Sqnr;
};

// Samples of each layer at the start, including layers that stand for others.
inline constexpr std::size_t kFirstSamples = 4;

struct BudgetSpent {
  std::size_t first = 0;             // samples in the first round
  std::vector<std::size_t> samples;  // by layer: samples that halving used
  std::vector<std::size_t> like;     // by layer, without those that turned out to be different
  double passes = 0;                 // for the layers alone, including references
  double least = 0;                  // passes for one sample of each layer
};

// Measures all layers on few samples: those that another one stands for on one sample, the rest on
// kFirstSamples, or on as many as two thirds of the budget allow. A layer that is four times worse
// than the one that stands for it is then measured on its own. Contested layers get twice as many
// samples, again and again: layers whose intervals leave open which place in the top they have, or
// whether they belong there. With leave-one-out, the top layers found are then left out one by one,
// all on the same samples.
Result<BudgetSpent> spend_budget(const BudgetTask& task, LayerTrials& trials);

}  // namespace strata

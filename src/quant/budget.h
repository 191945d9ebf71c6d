// Which layers get how many samples where not all can have all: successive halving.
#pragma once

#include <cstddef>
#include <vector>

#include "strata/quant/sensitivity.h"

namespace strata {

// What measures layers and remembers their scores. Samples that are known from an earlier
// run are there at once; they count in the budget like others, so that a run that was
// stopped and goes on takes the same way as one that was not.
class LayerTrials {
 public:
  virtual ~LayerTrials() = default;
  // Each makes sure of the first `count` samples, or ends early where ended() says so.
  virtual Status alone(std::size_t layer, std::size_t count) = 0;
  virtual Status left_out(std::size_t layer, std::size_t count) = 0;
  virtual Status joint(std::size_t count) = 0;
  virtual const Sensitivity& so_far() const = 0;
  // Stopped, or this share of the time has gone.
  virtual bool ended(double share_of_time) const = 0;
};

struct BudgetTask {
  std::size_t samples = 0;        // of the data
  std::vector<double> share;      // by layer: passes of the network for one sample
  std::vector<std::size_t> like;  // by layer: the one that stands for it, else itself
  double allowed = 0;             // passes; for leave-one-out as many again
  bool timed = false;             // time is the limit, too
  bool leave_one_out = false;
  std::size_t top = 10;  // layers whose order counts
  Quality quality = Quality::Sqnr;
};

// Of each layer, one that stands for others included, at the start.
inline constexpr std::size_t kFirstSamples = 4;

struct BudgetSpent {
  std::size_t first = 0;             // samples of the first round
  std::vector<std::size_t> samples;  // by layer, that the ways of halving looked at
  std::vector<std::size_t> like;     // without layers that turned out to be different
  double passes = 0;                 // of the layers alone, with references
  double least = 0;                  // what one sample of each layer takes
};

// All layers on few samples: those that another one stands for on one, the rest on
// kFirstSamples, or as many as two thirds of the budget pay for. A layer that is four times
// worse than the one that stands for it is on its own. Then the contested ones get twice as
// many, again and again: layers whose place in the top, or whether they belong there, their
// intervals leave open. With leave-one-out the top layers that this finds are then left out,
// all on the same samples.
Result<BudgetSpent> spend_budget(const BudgetTask& task, LayerTrials& trials);

}  // namespace strata

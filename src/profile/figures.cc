#include "profile/figures.h"

#include <algorithm>

namespace strata {

namespace {

template <class Number>
bool add_known(Number& sum, const Number& more) {
  if (more.is_unknown()) return false;
  if (!more.is(0)) sum = sum.is(0) ? more : sum + more;
  return true;
}

}  // namespace

void add_samples(std::vector<double>& sum, const std::vector<double>& more) {
  if (sum.size() < more.size()) sum.resize(more.size(), 0.0);
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

void add_to(Figures& sum, const Figures& more) {
  add_known(sum.params, more.params);
  add_known(sum.param_bytes, more.param_bytes);
  const bool macs = add_known(sum.macs, more.macs);
  bool work = add_known(sum.flops, more.flops);
  work = add_known(sum.picojoules, more.picojoules) && work;
  bool bytes = add_known(sum.read_bytes, more.read_bytes);
  bytes = add_known(sum.write_bytes, more.write_bytes) && bytes;
  bytes = add_known(sum.activation_bytes, more.activation_bytes) && bytes;
  add_known(sum.load_macs, more.load_macs);
  add_known(sum.load_flops, more.load_flops);
  sum.missing |= more.missing;
  sum.precisions |= more.precisions;
  if (more.seconds) sum.seconds = sum.seconds.value_or(0) + *more.seconds;
  add_samples(sum.samples, more.samples);
  if (more.taken) {
    TakenMemory& taken = sum.taken ? *sum.taken : sum.taken.emplace();
    taken.allocated += more.taken->allocated;
    taken.scratch += more.taken->scratch;
    taken.held = more.taken->held;
    taken.peak = std::max(taken.peak, more.taken->peak);
  }
  if (!macs || more.macs_work != Certainty::Exact) sum.macs_work = Certainty::LowerBound;
  if (!work || more.work != Certainty::Exact) sum.work = Certainty::LowerBound;
  if (!bytes || more.bytes != Certainty::Exact) sum.bytes = Certainty::LowerBound;
}

}  // namespace strata

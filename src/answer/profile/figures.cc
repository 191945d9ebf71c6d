#include "profile/figures.h"

#include <algorithm>

#include "base/pool.h"

namespace strata {

namespace {

template <class Number>
bool add_known(Number& sum, const Number& more) {
  if (more.is_unknown()) return false;
  if (!more.is(0)) sum = sum.is(0) ? more : sum + more;
  return true;
}
bool add_known(ExprSum& sum, const Expr& more) {
  if (more.is_unknown()) return false;
  sum += more;
  return true;
}

// Everything but the numbers that are counted, of which some may not have been known.
void add_rest(Figures& sum, const Figures& more, bool macs, bool work, bool bytes) {
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
  if (more.phases) {
    PhaseFigures& phases = sum.phases ? *sum.phases : sum.phases.emplace();
    for (std::size_t i = 0; i < phases.macs.size(); ++i) {
      const bool has_macs = add_known(phases.macs[i], more.phases->macs[i]);
      const bool has_flops = add_known(phases.flops[i], more.phases->flops[i]);
      if (!has_macs || more.phases->macs_work[i] != Certainty::Exact)
        phases.macs_work[i] = Certainty::LowerBound;
      if (!has_flops || more.phases->work[i] != Certainty::Exact)
        phases.work[i] = Certainty::LowerBound;
    }
  }
  if (!macs || more.macs_work != Certainty::Exact) sum.macs_work = Certainty::LowerBound;
  if (!work || more.work != Certainty::Exact) sum.work = Certainty::LowerBound;
  if (!bytes || more.bytes != Certainty::Exact) sum.bytes = Certainty::LowerBound;
}

}  // namespace

std::size_t hash_of(const Figures& figures) {
  WordHash hash;
  hash.add(figures.params.bits());
  hash.add(figures.activation_bytes.bits());
  for (const Amount* amount : {&figures.macs, &figures.flops, &figures.read_bytes,
                               &figures.write_bytes, &figures.picojoules})
    hash.add(amount->above().bits());
  return hash.value();
}

bool is_same(const Figures& a, const Figures& b) {
  const auto is_plain = [](const Figures& one) {
    return !one.seconds && one.samples.empty() && !one.taken && !one.phases;
  };
  return is_plain(a) && is_plain(b) && is_same(a.params, b.params) &&
         is_same(a.param_bytes, b.param_bytes) && is_same(a.macs, b.macs) &&
         is_same(a.flops, b.flops) && is_same(a.read_bytes, b.read_bytes) &&
         is_same(a.write_bytes, b.write_bytes) && is_same(a.picojoules, b.picojoules) &&
         is_same(a.load_macs, b.load_macs) && is_same(a.load_flops, b.load_flops) &&
         is_same(a.activation_bytes, b.activation_bytes) && a.macs_work == b.macs_work &&
         a.work == b.work && a.bytes == b.bytes && a.missing == b.missing &&
         a.precisions == b.precisions;
}

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
  add_rest(sum, more, macs, work, bytes);
}

bool FiguresSum::Amounts::add(const Amount& more) {
  if (more.is_whole()) return add_known(whole, more.above());
  return add_known<Amount>(others, more);
}

namespace {

// True for the figures of a layer that only computes sizes.
bool is_nothing(const Figures& figures) {
  return figures.params.is(0) && figures.param_bytes.is(0) && figures.macs.is(0) &&
         figures.flops.is(0) && figures.read_bytes.is(0) && figures.write_bytes.is(0) &&
         figures.picojoules.is(0) && figures.load_macs.is(0) && figures.load_flops.is(0) &&
         figures.activation_bytes.is(0) && figures.macs_work == Certainty::Exact &&
         figures.work == Certainty::Exact && figures.bytes == Certainty::Exact &&
         figures.missing == 0 && figures.precisions == 0 && !figures.seconds &&
         figures.samples.empty() && !figures.taken && !figures.phases;
}

}  // namespace

void FiguresSum::add(const Figures& more) {
  if (is_nothing(more)) return;
  add_known(params_, more.params);
  add_known(param_bytes_, more.param_bytes);
  const bool macs = macs_.add(more.macs);
  bool work = flops_.add(more.flops);
  work = picojoules_.add(more.picojoules) && work;
  bool bytes = read_bytes_.add(more.read_bytes);
  bytes = write_bytes_.add(more.write_bytes) && bytes;
  bytes = add_known(activation_bytes_, more.activation_bytes) && bytes;
  load_macs_.add(more.load_macs);
  load_flops_.add(more.load_flops);
  add_rest(rest_, more, macs, work, bytes);
}

Figures FiguresSum::total() const {
  Figures sum = rest_;
  sum.params = params_.total();
  sum.param_bytes = param_bytes_.total();
  sum.macs = macs_.total();
  sum.flops = flops_.total();
  sum.read_bytes = read_bytes_.total();
  sum.write_bytes = write_bytes_.total();
  sum.picojoules = picojoules_.total();
  sum.load_macs = load_macs_.total();
  sum.load_flops = load_flops_.total();
  sum.activation_bytes = activation_bytes_.total();
  return sum;
}

}  // namespace strata

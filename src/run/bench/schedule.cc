#include "bench/schedule.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include <fmt/format.h>

#include "bench/time_plan.h"
#include "strata/measure/undisturbed.h"

namespace strata {

namespace {

constexpr std::size_t kMostWarmups = 50;  // pieces of this many seconds, or one inference:
constexpr double kWarmupPiece = 0.01;
constexpr double kMaxWarmupSeconds = 2;  // in each process
constexpr std::size_t kDropFirst = 5;  // a block with at least this many inferences drops its first
constexpr double kRateBlockSeconds = 1;  // a queue needs time to form
constexpr int kMaxInBlock = 100'000;
constexpr double kBlocksShare = 0.6;  // share of the time for blocks; the rest is for processes

class Schedule {
 public:
  Schedule(const std::vector<Variant>& variants, const BenchOptions& options,
           const Machine& machine)
      : options_(options), machine_(machine), random_(options.seed), start_(machine.now()) {
    result_.base = options.base;
    for (const Variant& variant : variants) result_.variants.emplace_back().variant = variant;
  }

  BenchResult run();

 private:
  // A running process.
  struct Place {
    std::size_t variant;
    std::unique_ptr<Subject> subject;
    double seconds = 0;                     // per inference, from its warm-up
    std::optional<BlockReport> trial = {};  // one run, if it seemed too slow to measure
  };

  void run_wave(int wave);
  bool prepare(Place& place, bool first_wave);
  bool check_answer(Place& place);
  bool warm_up(Place& place);
  bool run_block(Place& place, const std::vector<double>& moments);
  void set_aside_slow(std::vector<Place>& places);
  void run_rounds(std::vector<Place>& places, int wave, double wave_start);
  std::size_t compared_with() const;  // the base, or another variant if that one is too slow
  bool look();                        // true if every interval is as narrow as requested
  int rounds_planned() const;

  bool stopped() const { return options_.limits.stop != nullptr && options_.limits.stop->load(); }
  bool is_out(std::size_t variant) const {
    const VariantResult& own = result_.variants[variant];
    return own.failure != Failure::None &&
           !(own.failure == Failure::WrongAnswer && options_.time_wrong);
  }
  // Records why and returns false; being stopped is not a failure.
  bool fail(std::size_t variant, const WorkerError& error) {
    VariantResult& own = result_.variants[variant];
    if (error.failure == Failure::None) return result_.stopped = true, false;
    own.failure = error.failure;
    own.reason = error.reason;
    own.partial = std::any_of(own.processes.begin(), own.processes.end(),
                              [](const ProcessSamples& one) { return !one.blocks.empty(); });
    return false;
  }
  double elapsed() const { return machine_.now() - start_; }
  // The time without that of variants that failed, so that a variant that hangs takes no time from
  // the others.
  double spent() const { return elapsed() - lost_; }
  double budget() const {
    return options_.load.kind == LoadMode::Kind::Sustained ? options_.load.seconds
                                                           : options_.max_seconds;
  }
  // The label is followed by the number of runs: how many there will be is not known, so that they
  // are not a share.
  void report(std::size_t variant) const {
    if (!options_.progress) return;
    std::size_t runs = 0;
    for (const VariantResult& one : result_.variants) runs += one.runs();
    std::string label = result_.variants[variant].variant.label();
    if (runs > 0) label += fmt::format(", {} runs", runs);
    options_.progress(
        {std::move(label), std::min(1.0, spent() / std::max(budget(), 1e-9)), half_width_});
  }
  ProcessSamples& samples(const Place& place) {
    return result_.variants[place.variant].processes.back();
  }

  const BenchOptions& options_;
  const Machine& machine_;
  std::mt19937_64 random_;
  double start_;
  double lost_ = 0;
  double half_width_ = 0;
  double block_seconds_ = 0;  // of this wave: see run_rounds
  int waves_wanted_ = 0;      // before `until` may end it
  // Outputs that others with the same inputs must match: the base's, or, for other inputs, those of
  // the variant that is most like the base. The key is batch and shape.
  std::map<std::pair<std::int64_t, std::string>, std::vector<HostTensor>> references_;
  std::set<std::size_t> slow_;  // variants that get no further process: they take too long
  BenchResult result_;
};

int Schedule::rounds_planned() const {
  if (options_.load.kind == LoadMode::Kind::Sustained) return std::numeric_limits<int>::max();
  const int processes = std::max(1, options_.processes);
  return std::max(1, (options_.min_blocks + processes - 1) / processes);
}

bool Schedule::check_answer(Place& place) {
  VariantResult& own = result_.variants[place.variant];
  auto outputs = place.subject->outputs();
  if (!outputs) return fail(place.variant, outputs.error());
  if (references_.empty()) result_.base = place.variant;
  const auto [reference, is_first] =
      references_.try_emplace({own.variant.batch, own.variant.shape}, std::move(*outputs));
  if (is_first) return true;
  auto difference = compare_outputs(reference->second, *outputs);
  std::string mistake;
  if (difference) {
    mistake = answer_mistake(*difference, options_.answers, own.variant.is_lossy());
    own.difference = std::move(*difference);
  } else {
    mistake = difference.error().message;
  }
  if (mistake.empty()) return true;
  own.failure = Failure::WrongAnswer;
  own.reason = std::move(mistake);
  return options_.time_wrong;
}

bool Schedule::warm_up(Place& place) {
  ProcessSamples& own = samples(place);
  const auto more = [&](int count, double most) {
    auto block = place.subject->run(count, most);
    if (!block) return fail(place.variant, block.error());
    // Time that others took says nothing about how warm the process is.
    const bool one = result_.variants[place.variant].variant.session.threads == 1;
    const std::vector<double> ran =
        one ? undisturbed_seconds(block->seconds, block->runs.waits, 1) : block->seconds;
    own.warmup.insert(own.warmup.end(), ran.begin(), ran.end());
    own.peak_resident_bytes = block->peak_resident_bytes;
    return true;
  };
  if (options_.warmup >= 0) {
    if (options_.warmup > 0 && !more(options_.warmup, options_.limits.timeout_seconds / 2))
      return false;
    place.seconds = own.warmup.empty() ? own.open.first_seconds : own.warmup.back();
    return true;
  }
  // Pieces of about 10 ms: a handful of very short inferences says nothing about caches and clocks
  // that are still warming up.
  const double variants = static_cast<double>(result_.variants.size());
  const double most =
      std::min(kMaxWarmupSeconds, budget() / 5 / variants / std::max(1, options_.processes));
  // If an inference takes longer than that, the first one and the one that checked the answer are
  // enough.
  if (own.open.first_seconds > most) {
    place.seconds = own.open.first_seconds;
    return true;
  }
  const double begin = machine_.now();
  std::vector<double> medians;
  int count = 1;
  while (medians.size() < kMostWarmups && !stopped()) {
    const bool late = machine_.now() - begin > most;
    if (!medians.empty() && late) break;
    if (has_settled(medians)) break;
    const std::size_t before = own.warmup.size();
    if (!more(count, kWarmupPiece)) return false;
    medians.push_back(median_of(std::span(own.warmup).subspan(before)));
    count = static_cast<int>(
        std::clamp(kWarmupPiece / std::max(medians.back(), 1e-9), 1.0, double{kMaxInBlock}));
  }
  place.seconds = medians.empty() ? own.open.first_seconds : medians.back();
  return true;
}

bool Schedule::prepare(Place& place, bool first_wave) {
  auto subject = machine_.start(place.variant);
  if (!subject) return fail(place.variant, subject.error());
  place.subject = std::move(*subject);
  auto open = place.subject->open();
  if (!open) return fail(place.variant, open.error());
  result_.variants[place.variant].processes.emplace_back().open = std::move(*open);
  if (first_wave && !check_answer(place)) return false;
  return warm_up(place);
}

bool Schedule::run_block(Place& place, const std::vector<double>& moments) {
  ProcessSamples& own = samples(place);
  const double begin = elapsed();
  const double fit = block_seconds_ / std::max(place.seconds, 1e-9);
  int count = static_cast<int>(std::clamp(std::round(fit), 1.0, double{kMaxInBlock}));
  // Whole rounds of a mix, so that every block contains the same inputs.
  const int sets = 1 + static_cast<int>(result_.variants[place.variant].variant.mix.size());
  count = (count + sets - 1) / sets * sets;
  const bool drop = moments.empty() && sets == 1 && static_cast<std::size_t>(count) >= kDropFirst;
  if (drop) ++count;
  auto block = moments.empty() ? place.subject->run(count, 4 * block_seconds_ + 2 * place.seconds)
                               : place.subject->run_at(moments);
  if (!block) return fail(place.variant, block.error());
  if (drop && block->seconds.size() >= kDropFirst) own.warmup.push_back(drop_first(*block));
  add_block(own, std::move(*block), begin);
  report(place.variant);
  return true;
}

// The slowest variants run once if there is no time for more, so that the others can be compared.
// A first inference may be slow because it compiles the model: the next one decides.
void Schedule::set_aside_slow(std::vector<Place>& places) {
  const auto count_fitting = [&] {
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.seconds < b.seconds; });
    std::vector<double> seconds;
    for (const Place& place : places) seconds.push_back(place.seconds);
    return variants_that_fit(seconds, budget() - spent());
  };
  const double begin = machine_.now();
  for (std::size_t i = count_fitting(); i < places.size();) {
    auto trial = places[i].subject->run(1, 2 * places[i].seconds);
    if (!trial) {
      fail(places[i].variant, trial.error());
      if (result_.stopped) return;
      places.erase(places.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    if (!trial->seconds.empty()) places[i].seconds = trial->seconds.back();
    places[i++].trial = std::move(*trial);
  }
  const double tried = machine_.now() - begin;
  lost_ += tried;
  const std::size_t fit = count_fitting();
  if (fit == 0) lost_ -= tried;
  for (; fit > 0 && places.size() > fit && places.back().trial; places.pop_back()) {
    add_block(samples(places.back()), std::move(*places.back().trial), elapsed());
    slow_.insert(places.back().variant);
  }
}

void Schedule::run_rounds(std::vector<Place>& places, int wave, double wave_start) {
  // Blocks are equally long for all variants, so that other work on the machine affects all
  // equally, however long an inference takes. They are shorter if there would not be enough time
  // for all processes, since intervals depend on the number of processes.
  if (wave == 0 && options_.load.kind == LoadMode::Kind::Closed) set_aside_slow(places);
  if (result_.stopped) return;
  const double rooms = static_cast<double>(places.size()) * std::max(1, options_.min_blocks);
  block_seconds_ = std::min(options_.block_seconds, kBlocksShare * budget() / rooms);
  for (const Place& place : places) block_seconds_ = std::max(block_seconds_, place.seconds);
  const double setup = spent() - wave_start;
  const int planned = rounds_planned();
  double round_seconds = 0;
  std::size_t fewest = 0;  // runs of a variant in the last round
  for (int round = 0; !places.empty(); ++round) {
    if (stopped()) result_.stopped = true;
    if (result_.stopped) return;
    if (round > 0) {
      const WaveShare share = share_of_wave(
          {budget() - wave_start, setup, round_seconds, fewest, waves_wanted_ - wave, wave == 0});
      if (round >= std::max(planned, share.rounds)) return;
      if (spent() + round_seconds > wave_start + share.seconds) return;
    }
    const double begin = spent();
    std::vector<double> moments;
    if (options_.load.kind == LoadMode::Kind::Rate) {
      // The moments are the same for all variants, so that none is luckier than the others.
      const double seconds = std::max(
          {kRateBlockSeconds, options_.block_seconds, 20 / std::max(options_.load.rate, 1e-9)});
      moments = load_moments(options_.load, seconds, random_());
    }
    std::shuffle(places.begin(), places.end(), random_);
    for (std::size_t i = 0; i < places.size();) {
      const double before = machine_.now();
      if (run_block(places[i], moments)) {
        ++i;
        continue;
      }
      if (result_.stopped) return;
      lost_ += machine_.now() - before;
      places.erase(places.begin() + static_cast<std::ptrdiff_t>(i));
    }
    round_seconds = spent() - begin;
    fewest = kRunsForClaim;
    for (const Place& place : places)
      fewest = std::min(fewest, samples(place).blocks.back().size());
  }
}

void Schedule::run_wave(int wave) {
  const double wave_start = spent();
  std::vector<std::size_t> order(result_.variants.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random_);
  // References go first, because the answers of the others are compared with theirs.
  const Variant& base = result_.variants[options_.base].variant;
  const auto rank = [&](std::size_t v) {
    const Variant& own = result_.variants[v].variant;
    const bool alike =
        own.engine == base.engine && own.style == base.style && own.precision() == base.precision();
    return v == options_.base ? 0 : alike ? 1 : own.is_lossy() ? 3 : 2;
  };
  if (wave == 0)
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(rank(a), a) < std::pair(rank(b), b);
    });
  std::vector<Place> places;
  for (const std::size_t variant : order) {
    if (is_out(variant) || slow_.contains(variant)) continue;
    if (stopped()) result_.stopped = true;
    if (result_.stopped) return;
    report(variant);
    Place place{variant, nullptr};
    const double before = machine_.now();
    if (!prepare(place, wave == 0)) {
      lost_ += machine_.now() - before;
      if (result_.stopped) return;
      continue;
    }
    places.push_back(std::move(place));
    // A variant that takes more than its share of the time to load takes none from the others.
    const auto live = std::count_if(order.begin(), order.end(), [&](auto v) { return !is_out(v); });
    const double took = machine_.now() - before;
    if (live == 1 || took <= budget() / static_cast<double>(live)) continue;
    lost_ += took;
    slow_.insert(variant);
  }
  run_rounds(places, wave, wave_start);
}

std::size_t Schedule::compared_with() const {
  if (!slow_.contains(result_.base)) return result_.base;
  for (std::size_t v = 0; v < result_.variants.size(); ++v)
    if (!slow_.contains(v) && result_.variants[v].failure == Failure::None) return v;
  return result_.base;
}

bool Schedule::look() {
  const double widest = widest_interval(result_, compared_with(), slow_, options_.seed);
  half_width_ = std::isfinite(widest) ? widest : 0;
  return widest <= options_.until;
}

BenchResult Schedule::run() {
  const bool sustained = options_.load.kind == LoadMode::Kind::Sustained;
  waves_wanted_ = sustained ? 1 : std::max(1, options_.processes);
  // Checking rarely keeps the checks themselves from creating differences: the width of the
  // intervals stops the schedule, and it is checked each time there is half as much data again.
  int next_look = waves_wanted_;
  double longest = 0;
  int wave = 0;
  for (; !result_.stopped; ++wave) {
    if (wave >= next_look) {
      if (sustained) break;
      result_.reached = look();
      if (result_.reached) break;
      next_look = wave + std::max(1, wave / 2);
    }
    if (wave > 0 && spent() + longest > budget()) break;
    const bool all_out = [&] {
      for (std::size_t v = 0; v < result_.variants.size(); ++v)
        if (!is_out(v) && !slow_.contains(v)) return false;
      return true;
    }();
    if (all_out) break;
    const double begin = spent();
    run_wave(wave);
    longest = std::max(longest, spent() - begin);
  }
  if (!result_.reached && !result_.stopped && wave >= waves_wanted_) result_.reached = look();
  for (VariantResult& own : result_.variants) {
    std::size_t blocks = 0;
    for (const ProcessSamples& process : own.processes) blocks += process.blocks.size();
    if (own.failure == Failure::None && blocks < static_cast<std::size_t>(options_.min_blocks))
      own.partial = true;
  }
  result_.seconds = elapsed();
  return std::move(result_);
}

}  // namespace

BenchResult run_schedule(const std::vector<Variant>& variants, const BenchOptions& options,
                         const Machine& machine) {
  return Schedule(variants, options, machine).run();
}

}  // namespace strata

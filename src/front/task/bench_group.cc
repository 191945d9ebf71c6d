#include "task/bench_group.h"

#include <fmt/format.h>

namespace strata {

void name_files(const PlannedVariant& planned, Variant& variant) {
  variant.file = planned.source;
  variant.inputs = planned.inputs;
  variant.mix.clear();
}

namespace {

// Every planned variant; those that ran have their results.
BenchGroup with_refused(const PlannedGroup& planned, const std::vector<std::size_t>& ran,
                        BenchResult measured) {
  BenchGroup group{planned.model, planned.shape};
  const std::size_t count = planned.variants.size();
  group.result.variants.resize(count);
  group.result.speed_ups.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    VariantResult& own = group.result.variants[i];
    own.variant = planned.variants[i].variant;
    own.reason = planned.variants[i].refusal;
    if (!own.reason.empty()) own.failure = Failure::Refused;
    group.modelled_joules.push_back(planned.variants[i].joules);
  }
  for (std::size_t i = 0; i < measured.variants.size(); ++i) {
    group.result.variants[ran[i]] = std::move(measured.variants[i]);
    if (i < measured.speed_ups.size()) group.result.speed_ups[ran[i]] = measured.speed_ups[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    VariantResult& own = group.result.variants[i];
    name_files(planned.variants[i], own.variant);
    // An engine says in its own words that weights are missing.
    if (own.failure == Failure::Refused && !planned.variants[i].lacks.empty())
      own.reason = planned.variants[i].lacks;
  }
  const auto places = [&](const std::vector<std::size_t>& from, std::vector<std::size_t>& to) {
    for (const std::size_t i : from) to.push_back(ran[i]);
  };
  group.result.base = measured.base < ran.size() ? ran[measured.base] : planned.base;
  if (measured.winner) group.result.winner = ran[*measured.winner];
  places(measured.indistinct, group.result.indistinct);
  places(measured.pareto, group.result.pareto);
  group.result.reached = measured.reached;
  group.result.stopped = measured.stopped;
  group.result.seconds = measured.seconds;
  return group;
}

// The stage names the model, the variant, how many runs there were and how well times are known so
// far. The share is of the time that there is: how many runs there will be is not known.
void observe(const std::string& model, BenchOptions& options, const Observer& observer) {
  options.limits.stop = observer.stop;
  options.progress = [&model, &observer](const BenchProgress& progress) {
    std::string stage = fmt::format("{}: {}", model, progress.variant);
    if (progress.half_width > 0) stage += fmt::format(", ±{:.2f} %", 100 * progress.half_width);
    observer.show(stage, progress.done);
  };
}

}  // namespace

Result<BenchGroup> run_group(const PlannedGroup& planned, BenchOptions options,
                             const Observer& observer) {
  std::vector<std::size_t> ran;
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < planned.variants.size(); ++i) {
    if (!planned.variants[i].refusal.empty()) continue;
    if (i == planned.base) options.base = variants.size();
    ran.push_back(i);
    variants.push_back(planned.variants[i].variant);
  }
  if (variants.empty()) return with_refused(planned, ran, {});
  observe(planned.model, options, observer);
  auto measured = measure_variants(variants, options);
  if (!measured) return failure(measured);
  return with_refused(planned, ran, std::move(*measured));
}

Result<BenchAa> check_group(const PlannedGroup& planned, int trials, BenchOptions options,
                            const Observer& observer) {
  const PlannedVariant& base = planned.variants[planned.base];
  if (!base.refusal.empty()) return failure(base.refusal);
  observe(planned.model, options, observer);
  auto check = run_aa(base.variant, trials, options);
  if (!check) return failure(check);
  BenchAa aa{base.variant, *check};
  name_files(base, aa.variant);
  return aa;
}

}  // namespace strata

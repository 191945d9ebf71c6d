#include "cli/bench_run.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

namespace strata::cli {

void show_progress(const std::string& model, const BenchProgress& progress) {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::string line = fmt::format("{}: {} {:.0f} %", model, progress.variant, 100 * progress.done);
  if (progress.half_width > 0) line += fmt::format(", ±{:.2f} %", 100 * progress.half_width);
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
}

void clear_progress() {
  if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\x1b[K");
}

void name_files(const PlannedVariant& planned, Variant& variant) {
  variant.file = planned.source;
  variant.inputs = planned.inputs;
  variant.mix.clear();
}

namespace {

// Every planned variant, those that ran with what was measured.
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
  for (std::size_t i = 0; i < count; ++i)
    name_files(planned.variants[i], group.result.variants[i].variant);
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

}  // namespace

Result<BenchGroup> run_group(const PlannedGroup& planned, BenchOptions options) {
  std::vector<std::size_t> ran;
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < planned.variants.size(); ++i) {
    if (!planned.variants[i].refusal.empty()) continue;
    if (i == planned.base) options.base = variants.size();
    ran.push_back(i);
    variants.push_back(planned.variants[i].variant);
  }
  if (variants.empty()) return with_refused(planned, ran, {});
  options.progress = [&](const BenchProgress& progress) { show_progress(planned.model, progress); };
  auto measured = run_bench(variants, options);
  clear_progress();
  if (!measured) return tl::unexpected(measured.error());
  return with_refused(planned, ran, std::move(*measured));
}

}  // namespace strata::cli

// A benchmark as a document. Names of facts and columns are documented in docs/bench.md and change
// only with BenchRun::kSchema.
#include <memory>

#include <fmt/format.h>

#include "report/bench_text.h"
#include "report/footer.h"
#include "report/verdict.h"

namespace strata {

namespace {

// -1 stands for what cannot be known.
template <class Number>
Cell known(Number number) {
  return number < 0 ? Cell() : Cell(number);
}
Cell words(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

// Whole numbers from 2^62 on are texts: no cell holds them, and most programs round them.
Cell seed_cell(std::uint64_t seed) {
  if (seed > std::uint64_t{Expr::kMaxNumber}) return fmt::format("{}", seed);
  return seed;
}

template <class Lists>
Cell lists_cell(const Lists& lists) {
  Cells out;
  for (const auto& list : lists) out.push_back(list_cell(list));
  return out;
}

std::string_view name_of(LoadMode::Kind kind) {
  switch (kind) {
    case LoadMode::Kind::Closed:
      return "closed";
    case LoadMode::Kind::Rate:
      return "rate";
    case LoadMode::Kind::Sustained:
      return "sustained";
  }
  return "closed";
}

std::string_view name_of(StrataOptimization level) {
  switch (level) {
    case STRATA_OPT_NONE:
      return "off";
    case STRATA_OPT_BASIC:
      return "basic";
    case STRATA_OPT_EXTENDED:
      return "extended";
    case STRATA_OPT_ALL:
      return "all";
  }
  return "all";
}

Cell method_cell(const BenchOptions& method) {
  return Members{{"until", method.until},
                 {"max_seconds", method.max_seconds},
                 {"processes", method.processes},
                 {"min_blocks", method.min_blocks},
                 {"block_seconds", method.block_seconds},
                 {"warmup", known(method.warmup)},
                 {"seed", seed_cell(method.seed)},
                 {"timeout_seconds", method.limits.timeout_seconds},
                 {"memory_limit_bytes",
                  method.limits.memory_bytes == 0 ? Cell() : Cell(method.limits.memory_bytes)},
                 {"max_relative_error", method.answers.relative_error},
                 {"min_sqnr_db", method.answers.min_sqnr},
                 {"min_top1", method.answers.min_top1},
                 {"min_matched_boxes", method.answers.min_boxes},
                 {"load", Members{{"kind", name_of(method.load.kind)},
                                  {"rate_per_second", method.load.rate},
                                  {"poisson", method.load.poisson},
                                  {"seconds", method.load.seconds}}}};
}

Members variant_members(const Variant& variant) {
  return Members{{"label", variant.label()},
                 {"file", FilePath{variant.file}},
                 {"inputs", variant.inputs},
                 {"engine", variant.engine},
                 {"style", variant.style},
                 {"precision", variant.precision()},
                 {"asked_precision", variant.session.precision},
                 {"device", variant.session.device},
                 {"provider", variant.session.provider},
                 {"threads", variant.session.threads},
                 {"optimization", name_of(variant.session.optimization)},
                 {"options", list_cell(variant.session.options)},
                 {"batch", variant.batch}};
}

// Null if nothing was measured. Seconds are of one inference, whatever the batch is.
Cell summary_cell(const VariantResult& result, const LoadMode& load) {
  if (result.runs() == 0) return {};
  const Summary summary = result.summary();
  return Members{{"n", summary.n},
                 {"median_s", summary.median},
                 {"median_interval_s", summary.interval},
                 {"mean_s", summary.mean},
                 {"p90_s", summary.percentile(0.9)},
                 {"p99_s", summary.percentile(0.99)},
                 {"p999_s", summary.percentile(0.999)},
                 {"std_s", summary.stddev},
                 {"mad_s", summary.mad},
                 {"cv", summary.cv},
                 {"noisy", summary.cv > kNoisyCv},
                 {"min_s", summary.min},
                 {"max_s", summary.max},
                 {"outliers", summary.outliers},
                 {"samples_per_second", samples_per_second(result, load)},
                 {"load_s", median_open_seconds(result)},
                 {"first_s", median_first_seconds(result)},
                 {"peak_resident_bytes", peak_resident_bytes(result)},
                 {"runs", result.runs()},
                 {"waited", known(result.waited())},
                 {"slowed", known(result.pace().slowed)},
                 {"withheld", words(result.withheld())},
                 {"disturbed", was_disturbed(result, load)}};
}

Cell difference_cell(const std::optional<OutputDifference>& difference) {
  if (!difference) return {};
  return Members{{"max_error", difference->max_error},
                 {"relative_error", difference->relative_error},
                 {"sqnr_db", difference->sqnr},
                 {"cosine", difference->cosine},
                 {"top1", difference->top1},
                 {"top1_rows", difference->rows},
                 {"matched_boxes", difference->matched_boxes},
                 {"boxes", difference->boxes},
                 {"worst_output", difference->worst}};
}

Cell speed_up_cell(const std::optional<SpeedUp>& speed_up) {
  if (!speed_up) return {};
  const bool told = speed_up->withheld.empty();
  return Members{{"median", told ? Cell(speed_up->median) : Cell()},
                 {"interval", told ? Cell(speed_up->interval) : Cell()},
                 {"p99", speed_up->tail},
                 {"p99_interval", speed_up->tail_interval},
                 {"withheld", told ? Cell() : Cell(speed_up->withheld)}};
}

Cell process_cell(const ProcessSamples& process) {
  return Members{{"engine", process.open.engine},
                 {"open_s", process.open.open_seconds},
                 {"first_s", process.open.first_seconds},
                 {"resident_bytes", known(process.open.resident_bytes)},
                 {"peak_resident_bytes", known(process.peak_resident_bytes)},
                 {"wall_s", process.contention.wall_seconds},
                 {"cpu_s", process.contention.cpu_seconds},
                 {"wait_s", known(process.contention.wait_seconds)},
                 {"steal_s", known(process.contention.steal_seconds)},
                 {"pressure", known(process.contention.pressure)},
                 {"involuntary_switches", process.contention.involuntary},
                 {"joules", known(process.joules)},
                 {"warmup_s", list_cell(process.warmup)},
                 {"block_starts_s", list_cell(process.block_starts)},
                 {"blocks_s", lists_cell(process.blocks)},
                 {"waits_s", lists_cell(process.waits)},
                 {"waits_read", process.waits_read},
                 {"paces_s", lists_cell(process.paces)},
                 {"block_cpu_s", list_cell(process.block_cpu)},
                 {"block_switches", list_cell(process.block_switches)},
                 {"service_s", list_cell(process.service)}};
}

Cell result_cell(const BenchGroup& group, std::size_t index, const LoadMode& load) {
  const VariantResult& result = group.result.variants[index];
  Members out = variant_members(result.variant);
  out.push_back(
      {"failure", result.failure == Failure::None ? Cell() : Cell(failure_name(result.failure))});
  out.push_back({"reason", result.reason});
  out.push_back({"partial", result.partial});
  out.push_back({"file_bytes", known(result.file_bytes)});
  out.push_back({"joules", result.joules});
  out.push_back({"modelled_joules", index < group.modelled_joules.size()
                                        ? Cell(group.modelled_joules[index])
                                        : Cell()});
  out.push_back({"energy_source", result.energy_source});
  out.push_back({"utilization", result.utilization});
  out.push_back({"drift", result.drift ? Cell(Members{{"change", result.drift->change},
                                                      {"interval", result.drift->interval}})
                                       : Cell()});
  out.push_back({"difference", difference_cell(result.difference)});
  out.push_back({"speed_up", index < group.result.speed_ups.size()
                                 ? speed_up_cell(group.result.speed_ups[index])
                                 : Cell()});
  out.push_back({"summary", summary_cell(result, load)});
  Cells processes;
  for (const ProcessSamples& process : result.processes) processes.push_back(process_cell(process));
  out.push_back({"processes", std::move(processes)});
  return out;
}

Cell group_cell(const BenchGroup& group, const LoadMode& load) {
  const BenchResult& result = group.result;
  Cells variants;
  for (std::size_t i = 0; i < result.variants.size(); ++i)
    variants.push_back(result_cell(group, i, load));
  return Members{{"model", group.model},
                 {"shape", group.shape},
                 {"base", result.base},
                 {"fastest", result.has_clear_winner() ? Cell(*result.winner) : Cell()},
                 {"leads", result.winner ? Cell(*result.winner) : Cell()},
                 {"as_fast", list_cell(result.indistinct)},
                 {"pareto", list_cell(result.pareto)},
                 {"reached", result.reached},
                 {"stopped", result.stopped},
                 {"seconds", result.seconds},
                 {"variants", std::move(variants)}};
}

Cell aa_cell(const BenchAa& aa) {
  Members out = variant_members(aa.variant);
  out.push_back({"model", aa.variant.model});
  out.push_back({"trials", aa.check.trials});
  out.push_back({"pairs", aa.check.pairs});
  out.push_back({"false_rate", aa.check.false_rate});
  out.push_back({"false_rate_interval", aa.check.false_rate_interval});
  out.push_back({"sequential_rate", aa.check.sequential_rate});
  out.push_back({"smallest_difference", aa.check.smallest});
  out.push_back({"seconds", aa.check.seconds});
  return out;
}

// An A/A check has figures of its own.
Table aa_table(const BenchRun& run) {
  Table table{.name = "aa"};
  for (const char* name : {"model", "variant"}) table.columns.push_back({name, name});
  for (const char* name : {"trials", "pairs"})
    table.columns.push_back({name, name, Unit::Count, false, 0});
  table.columns.push_back(
      {"false_rate", "false_rate", Unit::Number, false, 0, ColumnType::Estimate});
  for (const char* name : {"sequential_rate", "smallest_difference", "seconds"})
    table.columns.push_back({name, name, Unit::Number, false, 0});
  for (const BenchAa& aa : run.aa) {
    const AaCheck& check = aa.check;
    table.rows.push_back(
        {.cells = {aa.variant.model, variant_text(aa.variant), check.trials, check.pairs,
                   Estimate{check.false_rate, check.false_rate_interval.low,
                            check.false_rate_interval.high},
                   check.sequential_rate, check.smallest, check.seconds}});
  }
  return table;
}

}  // namespace

Members bench_facts(const BenchRun& run) {
  Cells groups, aa;
  for (const BenchGroup& group : run.groups) groups.push_back(group_cell(group, run.method.load));
  for (const BenchAa& one : run.aa) aa.push_back(aa_cell(one));
  return {{"started", run.started},
          {"complete", run.complete},
          {"method", method_cell(run.method)},
          {"models", std::move(groups)},
          {"aa", std::move(aa)}};
}

Document measured_document(const BenchRun& given, BenchLayout layout) {
  const auto run = std::make_shared<const BenchRun>(given);
  Document document = new_document("bench");
  set_tool(document, run->program);
  document.options = run->options;
  document.machine = run->machine;
  document.facts = bench_facts(*run);
  if (!run->aa.empty()) {
    document.tables.push_back(aa_table(*run));
    document.sections.push_back(lines_section(aa_summary(*run)));
    return document;
  }
  const bool published = layout == BenchLayout::Torchblade;
  Table table = published ? torchblade_table(*run) : bench_table(*run);
  table.asides = [run](const TableStyle&) { return machine_text(run->machine); };
  if (const std::string headline = bench_headline(*run); published && !headline.empty()) {
    document.sections.push_back(lines_section(headline + "\n"));
    document.sections.back().paragraph = true;
  }
  document.sections.push_back({.table = table.name});
  document.tables.push_back(std::move(table));
  document.sections.push_back(lines_section(bench_findings(*run)));
  document.sections.back().asides = [run](const TableStyle&) { return bench_method(*run); };
  if (published) return document;
  for (const BenchGroup& group : run->groups)
    document.sections.push_back(
        {.lines = [run, &group](const TableStyle& style) { return bench_bars(group, style.width); },
         .picture = true});
  return document;
}

Document bench_document(const BenchRun& run, BenchLayout layout) {
  Document document = measured_document(run, layout);
  // A published layout has a headline of its own.
  if (run.aa.empty() && layout == BenchLayout::Own)
    document.sections.insert(document.sections.begin(), verdict_section(bench_verdict(run)));
  return document;
}

std::string bench_to_table(const BenchRun& run, const TableStyle& style, BenchLayout layout) {
  return render_table(bench_document(run, layout), style);
}

std::string bench_to_markdown(const BenchRun& run, BenchLayout layout) {
  return render_markdown(bench_document(run, layout));
}

std::string bench_to_csv(const BenchRun& run, BenchLayout layout) {
  return render_csv(bench_document(run, layout));
}

std::string bench_to_json(const BenchRun& run) { return render_json(bench_document(run)); }

}  // namespace strata

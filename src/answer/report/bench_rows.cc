// Variants as rows: for people, and for machines.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/bench_text.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

Cell words(std::string text) { return {std::move(text), Certainty::Exact}; }
Cell number(double value) { return std::isfinite(value) ? Cell{value, Certainty::Exact} : Cell{}; }
Cell number(std::optional<double> value) { return value ? number(*value) : Cell{}; }
Cell whole(std::int64_t value) { return {Expr(value), Certainty::Exact}; }

// One variant of one group, with all that its row needs.
struct RowFacts {
  const BenchRun& run;
  const BenchGroup& group;
  std::size_t index;
  const VariantResult& result;
  Summary summary;  // n is 0 if nothing was measured

  bool is_base() const { return index == group.result.base; }
  const SpeedUp* speed_up() const {
    const auto& all = group.result.speed_ups;
    return !is_base() && index < all.size() && all[index] ? &*all[index] : nullptr;
  }
  std::optional<double> modelled() const {
    const auto& all = group.modelled_joules;
    return index < all.size() ? all[index] : std::nullopt;
  }
};

using MakeCell = Cell (*)(const RowFacts& facts);

struct ColumnRule {
  Column column;
  MakeCell cell;
  bool shaped = false;  // only if sizes are varied
};

// Nothing was measured: not a zero, and not a question either.
constexpr const char* kDash = "–";

template <auto Figure>
Cell seconds_cell(const RowFacts& facts) {
  const std::optional<double> figure = facts.summary.*Figure;
  return facts.summary.n == 0 || !figure ? words(kDash) : number(*figure);
}

double per_second(const RowFacts& facts, double seconds) {
  return static_cast<double>(facts.result.variant.batch) / seconds;
}

Cell rate_cell(std::optional<double> rate) {
  return rate && *rate > 0 && std::isfinite(*rate) ? number(*rate) : words(kDash);
}

Cell median_rate(const RowFacts& facts) {
  const bool known = facts.summary.n > 0 && facts.run.method.load.kind != LoadMode::Kind::Rate;
  return rate_cell(known ? std::optional(per_second(facts, facts.summary.median)) : std::nullopt);
}

Cell mean_rate(const RowFacts& facts) {
  return rate_cell(samples_per_second(facts.result, facts.run.method.load));
}

Cell marks(const RowFacts& facts) {
  const BenchResult& result = facts.group.result;
  std::vector<std::string> all;
  if (result.winner == facts.index) all.emplace_back(result.has_clear_winner() ? "*" : "~");
  if (is_in(result.indistinct, facts.index)) all.emplace_back("~");
  if (is_in(result.pareto, facts.index)) all.emplace_back("P");
  return words(fmt::format("{}", fmt::join(all, " ")));
}

// ----- for people

Cell interval_cell(const RowFacts& facts) {
  if (facts.summary.n == 0) return words(kDash);
  if (!facts.summary.interval) return words(fmt::format("n/a (n={})", facts.summary.n));
  return words(fmt::format("{} – {}", human_seconds(facts.summary.interval->low),
                           human_seconds(facts.summary.interval->high)));
}

template <int Thousandths>
Cell percentile_cell(const RowFacts& facts) {
  return words(facts.summary.n == 0 ? kDash : percentile_text(facts.summary, Thousandths / 1000.0));
}

Cell cv_cell(const RowFacts& facts) {
  if (!facts.summary.cv) return words(kDash);
  return words(
      fmt::format("{:.1f} %{}", 100 * *facts.summary.cv, facts.summary.cv > kNoisyCv ? "!" : ""));
}

Cell speed_up_cell(const RowFacts& facts) {
  if (facts.is_base() && facts.summary.n > 0) return words("base");
  const SpeedUp* speed_up = facts.speed_up();
  if (speed_up == nullptr) return words(kDash);
  if (!speed_up->withheld.empty()) return words("withheld");
  return meaning(meaning_of(speed_up->interval),
                 words(speed_up_text(speed_up->median, speed_up->interval)));
}

Cell tail_cell(const RowFacts& facts) {
  if (facts.is_base() && facts.summary.n > 0) return words("base");
  const SpeedUp* speed_up = facts.speed_up();
  if (speed_up == nullptr) return words(kDash);
  if (!speed_up->tail) return words("n/a");
  return words(speed_up->tail_interval ? speed_up_text(*speed_up->tail, *speed_up->tail_interval)
                                       : fmt::format("{:.2f}×", *speed_up->tail));
}

Cell answer_cell(const RowFacts& facts) {
  if (facts.is_base() && facts.result.failure == Failure::None) return words("base");
  const std::string text = difference_text(facts.result);
  // With other inputs than the base's, the first answer is what others must give.
  const bool is_reference = text.empty() && facts.summary.n > 0;
  return words(is_reference ? "reference" : text.empty() ? kDash : text);
}

Cell optional_seconds(std::optional<double> seconds) {
  return seconds ? number(*seconds) : words(kDash);
}
Cell optional_bytes(std::optional<std::int64_t> bytes) {
  return bytes && *bytes >= 0 ? whole(*bytes) : words(kDash);
}

const std::vector<ColumnRule>& shown_columns() {
  static const std::vector<ColumnRule> kColumns = {
      {{"model", "Model", Unit::Text, false, 0},
       [](const RowFacts& f) { return words(f.group.model); }},
      {{"backend", "Backend", Unit::Text, false, 0},
       [](const RowFacts& f) { return words(backend_text(f.result.variant)); }},
      {{"precision", "Precision", Unit::Text, false, 0},
       [](const RowFacts& f) { return words(f.result.variant.precision()); }},
      {{"threads", "Threads", Unit::Count, false, 1},
       [](const RowFacts& f) {
         const int threads = f.result.variant.session.threads;
         return threads > 0 ? whole(threads) : words("its own");
       }},
      {{"batch", "Batch", Unit::Count, false, 1},
       [](const RowFacts& f) { return whole(f.result.variant.batch); }},
      {{"shape", "Shape", Unit::Text, false, 0},
       [](const RowFacts& f) { return words(f.group.shape); },
       true},
      {{"median_fps", "Median(FPS)", Unit::Count, false, 2}, median_rate},
      {{"mean_fps", "Mean(FPS)", Unit::Count, false, 3}, mean_rate},
      {{"median", "Median", Unit::Seconds, false, 0}, seconds_cell<&Summary::median>},
      {{"interval", "95 % interval", Unit::Seconds, false, 7}, interval_cell},
      {{"mean", "Mean", Unit::Seconds, false, 3}, seconds_cell<&Summary::mean>},
      {{"p90", "p90", Unit::Seconds, false, 12}, percentile_cell<900>},
      {{"p99", "p99", Unit::Seconds, false, 2}, percentile_cell<990>},
      {{"std", "Std", Unit::Seconds, false, 4}, seconds_cell<&Summary::stddev>},
      {{"mad", "MAD", Unit::Seconds, false, 11}, seconds_cell<&Summary::mad>},
      {{"cv", "CV", Unit::Percent, false, 5}, cv_cell},
      {{"min", "Min", Unit::Seconds, false, 11}, seconds_cell<&Summary::min>},
      {{"n", "n", Unit::Count, false, 6},
       [](const RowFacts& f) {
         return words(f.summary.n == 0 ? kDash : grouped(static_cast<std::int64_t>(f.summary.n)));
       }},
      {{"speed_up", "Speedup", Unit::Count, false, 0}, speed_up_cell},
      {{"speed_up_p99", "at p99", Unit::Count, false, 9}, tail_cell},
      {{"difference", "Difference", Unit::Count, false, 5}, answer_cell},
      {{"load", "Load", Unit::Seconds, false, 8},
       [](const RowFacts& f) { return optional_seconds(median_open_seconds(f.result)); }},
      {{"first", "First", Unit::Seconds, false, 8},
       [](const RowFacts& f) { return optional_seconds(median_first_seconds(f.result)); }},
      {{"peak", "Peak mem", Unit::Bytes, false, 7},
       [](const RowFacts& f) { return optional_bytes(peak_resident_bytes(f.result)); }},
      {{"file", "File", Unit::Bytes, false, 9},
       [](const RowFacts& f) { return optional_bytes(f.result.file_bytes); }},
      {{"energy", "Energy", Unit::Picojoules, false, 10},
       [](const RowFacts& f) {
         return words(f.summary.n == 0 ? kDash : energy_text(f.result, f.modelled()));
       }},
      {{"marks", "", Unit::Text, false, 0}, marks},
      {{"result", "Result", Unit::Text, false, 0},
       [](const RowFacts& f) {  // a column without a word is not shown
         const std::string outcome = outcome_text(f.result);
         const bool refused = f.result.failure != Failure::None;
         return meaning(refused ? Meaning::Refused : Meaning::Plain,
                        words(outcome == "ok" ? "" : outcome));
       }},
  };
  return kColumns;
}

// ----- for machines

template <auto Figure>
Cell plain_seconds(const RowFacts& facts) {
  const std::optional<double> figure = facts.summary.*Figure;
  return facts.summary.n == 0 || !figure ? Cell{} : number(*figure);
}

Cell estimate_cell(double value, const std::optional<Interval>& interval) {
  if (!interval) return number(value);
  return Estimate{value, interval->low, interval->high};
}

template <int TenThousandths>
Cell plain_percentile(const RowFacts& facts) {
  if (facts.summary.n == 0) return {};
  return number(facts.summary.percentile(TenThousandths / 10000.0));
}

template <auto Figure>
Cell plain_difference(const RowFacts& facts) {
  if (!facts.result.difference) return {};
  return number((*facts.result.difference).*Figure);
}

Cell plain_bytes(std::optional<std::int64_t> bytes) {
  return bytes && *bytes >= 0 ? whole(*bytes) : Cell{};
}

template <auto Figure>
Cell plain_speed_up(const RowFacts& facts) {
  const SpeedUp* speed_up = facts.speed_up();
  return speed_up == nullptr ? Cell{} : Figure(*speed_up);
}

// Keeps a hundred of many runs, evenly spaced in their order, so that a chart can show their
// spread.
Cell spread_cell(const std::vector<double>& sorted) {
  constexpr std::size_t kMost = 100;
  if (sorted.empty()) return {};
  const std::size_t count = std::min(kMost, sorted.size());
  Cells out;
  for (std::size_t i = 0; i < count; ++i)
    out.emplace_back(sorted[count == 1 ? 0 : i * (sorted.size() - 1) / (count - 1)]);
  return out;
}

const std::vector<ColumnRule>& plain_columns() {
  const auto text = [](const char* name, MakeCell cell) {
    return ColumnRule{{name, name, Unit::Text, false, 0}, cell};
  };
  const auto plain = [](const char* name, Unit unit, MakeCell cell) {
    return ColumnRule{{name, name, unit, false, 0}, cell};
  };
  const auto estimate = [](const char* name, Unit unit, MakeCell cell) {
    return ColumnRule{{name, name, unit, false, 0, ColumnType::Estimate}, cell};
  };
  const auto truth = [](const char* name, MakeCell cell) {
    return ColumnRule{{name, name, Unit::Text, false, 0, ColumnType::Truth}, cell};
  };
  static const std::vector<ColumnRule> kColumns = {
      text("model", [](const RowFacts& f) { return words(f.group.model); }),
      text("backend", [](const RowFacts& f) { return words(backend_text(f.result.variant)); }),
      text("precision", [](const RowFacts& f) { return words(f.result.variant.precision()); }),
      plain("threads", Unit::Count,
            [](const RowFacts& f) { return whole(f.result.variant.session.threads); }),
      plain("batch", Unit::Count, [](const RowFacts& f) { return whole(f.result.variant.batch); }),
      text("shape", [](const RowFacts& f) { return words(f.group.shape); }),
      plain("median_fps", Unit::Count,
            [](const RowFacts& f) {
              const Cell cell = median_rate(f);
              return std::holds_alternative<double>(cell.value) ? cell : Cell{};
            }),
      plain("mean_fps", Unit::Count,
            [](const RowFacts& f) {
              return number(samples_per_second(f.result, f.run.method.load));
            }),
      estimate("median_s", Unit::Seconds,
               [](const RowFacts& f) {
                 if (f.summary.n == 0) return Cell{};
                 return estimate_cell(f.summary.median, f.summary.interval);
               }),
      plain("mean_s", Unit::Seconds, plain_seconds<&Summary::mean>),
      plain("p90_s", Unit::Seconds, plain_percentile<9000>),
      plain("p99_s", Unit::Seconds, plain_percentile<9900>),
      plain("p999_s", Unit::Seconds, plain_percentile<9990>),
      plain("std_s", Unit::Seconds, plain_seconds<&Summary::stddev>),
      plain("mad_s", Unit::Seconds, plain_seconds<&Summary::mad>),
      plain("cv", Unit::Number, plain_seconds<&Summary::cv>),
      plain("min_s", Unit::Seconds, plain_seconds<&Summary::min>),
      plain("n", Unit::Count,
            [](const RowFacts& f) { return whole(static_cast<std::int64_t>(f.summary.n)); }),
      plain("outliers", Unit::Count,
            [](const RowFacts& f) { return whole(static_cast<std::int64_t>(f.summary.outliers)); }),
      estimate("speed_up", Unit::Number, plain_speed_up<[](const SpeedUp& s) {
                 return s.withheld.empty() ? estimate_cell(s.median, s.interval) : Cell{};
               }>),
      estimate("speed_up_p99", Unit::Number, plain_speed_up<[](const SpeedUp& s) {
                 return s.tail ? estimate_cell(*s.tail, s.tail_interval) : Cell{};
               }>),
      plain("max_error", Unit::Number, plain_difference<&OutputDifference::max_error>),
      plain("relative_error", Unit::Number, plain_difference<&OutputDifference::relative_error>),
      plain("sqnr_db", Unit::Decibels, plain_difference<&OutputDifference::sqnr>),
      plain("cosine", Unit::Number, plain_difference<&OutputDifference::cosine>),
      plain("top1", Unit::Number, plain_difference<&OutputDifference::top1>),
      plain("matched_boxes", Unit::Number, plain_difference<&OutputDifference::matched_boxes>),
      plain("load_s", Unit::Seconds,
            [](const RowFacts& f) { return number(median_open_seconds(f.result)); }),
      plain("first_s", Unit::Seconds,
            [](const RowFacts& f) { return number(median_first_seconds(f.result)); }),
      plain("peak_bytes", Unit::Bytes,
            [](const RowFacts& f) { return plain_bytes(peak_resident_bytes(f.result)); }),
      plain("file_bytes", Unit::Bytes,
            [](const RowFacts& f) { return plain_bytes(f.result.file_bytes); }),
      plain("joules", Unit::Number, [](const RowFacts& f) { return number(f.result.joules); }),
      plain("modelled_joules", Unit::Number,
            [](const RowFacts& f) { return number(f.modelled()); }),
      plain("utilization", Unit::Number,
            [](const RowFacts& f) { return number(f.result.utilization); }),
      plain("drift", Unit::Number,
            [](const RowFacts& f) {
              return f.result.drift ? number(f.result.drift->change) : Cell{};
            }),
      truth("base", [](const RowFacts& f) { return Cell(f.is_base()); }),
      truth("fastest",
            [](const RowFacts& f) {
              const BenchResult& result = f.group.result;
              return Cell(result.has_clear_winner() && result.winner == f.index);
            }),
      truth("as_fast",
            [](const RowFacts& f) { return Cell(is_in(f.group.result.indistinct, f.index)); }),
      truth("pareto",
            [](const RowFacts& f) { return Cell(is_in(f.group.result.pareto, f.index)); }),
      ColumnRule{{"spread_s", "spread_s", Unit::Seconds, false, 0, ColumnType::List},
                 [](const RowFacts& f) { return spread_cell(f.summary.sorted); }},
      text("result", [](const RowFacts& f) { return words(outcome_text(f.result)); }),
      text("reason", [](const RowFacts& f) { return words(f.result.reason); }),
      text("withheld",
           [](const RowFacts& f) {
             const SpeedUp* speed_up = f.speed_up();
             return words(speed_up == nullptr ? f.result.withheld() : speed_up->withheld);
           }),
      plain("waited", Unit::Number,
            [](const RowFacts& f) {
              return f.result.waited() < 0 ? Cell{} : number(f.result.waited());
            }),
  };
  return kColumns;
}

}  // namespace

Table bench_table(const BenchRun& run) {
  const bool shaped = std::any_of(run.groups.begin(), run.groups.end(),
                                  [](const BenchGroup& group) { return !group.shape.empty(); });
  Table table{.name = "variants"};
  std::vector<MakeCell> shown;
  for (const ColumnRule& rule : plain_columns()) table.columns.push_back(rule.column);
  for (const ColumnRule& rule : shown_columns()) {
    if (rule.shaped && !shaped) continue;
    table.shown_columns.push_back(rule.column);
    shown.push_back(rule.cell);
  }
  for (const BenchGroup& group : run.groups)
    for (std::size_t i = 0; i < group.result.variants.size(); ++i) {
      const VariantResult& result = group.result.variants[i];
      const RowFacts facts{run, group, i, result,
                           result.runs() == 0 ? Summary{} : result.summary()};
      TableRow& row = table.rows.emplace_back();
      for (const ColumnRule& rule : plain_columns()) row.cells.push_back(rule.cell(facts));
      for (const MakeCell& cell : shown) row.shown.push_back(cell(facts));
    }
  return table;
}

}  // namespace strata

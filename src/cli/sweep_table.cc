#include "cli/sweep_table.h"

#include <set>

#include <fmt/format.h>

#include "strata/report/bench.h"

namespace strata::cli {

namespace {

struct Gathered {
  BenchRun run;  // the groups of all jobs, one after the other
  std::vector<std::string> failed;
  std::set<std::string> processors;
};

Gathered gather(const std::vector<JournalEntry>& entries) {
  Gathered out;
  bool first = true;
  for (const JournalEntry& entry : entries) {
    if (entry.failed()) {
      const auto& error = entry.record["error"];
      out.failed.push_back(fmt::format("{}: {}", entry.job,
                                       error.is_string() ? error.get<std::string>() : "failed"));
      continue;
    }
    const auto result = entry.record.find("result");
    auto run = bench_from_json(result == entry.record.end() ? "null" : result->dump(), entry.job);
    if (!run) {
      out.failed.push_back(run.error().message);
      continue;
    }
    for (const auto& [key, value] : run->machine)
      if (key == "cpu") out.processors.insert(value);
    if (std::exchange(first, false))
      out.run = std::move(*run);
    else
      for (BenchGroup& group : run->groups) out.run.groups.push_back(std::move(group));
  }
  return out;
}

}  // namespace

std::string sweep_table(const std::vector<JournalEntry>& entries, const std::string& format,
                        std::size_t width) {
  const Gathered all = gather(entries);
  if (format == "csv") return bench_to_csv(all.run);
  std::string text;
  if (!all.run.groups.empty()) {
    TableStyle style;
    style.width = width;
    text = format == "md" ? bench_to_markdown(all.run) : bench_to_table(all.run, style);
  }
  if (all.processors.size() > 1)
    text +=
        fmt::format("\nMeasured on {} kinds of processor: compare rows of one model, not models.\n",
                    all.processors.size());
  if (!all.failed.empty()) text += '\n';
  for (const std::string& failed : all.failed) text += fmt::format("failed: {}\n", failed);
  return text;
}

}  // namespace strata::cli

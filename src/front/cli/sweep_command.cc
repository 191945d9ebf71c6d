// Many models × settings, each a `strata bench` in a process of its own; what is done is
// in the results file, so a sweep that was stopped goes on where it was.
#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/visible.h"
#include "bench/own_program.h"
#include "cli/command.h"
#include "cli/job_display.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/task/sweep.h"
#include "strata/task/sweep_scripts.h"

namespace strata::cli {

namespace {

struct Options {
  std::string plan;
  std::string output;
  std::string shard = "1/1";
  std::string emit;
  TableOptions table;
  std::uint64_t shards = 0;
  int jobs = 1;
  bool retry = false;
  bool list = false;
};

std::vector<std::string> bench_command(const std::string& program, const SweepJob& job) {
  std::vector<std::string> words{program, "bench"};
  words.insert(words.end(), job.arguments.begin(), job.arguments.end());
  words.insert(words.end(), {"--format", "json"});
  return words;
}

std::string default_output(const std::string& plan) {
  const std::size_t dot = plan.ends_with(".toml") ? plan.size() - 5 : plan.size();
  return plan.substr(0, dot) + ".jsonl";
}

Result<int> emit_script(const Options& options, const SweepPlan& plan) {
  SweepScript script{plan.name, plan.jobs.size()};
  script.parts = options.shards > 0 ? options.shards : std::max<std::size_t>(plan.jobs.size(), 1);
  script.output = options.output;
  script.run = [&](const std::string& part, const std::string& output) {
    return fmt::format("strata sweep {} --shard {} -o {}", shell_word(options.plan), part, output);
  };
  script.merge = [](const std::string& files, const std::string& output) {
    return fmt::format("strata merge {} -o {}", files, output);
  };
  const auto text = options.emit == "slurm" ? slurm_script(script) : make_script(script);
  if (!text) return failure(text);
  return ended(write_output("", *text));
}

Result<int> run(Options options) {
  auto plan = read_sweep(options.plan);
  if (!plan) return failure(plan);
  const auto shard = of_option("--shard", parse_shard(options.shard));
  if (!shard) return failure(shard);
  if (options.output.empty()) options.output = default_output(options.plan);
  if (!options.emit.empty()) return emit_script(options, *plan);

  SweepRequest request;
  request.jobs = jobs_of(*plan, *shard);
  if (options.list) {
    std::string text;
    for (const SweepJob& job : request.jobs)
      text += fmt::format("strata bench {}\n", visible(job.key));
    return ended(write_output("", text));
  }
  if (auto status = options.table.check("sweep"); !status) return failure(status);
  request.output = options.output;
  const auto program = own_program();
  if (!program) return failure(program);
  request.command = [&program](const SweepJob& job) { return bench_command(*program, job); };
  request.at_once = options.jobs;
  request.retry = options.retry;
  request.caller.program = version_text();
  JobDisplay display(true, "strata: ");
  const auto done = display.run(run_sweep, request);
  if (!done) return failure(done);
  std::string summary =
      fmt::format("{} of {} jobs done ({} of them before); results are in {}\n",
                  done->before + done->now, request.jobs.size(), done->before, options.output);
  if (done->left > 0)
    summary += fmt::format("{} left: run the same command to do them\n", done->left);
  Document document = sweep_document(done->results);
  document.sections.push_back(lines_section(summary));
  if (done->left > 0 && !is_standard_output(options.table.output))
    return options.table.print_partial(std::move(document));
  return options.table.print(std::move(document), done->left > 0     ? kInterrupted
                                                  : done->all_failed ? kFailed
                                                                     : kFine);
}

}  // namespace

Command add_sweep(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("sweep", "benchmark many models and settings; resumable");
  app->add({{"plan", &options->plan},
            {"--output", &options->output},
            {"--jobs", &options->jobs},
            {"--shard", &options->shard},
            {"--emit", &options->emit},
            {"--shards", &options->shards},
            {"--retry", &options->retry},
            {"--list", &options->list}});
  options->table.add_to(*app, Exact::Numbers, "--table");
  for (const char* other : {"--emit", "--list"})
    app->exclude({"--format"}, other, "nothing is run");
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli

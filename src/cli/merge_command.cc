// Results of a sweep's parts in one file.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/sweep_journal.h"
#include "cli/sweep_table.h"
#include "write/output_file.h"

namespace strata::cli {

namespace {

struct Options {
  std::vector<std::string> files;
  std::string output;
  std::string format = "table";
};

constexpr const char* kFooter =
    "A job that is in several files is taken from the first in which it did not fail.\n"
    "\n"
    "Example:\n"
    "  strata merge part1.jsonl part2.jsonl -o all.jsonl";

Result<int> run(const Options& options) {
  std::vector<std::vector<JournalEntry>> files;
  std::size_t read = 0;
  for (const std::string& path : options.files) {
    auto entries = read_journal(path);
    if (!entries) return tl::unexpected(entries.error());
    read += entries->size();
    files.push_back(std::move(*entries));
  }
  const std::vector<JournalEntry> merged = merge_entries(files);
  if (!options.output.empty()) {
    auto file = OutputFile::create(options.output);
    if (!file) return tl::unexpected(file.error());
    for (const JournalEntry& entry : merged)
      if (auto status = file->write(entry.record.dump() + "\n"); !status)
        return tl::unexpected(status.error());
    if (auto status = file->commit(); !status) return tl::unexpected(status.error());
  }
  std::string text = sweep_table(merged, options.format, terminal_width());
  if (options.format == "table") {
    std::size_t failed = 0;
    for (const JournalEntry& entry : merged) failed += entry.failed() ? 1 : 0;
    text += fmt::format("\n{} entries from {} files: {} jobs, {} of them failed{}\n", read,
                        files.size(), merged.size(), failed,
                        options.output.empty() ? "" : "; written to " + options.output);
  }
  if (auto status = write_output("", text); !status) return tl::unexpected(status.error());
  return kFine;
}

}  // namespace

Command add_merge(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("merge", "results of a sweep's parts in one file");
  app->add_option("files", options->files, "results of `strata sweep`")
      ->required()
      ->option_text("FILE…");
  app->add_option("-o,--output", options->output, "where to write them")->option_text("FILE");
  app->add_option("--format", options->format, "of what is printed: table, csv, md")
      ->check(CLI::IsMember({"table", "csv", "md"}))
      ->option_text("FORMAT");
  app->footer(kFooter);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli

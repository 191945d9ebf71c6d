// What every subcommand shares: how it is registered, how it fails.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "strata/base/result.h"

// Its header takes long to compile: it is included where options are added.
namespace CLI {
class App;
}

namespace strata::cli {

// Exit codes of the program.
enum ExitCode : int {
  kFine = 0,
  kFailed = 1,
  kUsage = 2,
  kBudget = 3,
  kBug = 70,
  kInterrupted = 130,  // as shells have it for Ctrl-C; what there was is printed
};
int exit_code(const Error& error);

// A subcommand adds itself to the program; `run` is called if it was chosen and
// gives the exit code.
struct Command {
  CLI::App* app;
  std::function<Result<int>()> run;
};

Command add_stat(CLI::App& program);
Command add_explain(CLI::App& program);
Command add_payload(CLI::App& program);
Command add_calibrate(CLI::App& program);
Command add_sensitivity(CLI::App& program);
Command add_ops(CLI::App& program);
Command add_zoo(CLI::App& program);
Command add_engines(CLI::App& program);
Command add_bench(CLI::App& program);
Command add_quantize(CLI::App& program);
Command add_optimize(CLI::App& program);
Command add_sweep(CLI::App& program);
Command add_merge(CLI::App& program);
Command add_worker(CLI::App& program);  // hidden: a process of `bench`

// Writes all of it to stdout, or to a file; a full disk is an error, a closed
// pipe is not.
Status write_output(const std::string& path, const std::string& text);

std::string version_text();  // `strata 0.1.0`

// Every option that was given, for the receipt in the JSON.
std::vector<std::pair<std::string, std::string>> given_options(const CLI::App& app);

// Columns of the terminal on stdout; 0 (as wide as it gets) if it is none.
std::size_t terminal_width();
bool wants_color();

}  // namespace strata::cli

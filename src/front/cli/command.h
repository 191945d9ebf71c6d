// Shared by all subcommands: registration and failure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"

namespace strata::cli {

class App;  // options.h

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
// Returns the exit code of the command's last step.
Result<int> ended(const Status& last, int code = kFine);
// Returns the exit code of an interrupted command and says the sentence.
int interrupted(std::string_view sentence = "interrupted: the results are partial");

// Passes on a value that was read from an option's text. A mistake in it is named by the option:
// `--dim N: …`.
template <class T>
Result<T> of_option(std::string_view option, Result<T> read) {
  if (read) return read;
  Error error = read.error();
  error.message = std::string(option) + " " + error.message;
  const std::string name(option.substr(0, option.find(':')));
  return failure(coded(Code::OptionValue, {.name = name}, std::move(error)));
}

// A subcommand adds itself to the program; `run` is called if it was chosen and
// gives the exit code.
struct Command {
  App* app;
  std::function<Result<int>()> run;
};

Command add_stat(App& program);
Command add_explain(App& program);
Command add_payload(App& program);
Command add_calibrate(App& program);
Command add_calibrate_device(App& program);
Command add_sensitivity(App& program);
Command add_ops(App& program);
Command add_formats(App& program);
Command add_zoo(App& program);
Command add_zoo_table(App& zoo);  // its subcommands
Command add_zoo_export(App& zoo);
Command add_engines(App& program);
Command add_devices(App& program);
Command add_predict(App& program);
Command add_llm(App& program);
Command add_bench(App& program);
Command add_quantize(App& program);
Command add_optimize(App& program);
Command add_sweep(App& program);
Command add_merge(App& program);
Command add_lint(App& program);
Command add_diff(App& program);
Command add_check(App& program);
Command add_page(App& program);
Command add_rerun(App& program);
Command add_request(App& program);  // hidden: other programs send it
Command add_help(App& program);
Command add_man(App& program);
Command add_completion(App& program);
Command add_worker(App& program);  // hidden: a process of `bench`

// Adds the command that the first word of the command line names. All of them if it names none, or
// one that is about the others; none for --version.
std::vector<Command> add_commands(App& program, std::string_view first);
bool is_command(std::string_view name);
std::vector<std::string> command_names();  // those that people type

std::string version_text();  // `strata 0.3.0`

// Columns of the terminal on stdout; 0 (as wide as it gets) if it is none.
std::size_t terminal_width();
// Its lines; 0 if stdout is not a terminal.
std::size_t terminal_height();

}  // namespace strata::cli

#include "cli/commands.h"

#include <algorithm>

namespace strata::cli {

namespace {

// A command's options take longer to make than a small model to read, so only the ones that are
// needed are made; a name has to be known before.
struct Row {
  std::string_view name;
  Command (*add)(App& program);
};
constexpr Row kCommands[] = {
    {"stat", add_stat},
    {"explain", add_explain},
    {"payload", add_payload},
    {"bench", add_bench},
    {"calibrate", add_calibrate},
    {"sensitivity", add_sensitivity},
    {"quantize", add_quantize},
    {"optimize", add_optimize},
    {"sweep", add_sweep},
    {"merge", add_merge},
    {"lint", add_lint},
    {"diff", add_diff},
    {"check", add_check},
    {"zoo", add_zoo},
    {"ops", add_ops},
    {"engines", add_engines},
    // Hidden.
    {"worker", add_worker},
};

}  // namespace

std::vector<Command> add_commands(App& program, std::string_view first) {
  std::vector<Command> commands;
  if (first == "--version") return commands;
  const bool all = !is_command(first);
  for (const Row& row : kCommands)
    if (all || row.name == first) commands.push_back(row.add(program));
  return commands;
}

bool is_command(std::string_view name) {
  return std::any_of(std::begin(kCommands), std::end(kCommands),
                     [&](const Row& row) { return row.name == name; });
}

}  // namespace strata::cli

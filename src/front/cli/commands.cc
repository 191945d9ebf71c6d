#include "cli/command.h"

#include <algorithm>

namespace strata::cli {

namespace {

// A command's options take longer to make than a small model to read, so only the ones that are
// needed are made; a name has to be known before.
struct Row {
  std::string_view name;
  Command (*add)(App& program);
  bool is_about_others = false;
};
constexpr std::string_view kHidden[] = {"request", "worker"};
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
    {"formats", add_formats},
    {"page", add_page},
    {"rerun", add_rerun},
    {"zoo", add_zoo},
    {"ops", add_ops},
    {"engines", add_engines},
    {"devices", add_devices},
    {"predict", add_predict},
    {"calibrate-device", add_calibrate_device},
    {"llm", add_llm},
    // About the others.
    {"completion", add_completion, true},
    {"help", add_help, true},
    {"man", add_man, true},
    // Not for people.
    {kHidden[0], add_request},
    {kHidden[1], add_worker},
};

const Row* find(std::string_view name) {
  const auto row = std::find_if(std::begin(kCommands), std::end(kCommands),
                                [&](const Row& one) { return one.name == name; });
  return row == std::end(kCommands) ? nullptr : row;
}

}  // namespace

std::vector<Command> add_commands(App& program, std::string_view first) {
  std::vector<Command> commands;
  if (first == "--version" || first == "-V") return commands;
  const Row* only = find(first);
  if (only != nullptr && only->is_about_others) only = nullptr;
  for (const Row& row : kCommands)
    if (only == nullptr || only == &row) commands.push_back(row.add(program));
  return commands;
}

bool is_command(std::string_view name) { return find(name) != nullptr; }

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Row& row : kCommands)
    if (std::find(std::begin(kHidden), std::end(kHidden), row.name) == std::end(kHidden))
      names.emplace_back(row.name);
  return names;
}

}  // namespace strata::cli

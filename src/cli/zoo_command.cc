#include "cli/zoo_command.h"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "strata/zoo/zoo.h"

namespace strata::cli {

namespace {

struct ZooOptions {
  std::string name;
};

std::string list_networks() {
  std::size_t width = 0;
  for (const zoo::Entry& entry : zoo::entries()) width = std::max(width, entry.name.size());
  std::string out;
  for (const zoo::Entry& entry : zoo::entries())
    out += fmt::format("{:<{}}  {}\n", entry.name, width, entry.summary);
  return out +
         "\nWrite zoo:NAME wherever a model is expected; `strata zoo NAME` shows its parameters.\n";
}

std::string range_of(const zoo::Parameter& parameter) {
  switch (parameter.kind) {
    case zoo::ParameterKind::Size:
      return "a size, or a name for an open one";
    case zoo::ParameterKind::Whole:
      return fmt::format("{:.0f} to {:.0f}", parameter.least, parameter.most);
    case zoo::ParameterKind::Real:
      return fmt::format("{} to {}", parameter.least, parameter.most);
    case zoo::ParameterKind::Choice:
      return std::string(parameter.choices);
  }
  return "";
}

std::string describe_network(const zoo::Entry& entry) {
  std::string out = fmt::format("{}: {}\n", entry.name, entry.summary);
  std::size_t width = 0;
  for (const zoo::Parameter& parameter : entry.parameters)
    width = std::max(width, parameter.name.size() + parameter.usual.size() + 1);
  for (const zoo::Parameter& parameter : entry.parameters)
    out += fmt::format("  {:<{}}  {} ({})\n", fmt::format("{}={}", parameter.name, parameter.usual),
                       width, parameter.help, range_of(parameter));
  if (!entry.parameters.empty())
    out += fmt::format("\n  strata stat 'zoo:{}?{}={}'\n", entry.name, entry.parameters[0].name,
                       entry.parameters[0].usual);
  return out;
}

Result<int> run_zoo(const ZooOptions& options) {
  std::string out;
  if (options.name.empty()) {
    out = list_networks();
  } else {
    std::string_view name = options.name;
    if (name.starts_with(zoo::kPrefix)) name.remove_prefix(zoo::kPrefix.size());
    const zoo::Entry* entry = zoo::find(name);
    if (entry == nullptr) return tl::unexpected(zoo::build(name).error());
    out = describe_network(*entry);
  }
  if (auto status = write_output("", out); !status) return tl::unexpected(status.error());
  return kFine;
}

}  // namespace

Command add_zoo(CLI::App& program) {
  auto options = std::make_shared<ZooOptions>();
  CLI::App* app = program.add_subcommand("zoo", "the built-in networks; a table of them; export");
  app->footer(
      "Examples:\n"
      "  strata zoo\n"
      "  strata zoo mobilenet_v2\n"
      "  strata zoo table --count rasp-2020 --energy rasp\n"
      "  strata zoo export 'mobilenet_v2?width=0.5' -o small.onnx\n"
      "  strata stat 'zoo:mobilenet_v2?width=0.5&resolution=160&batch=8'");
  app->add_option("name", options->name, "one network, with its parameters")->option_text("NAME");
  const Command parts[] = {add_zoo_table(*app), add_zoo_export(*app)};
  return {app, [options, table = parts[0], exported = parts[1]]() -> Result<int> {
            if (table.app->parsed()) return table.run();
            if (exported.app->parsed()) return exported.run();
            return run_zoo(*options);
          }};
}

}  // namespace strata::cli

#include "cli/zoo_command.h"

#include <fmt/format.h>

#include "cli/options.h"
#include "cli/output.h"
#include "report/zoo.h"
#include "strata/zoo/zoo.h"

namespace strata::cli {

namespace {

struct ZooOptions {
  std::string name;
};

Result<int> run_zoo(const ZooOptions& options) {
  std::string out;
  if (options.name.empty()) {
    out =
        networks_to_text() +
        "\nWrite zoo:NAME wherever a model is expected; `strata zoo NAME` shows its parameters.\n";
  } else {
    std::string_view name = options.name;
    if (name.starts_with(zoo::kPrefix)) name.remove_prefix(zoo::kPrefix.size());
    const zoo::Entry* entry = zoo::find(name.substr(0, name.find('?')));
    // With arguments, or of a name that does not exist, it has to be one that can be built.
    if (entry == nullptr || name != entry->name)
      if (const auto built = zoo::build(name); !built) return failure(built);
    out = network_to_text(*entry);
    if (!entry->parameters.empty())
      out += fmt::format("\n  strata stat 'zoo:{}?{}={}'\n", entry->name, entry->parameters[0].name,
                         entry->parameters[0].usual);
  }
  if (auto status = write_output("", out); !status) return failure(status);
  return kFine;
}

}  // namespace

Command add_zoo(App& program) {
  auto options = std::make_shared<ZooOptions>();
  App* app = program.add_subcommand("zoo", "the built-in networks; a table of them; export");
  app->footer(
      "Examples:\n"
      "  strata zoo\n"
      "  strata zoo mobilenet_v2\n"
      "  strata zoo table --count rasp-2020 --energy rasp\n"
      "  strata zoo export 'mobilenet_v2?width=0.5' -o small.onnx\n"
      "  strata stat 'zoo:mobilenet_v2?width=0.5&resolution=160&batch=8'");
  app->add_option("name NAME", options->name, "one network, with its parameters");
  const Command parts[] = {add_zoo_table(*app), add_zoo_export(*app)};
  return {app, [options, table = parts[0], exported = parts[1]]() -> Result<int> {
            if (table.app->parsed()) return table.run();
            if (exported.app->parsed()) return exported.run();
            return run_zoo(*options);
          }};
}

}  // namespace strata::cli

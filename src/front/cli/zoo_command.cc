#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "report/zoo.h"
#include "strata/llm/read.h"
#include "strata/read/source.h"
#include "strata/zoo/zoo.h"

namespace strata::cli {

namespace {

struct ZooOptions {
  std::string name;
  TableOptions table;
};

Status write_all(const TableOptions& table) {
  Document document = networks_document();
  document.notes.push_back(
      "Write zoo:NAME wherever a model is expected; `strata zoo NAME` explains its parameters.");
  document.notes.push_back(
      fmt::format("Published language models, for `strata llm` and to be counted: {}",
                  fmt::join(llm::zoo_names(), ", ")));
  return table.write(std::move(document));
}

Status write_one(const ZooOptions& options) {
  const Source source(options.name);
  const std::string name = source.is_zoo() ? source.short_name() : options.name;
  const zoo::Entry* entry = zoo::find(std::string_view(name).substr(0, name.find('?')));
  // With arguments, or of a name that does not exist, it has to be one that can be built.
  if (entry == nullptr || name != entry->name)
    if (const auto built = zoo::build(name); !built) return failure(built);
  std::string text = network_to_text(*entry);
  if (!entry->parameters.empty())
    text += fmt::format("\n  strata stat 'zoo:{}?{}={}'\n", entry->name, entry->parameters[0].name,
                        entry->parameters[0].usual);
  return options.table.write(text);
}

Result<int> run_zoo(const ZooOptions& options) {
  return ended(options.name.empty() ? write_all(options.table) : write_one(options));
}

}  // namespace

Command add_zoo(App& program) {
  auto options = std::make_shared<ZooOptions>();
  App* app = program.add_subcommand("zoo", "list, compare or export the built-in networks");
  options->table.add_to_list(*app, options->name, "network");
  const Command parts[] = {add_zoo_table(*app), add_zoo_export(*app)};
  return {app, [options, table = parts[0], exported = parts[1]]() -> Result<int> {
            if (table.app->parsed()) return table.run();
            if (exported.app->parsed()) return exported.run();
            return run_zoo(*options);
          }};
}

}  // namespace strata::cli

#include <fmt/format.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/table_options.h"
#include "manual/option_groups.h"
#include "options/options.h"
#include "report/operators.h"

namespace strata::cli {

namespace {

struct Options {
  std::string name;
  TableOptions table;

  // True if many operators are asked for: all, or those of a domain.
  bool lists() const { return name.empty() || is_operator_domain(name); }
};

Status write_all(const TableOptions& table, std::string_view domain) {
  if (table.chooses() || table.has_all())
    return table.write(operators_document(domain, table.format() == "json"));
  if (table.format() == "md") return table.write(operators_to_markdown(domain));
  return table.write(operators_to_text(domain) +
                     "\n`strata ops NAME` shows an operator's worked examples.\n");
}

Status write_one(const Options& options) {
  const std::string text = operator_to_text(options.name);
  if (text.empty())
    return failure(
        fmt::format("there is no operator \"{}\"{}; `strata ops` lists all operators", options.name,
                    did_you_mean(options.name, manual::words_of("strata ops", "name"))),
        ErrorKind::Usage);
  return options.table.write(text);
}

Result<int> run(const Options& options) {
  return ended(options.lists() ? write_all(options.table, options.name) : write_one(options));
}

}  // namespace

Command add_ops(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("ops", "list the supported operators");
  options->table.add_to_list(*app, options->name, "operator",
                             [options] { return options->lists(); });
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli

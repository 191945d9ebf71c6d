#include "cli/stat_weights.h"

#include <algorithm>

#include <fmt/format.h>

#include "options/options.h"

namespace strata::cli {

namespace {

// What means the same for any table; the other options of `stat` need a graph.
constexpr std::string_view kOfAnyTable[] = {
    "model",    "--report", "--depth", "--columns", "--sort",  "--top",   "--filter", "--format",
    "--output", "-o",       "--exact", "--width",   "--color", "--limit", "--chart",  "--paths"};

Status check_options(const App& app, const std::string& path) {
  for (const auto& [name, value] : given_options(app)) {
    const bool is_known = std::any_of(
        std::begin(kOfAnyTable), std::end(kOfAnyTable), [&name = name](std::string_view known) {
          return name == known || (known.starts_with("--") && name == known.substr(2));
        });
    if (!is_known)
      return failure(fmt::format("{} has weights and no graph, and --{} needs one", path,
                                 name.substr(std::min(name.find_first_not_of('-'), name.size()))),
                     ErrorKind::Usage);
  }
  return {};
}

}  // namespace

Result<int> stat_weights(const App& app, const WeightsRequest& request, const ProfileView& view,
                         TableOptions& table) {
  if (Status status = check_options(app, request.path); !status) return failure(status);
  if (Status status = table.check("weights"); !status) return failure(status);
  auto outcome = run_weights(request);
  if (!outcome) return failure(outcome);
  table.limit_to(outcome->weights.file_bytes, request.limit);
  // These options are those of layers, and mean the same here.
  if (Status status = choose(outcome->document, {.columns = view.columns, .sort = view.sort});
      !status)
    return failure(status);
  if (Status status = table.write(std::move(outcome->document)); !status) return failure(status);
  return kFine;
}

}  // namespace strata::cli

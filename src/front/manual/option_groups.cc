#include "manual/option_groups.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ops/registry.h"
#include "strata/cost/convention.h"
#include "strata/cost/energy.h"
#include "strata/engine/engine.h"
#include "strata/profile/profile.h"
#include "strata/task/bench_text.h"
#include "strata/zoo/zoo.h"

namespace strata::manual {

namespace {

constexpr std::string_view kOwn = "Options";

struct Group {
  std::string_view name;
  std::vector<std::string_view> options;
};

// In the order of --help.
const std::vector<Group>& groups() {
  static const std::vector<Group> kGroups = {
      {"Arguments", {}},
      {kOwn, {}},
      {"Model",
       {"--input", "--dim", "--batch", "--model", "--shapes", "--allow-outside-data", "--limit"}},
      {"Samples",
       {"--data", "--random", "--samples", "--offset", "--spread", "--seed", "--labels",
        "--held-out", "--preset", "--resize", "--crop", "--scale", "--mean", "--std",
        "--image-layout", "--channels"}},
      {"Ranges",
       {"--ranges", "--method", "--percentile", "--bits", "--symmetric", "--per-channel"}},
      {"Counting",
       {"--count", "--energy", "--load-work", "--as-stored", "--arena", "--tflm",
        "--device-memory"}},
      {"Engine",
       {"--engine", "--engine-path", "--device", "--provider", "--threads", "--precision",
        "--trust-model"}},
      {"Device", {"--on", "--device-file"}},
      {"Measuring",
       {"--time", "--memory", "--measured", "--roofline", "--view", "--runs", "--max-time",
        "--warmup", "--no-time", "--until", "--processes", "--max-wait", "--memory-limit", "--rate",
        "--poisson", "--sustained", "--aa", "--trials"}},
      {"Table",
       {"--report", "--depth", "--fuse", "--all", "--layout", "--columns", "--sort", "--top",
        "--filter", "--exact", "--notes", "--width"}},
      {"Output",
       {"--format", "--output", "--table", "--save", "--plot", "--chart", "--with-paths", "--color",
        "--strict"}},
      {"Help", {"--help", "--help-all", "--version"}},
  };
  return kGroups;
}

std::size_t rank_of(std::string_view group) {
  const auto& all = groups();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Group& one) { return one.name == group; });
  return static_cast<std::size_t>(at - all.begin());
}

std::vector<std::string> networks(std::string_view prefix) {
  std::vector<std::string> names;
  for (const zoo::Entry& entry : zoo::entries())
    names.push_back(std::string(prefix) + std::string(entry.name));
  return names;
}

std::vector<std::string> engines() {
  std::vector<std::string> names = engine_names();
  std::erase(names, "fake");  // which is for tests
  return names;
}

std::vector<std::string> operators() {
  std::vector<std::string> names;
  for (const Dialect& dialect : dialects())
    for (const Family& family : dialect.families)
      for (const OpRule& rule : family.rules)
        if (std::find(names.begin(), names.end(), rule.name) == names.end())
          names.emplace_back(rule.name);
  return names;
}

// In the short help of every command that has them.
constexpr std::string_view kCommon[] = {
    "--input",       "--dim",     "--batch",      "--data",     "--random",   "--samples",
    "--labels",      "--ranges",  "--method",     "--metric",   "--engine",   "--threads",
    "--precision",   "--time",    "--max-time",   "--until",    "--report",   "--depth",
    "--columns",     "--sort",    "--top",        "--notes",    "--format",   "--output",
    "--table",       "--budget",  "--baseline",   "--fail-on",  "--split",    "--cuts",
    "--boundaries",  "--link",    "--edge",       "--server",   "--on",       "--context",
    "--weights",     "--explain", "--keep-float", "--min-sqnr", "--max-drop", "--pair",
    "--int8",        "--retry",   "--jobs",       "--list",     "--count",    "--help",
    "--device-file", "--model"};

}  // namespace

bool is_common(std::string_view option) {
  return std::find(std::begin(kCommon), std::end(kCommon), option) != std::end(kCommon);
}

std::string_view group_of(std::string_view option) {
  for (const Group& group : groups())
    if (std::find(group.options.begin(), group.options.end(), option) != group.options.end())
      return group.name;
  return kOwn;
}

std::vector<std::string> words_of(std::string_view command, std::string_view option) {
  if (option == "model" || option == "models" || (option == "--model" && command == "strata lint"))
    return networks(zoo::kPrefix);
  if (option == "name" && command.starts_with("strata zoo")) return networks("");
  if (option == "--engine" || (option == "name" && command == "strata engines")) return engines();
  if (option == "name" && command == "strata ops") return operators();
  if (option == "--count") return convention_names();
  if (option == "--energy") return energy_model_names();
  if (option == "--precision") return precision_names();
  if ((option == "--columns" || option == "--sort") && command == "strata stat")
    return column_names();
  return {};
}

std::string name_lists() {
  constexpr std::size_t kWidth = 76;
  const auto list = [](std::string_view what, const std::vector<std::string>& names) {
    std::string out(what), line;
    for (const std::string& name : names) {
      if (line.size() + name.size() > kWidth) out += "\n  " + std::exchange(line, "");
      line += (line.empty() ? "" : " ") + name;
    }
    return out + "\n  " + line + "\n";
  };
  return list("Columns (NAME% is a share of the total):", column_names()) +
         list("Counting conventions:", convention_names()) +
         list("Energy models:", energy_model_names());
}

void sort_by_group(std::vector<OptionFacts>& options) {
  std::stable_sort(options.begin(), options.end(), [](const OptionFacts& a, const OptionFacts& b) {
    return rank_of(a.group) < rank_of(b.group);
  });
}

}  // namespace strata::manual

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "ops/registry.h"

namespace strata::cli {

namespace {

struct OpsOptions {
  std::string name;
  std::string format = "table";
  std::string output;
};

std::string domain_name(const OpRule& rule) {
  return rule.domain.empty() ? "ai.onnx" : std::string(rule.domain);
}

std::string versions(const OpRule& rule) {
  if (rule.until != 0) return fmt::format("{}–{}", rule.since, rule.until);
  return fmt::format("{}+", rule.since);
}

// One operator with its worked examples.
std::string describe_rule(const OpRule& rule) {
  std::string out =
      fmt::format("{} ({}, version {})\n", rule.name, domain_name(rule), versions(rule));
  for (const Example& example : rule.examples) {
    out += fmt::format("\n  inputs      {}\n", example.inputs);
    if (!example.attributes.empty()) out += fmt::format("  attributes  {}\n", example.attributes);
    out += fmt::format("  outputs     {}\n", example.outputs);
    if (example.cost.macs >= 0) out += fmt::format("  MACs        {}\n", example.cost.macs);
    if (example.cost.flops >= 0) out += fmt::format("  FLOPs       {}\n", example.cost.flops);
    if (example.opset > 0) out += fmt::format("  opset       {}\n", example.opset);
  }
  return out;
}

std::string list_rules() {
  std::map<std::string, std::vector<std::string>> by_domain;
  for (const Family& family : families())
    for (const OpRule& rule : family.rules) by_domain[domain_name(rule)].emplace_back(rule.name);
  std::string out;
  for (auto& [domain, names] : by_domain) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    out += fmt::format("{} ({})\n", domain, names.size());
    std::string line = " ";
    for (const std::string& op : names) {
      if (line.size() + op.size() > 96) out += line + "\n", line = " ";
      line += " " + op;
    }
    out += line + "\n";
  }
  return out + "\n`strata ops NAME` shows an operator's worked examples.\n";
}

// docs/operators.md
std::string markdown_rules() {
  std::string out =
      "# Operators\n\nMade by `strata ops --format md`; do not edit.\n\n"
      "Every operator below has a shape rule and a cost rule. `strata ops NAME` shows its worked\n"
      "examples.\n";
  for (const Family& family : families()) {
    out += fmt::format(
        "\n## {}\n\n| operator | domain | versions | example | MACs | FLOPs "
        "|\n|---|---|---|---|---:|---:|\n",
        family.name);
    for (const OpRule& rule : family.rules) {
      std::string example, macs, flops;
      if (!rule.examples.empty()) {
        const Example& first = rule.examples.front();
        example = fmt::format("`{}{}{} → {}`", first.inputs, first.attributes.empty() ? "" : "; ",
                              first.attributes, first.outputs);
        if (first.cost.macs >= 0) macs = fmt::format("{}", first.cost.macs);
        if (first.cost.flops >= 0) flops = fmt::format("{}", first.cost.flops);
      }
      out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", rule.name, domain_name(rule),
                         versions(rule), example, macs, flops);
    }
  }
  return out;
}

Result<int> run_ops(const OpsOptions& options) {
  std::string out;
  if (options.name.empty()) {
    out = options.format == "md" ? markdown_rules() : list_rules();
  } else {
    for (const Family& family : families())
      for (const OpRule& rule : family.rules)
        if (rule.name == options.name) out += (out.empty() ? "" : "\n") + describe_rule(rule);
    if (out.empty())
      return failure(
          fmt::format("no rule for an operator \"{}\"; `strata ops` lists those there are",
                      options.name),
          ErrorKind::Usage);
  }
  if (auto status = write_output(options.output, out); !status)
    return tl::unexpected(status.error());
  return kFine;
}

}  // namespace

Command add_ops(CLI::App& program) {
  auto options = std::make_shared<OpsOptions>();
  CLI::App* app = program.add_subcommand("ops", "the operators that have rules");
  app->footer("Examples:\n  strata ops\n  strata ops Conv");
  app->add_option("name", options->name, "one operator, with its worked examples")
      ->option_text("NAME");
  app->add_option("--format", options->format, "table, md")->check(CLI::IsMember({"table", "md"}));
  app->add_option("-o,--output", options->output, "write to a file")->option_text("FILE");
  return {app, [options] { return run_ops(*options); }};
}

}  // namespace strata::cli

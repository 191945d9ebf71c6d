#include "report/operators.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "ops/registry.h"
#include "strata/document/document.h"

namespace strata {

namespace {

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

std::string example_text(const Example& example) {
  return fmt::format("{}{}{} → {}", example.inputs, example.attributes.empty() ? "" : "; ",
                     example.attributes, example.outputs);
}

Cell known(std::int64_t count) { return count >= 0 ? Cell(count) : Cell(); }

}  // namespace

Document operators_document() {
  Document document = new_document("operators");
  Table table{.name = "operators",
              .columns = {{"operator", "Operator"},
                          {"domain", "Domain"},
                          {"versions", "Versions"},
                          {"family", "Family"},
                          {.name = "example", .title = "Example", .priority = 3},
                          {.name = "macs", .title = "MACs", .unit = Unit::Macs, .priority = 2},
                          {.name = "flops", .title = "FLOPs", .unit = Unit::Flops, .priority = 1}}};
  for (const Family& family : families())
    for (const OpRule& rule : family.rules) {
      TableRow row{.cells = {std::string(rule.name), domain_name(rule), versions(rule),
                             std::string(family.name), Cell(), Cell(), Cell()}};
      if (!rule.examples.empty()) {
        const Example& first = rule.examples.front();
        row.cells[4] = example_text(first);
        row.cells[5] = known(first.cost.macs);
        row.cells[6] = known(first.cost.flops);
      }
      table.rows.push_back(std::move(row));
    }
  document.tables.push_back(std::move(table));
  return document;
}

std::string operators_to_text() {
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
  return out;
}

std::string operators_to_markdown() {
  std::string out =
      "# Operators\n\nMade by the program; do not edit.\n\n"
      "Every operator below has a shape rule, a cost rule and worked examples.\n";
  for (const Family& family : families()) {
    out += fmt::format(
        "\n## {}\n\n| operator | domain | versions | example | MACs | FLOPs "
        "|\n|---|---|---|---|---:|---:|\n",
        family.name);
    for (const OpRule& rule : family.rules) {
      std::string example, macs, flops;
      if (!rule.examples.empty()) {
        const Example& first = rule.examples.front();
        example = fmt::format("`{}`", example_text(first));
        if (first.cost.macs >= 0) macs = fmt::format("{}", first.cost.macs);
        if (first.cost.flops >= 0) flops = fmt::format("{}", first.cost.flops);
      }
      out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", rule.name, domain_name(rule),
                         versions(rule), example, macs, flops);
    }
  }
  return out;
}

std::string operator_to_text(std::string_view name) {
  std::string out;
  for (const Family& family : families())
    for (const OpRule& rule : family.rules)
      if (rule.name == name) out += (out.empty() ? "" : "\n") + describe_rule(rule);
  return out;
}

}  // namespace strata

#include "report/operators.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "ops/aten_schema.h"
#include "ops/aten_table.h"
#include "ops/ncnn_table.h"
#include "ops/openvino_table.h"
#include "ops/registry.h"
#include "ops/tflite_table.h"
#include "strata/document/document.h"

namespace strata {

namespace {

std::string domain_name(const OpRule& rule) {
  return rule.domain.empty() ? "ai.onnx" : std::string(rule.domain);
}

// Dialects other than ONNX have no versions.
bool has_versions(const OpRule& rule) {
  return !is_of_torch(rule.domain) && rule.domain != kTflite && rule.domain != kNcnn &&
         rule.domain != kOpenvino;
}

std::string versions(const OpRule& rule) {
  if (!has_versions(rule)) return "";
  if (rule.until != 0) return fmt::format("{}–{}", rule.since, rule.until);
  return fmt::format("{}+", rule.since);
}

// One operator with its worked examples.
std::string describe_rule(const OpRule& rule) {
  std::string out = fmt::format("{} ({}{}{})\n", rule.name, domain_name(rule),
                                has_versions(rule) ? ", version " : "", versions(rule));
  if (!rule.like.empty()) out += fmt::format("\n  {} in ONNX\n", rule.like);
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

// Calls f with the families and rows of one domain, or of all.
template <class F>
void for_rules(std::string_view domain, F f) {
  for (const Dialect& dialect : dialects())
    for (const Family& family : dialect.families)
      for (const OpRule& rule : family.rules)
        if (domain.empty() || domain_name(rule) == domain) f(family, rule);
}

Cell known(std::int64_t count) { return count >= 0 ? Cell(count) : Cell(); }

// torch's names for the types of arguments.
std::string_view kind_name(AtenArgument::Kind kind) {
  constexpr std::string_view kNames[] = {"Tensor", "Tensor?", "Tensor[]", "Tensor?[]",
                                         "int",    "float",   "bool",     "str",
                                         "Scalar", "int[]",   "float[]",  "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string default_text(const AtenArgument& argument) {
  if (argument.required()) return "";
  const Attribute attribute = argument.default_attribute();
  if (const auto* whole = std::get_if<std::int64_t>(&attribute.value))
    return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<float>(&attribute.value)) return fmt::format("{}", *real);
  if (const auto* text = std::get_if<std::string_view>(&attribute.value))
    return fmt::format("'{}'", *text);
  if (const auto* list = std::get_if<std::span<const std::int64_t>>(&attribute.value))
    return fmt::format("[{}]", fmt::join(*list, ","));
  if (const auto* list = std::get_if<std::span<const float>>(&attribute.value))
    return fmt::format("[{}]", fmt::join(*list, ","));
  return "None";
}

// A table of the arguments and results of PyTorch's operators.
Table arguments_table() {
  Table table{.name = "arguments",
              .columns = {{"operator", "Operator"},
                          {"role", "Role"},
                          {"name", "Name"},
                          {"kind", "Kind"},
                          {"default", "Default"}}};
  const auto add = [&](const AtenSchema& schema, const AtenArgument& argument, bool result) {
    table.rows.push_back(
        {.cells = {std::string(schema.name()), std::string(result ? "result" : "argument"),
                   std::string(argument.name()), std::string(kind_name(argument.kind)),
                   result ? std::string() : default_text(argument)}});
  };
  for (const AtenSchema* schema : aten_schemas()) {
    for (const AtenArgument& argument : schema->arguments()) add(*schema, argument, false);
    for (const AtenArgument& result : schema->results()) add(*schema, result, true);
  }
  return table;
}

}  // namespace

bool is_operator_domain(std::string_view domain) {
  bool found = false;
  for_rules(domain, [&](const Family&, const OpRule&) { found = true; });
  return found && !domain.empty();
}

Document operators_document(std::string_view domain, bool arguments) {
  Document document = new_document("operators");
  Table table{.name = "operators",
              .columns = {{"operator", "Operator"},
                          {"domain", "Domain"},
                          {"versions", "Versions"},
                          {"family", "Family"},
                          {.name = "example", .title = "Example", .priority = 3},
                          {.name = "macs", .title = "MACs", .unit = Unit::Macs, .priority = 2},
                          {.name = "flops", .title = "FLOPs", .unit = Unit::Flops, .priority = 1}}};
  for_rules(domain, [&](const Family& family, const OpRule& rule) {
    TableRow row{.cells = {std::string(rule.name), domain_name(rule), versions(rule),
                           std::string(family.name), Cell(), Cell(), Cell()}};
    if (!rule.examples.empty()) {
      const Example& first = rule.examples.front();
      row.cells[4] = example_text(first);
      row.cells[5] = known(first.cost.macs);
      row.cells[6] = known(first.cost.flops);
    }
    table.rows.push_back(std::move(row));
  });
  document.tables.push_back(std::move(table));
  if (arguments && domain == kAten) document.tables.push_back(arguments_table());
  return document;
}

std::string operators_to_text(std::string_view domain) {
  std::map<std::string, std::vector<std::string>> by_domain;
  for_rules(domain, [&](const Family&, const OpRule& rule) {
    by_domain[domain_name(rule)].emplace_back(rule.name);
  });
  std::string out;
  for (auto& [name, names] : by_domain) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    out += fmt::format("{} ({})\n", name, names.size());
    std::string line = " ";
    for (const std::string& op : names) {
      if (line.size() + op.size() > 96) out += line + "\n", line = " ";
      line += " " + op;
    }
    out += line + "\n";
  }
  return out;
}

std::string operators_to_markdown(std::string_view domain) {
  std::string out =
      "# Operators\n\nMade by the program; do not edit.\n\n"
      "Every operator below has a cost rule and worked examples, and those of ONNX a shape rule: "
      "files\n"
      "of PyTorch state their shapes.\n";
  std::string_view shown;
  for_rules(domain, [&](const Family& family, const OpRule& rule) {
    if (family.name != shown)
      out += fmt::format(
          "\n## {}\n\n| operator | domain | versions | example | MACs | FLOPs "
          "|\n|---|---|---|---|---:|---:|\n",
          family.name);
    shown = family.name;
    std::string example, macs, flops;
    if (!rule.examples.empty()) {
      const Example& first = rule.examples.front();
      example = fmt::format("`{}`", example_text(first));
      if (first.cost.macs >= 0) macs = fmt::format("{}", first.cost.macs);
      if (first.cost.flops >= 0) flops = fmt::format("{}", first.cost.flops);
    }
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", rule.name, domain_name(rule),
                       versions(rule), example, macs, flops);
  });
  return out;
}

std::string operator_to_text(std::string_view name) {
  std::string out;
  for_rules({}, [&](const Family&, const OpRule& rule) {
    if (rule.name == name) out += (out.empty() ? "" : "\n") + describe_rule(rule);
  });
  return out;
}

}  // namespace strata

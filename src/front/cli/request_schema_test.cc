// data/schemas/request.json says what data/options/ says: which options each command has, and what
// they take. STRATA_UPDATE=1 writes it.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "options/options.h"

namespace strata::cli {
namespace {

constexpr const char* kFile = STRATA_SOURCE_DIR "/data/schemas/request.json";
constexpr std::string_view kStart = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://strata.invalid/schemas/request.json",
  "title": "What strata is asked for: a command and its options, as documents record them",
  "type": "object",
  "additionalProperties": false,
  "required": ["command"],
  "properties": {"command": {"type": "string"}, "options": {"type": "object"}},
)";
constexpr std::string_view kTypes = R"(  "$defs": {
    "flag": {"enum": [true, false, "true", null]},
    "scalar": {"type": ["string", "number"]},
    "list": {"type": "array", "items": {"$ref": "#/$defs/scalar"}},
    "object": {
      "description": "Each member is KEY=VALUE.",
      "type": "object",
      "additionalProperties": {"anyOf": [{"$ref": "#/$defs/scalar"}, {"$ref": "#/$defs/list"}]}
    },
    "value": {
      "description": "One value; a list or an object is one with commas between.",
      "anyOf": [{"type": "null"}, {"$ref": "#/$defs/scalar"}, {"$ref": "#/$defs/list"}, {"$ref": "#/$defs/object"}]
    },
    "values": {
      "description": "One value, or each of a list or an object.",
      "anyOf": [{"type": "null"}, {"$ref": "#/$defs/scalar"}, {"$ref": "#/$defs/list"}, {"$ref": "#/$defs/object"}]
    })";

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string type_of(const manual::OptionFacts& option) {
  if (option.value.empty() && !option.positional) return "\"$ref\": \"#/$defs/flag\"";
  if (option.repeatable) return "\"$ref\": \"#/$defs/values\"";
  if (option.takes_others || option.words.empty()) return "\"$ref\": \"#/$defs/value\"";
  std::string words;
  for (const std::string& word : option.words) words += quoted(word) + ", ";
  return fmt::format("\"enum\": [{}null]", words);
}

std::string schema() {
  App program("", "strata");
  add_commands(program, "");
  const manual::CommandFacts facts = program.facts();
  std::string choices, commands;
  std::string names;
  for (const manual::CommandFacts* command : manual::all_commands(facts)) {
    if (command == &facts) continue;
    const std::string name = command->name.substr(facts.name.size() + 1);
    std::string options, required;
    for (const manual::OptionFacts& option : command->options) {
      if (option.name == "--help" || option.name == "--help-all") continue;
      options +=
          fmt::format("{}\n        {}: {{\"description\": {}, {}}}", options.empty() ? "" : ",",
                      quoted(option.name), quoted(option.help), type_of(option));
      if (option.required) required += (required.empty() ? "" : ", ") + quoted(option.name);
    }
    choices += fmt::format(
        "{}    {{\"if\": {{\"properties\": {{\"command\": {{\"const\": {}}}}}}},\n"
        "     \"then\": {{\"properties\": {{\"options\": {{\"$ref\": \"#/$defs/{}\"}}}}{}}}}}",
        choices.empty() ? "" : ",\n", quoted(name), name,
        required.empty() ? "" : ", \"required\": [\"options\"]");
    commands += fmt::format(
        ",\n    {}: {{\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n"
        "      \"required\": [{}],\n      \"properties\": {{{}\n      }}\n    }}",
        quoted(name), required, options);
    names += (names.empty() ? "" : ", ") + quoted(name);
  }
  std::string start(kStart);
  const std::string any = R"({"type": "string"})";
  start.replace(start.find(any), any.size(), fmt::format("{{\"enum\": [{}]}}", names));
  return fmt::format("{}  \"allOf\": [\n{}\n  ],\n{}{}\n  }}\n}}\n", start, choices, kTypes,
                     commands);
}

TEST(RequestSchema, IsThatOfTheTables) {
  const std::string wanted = schema();
  if (std::getenv("STRATA_UPDATE") != nullptr) std::ofstream(kFile) << wanted;
  std::ifstream file(kFile);
  const std::string there{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(there == wanted)
      << "data/schemas/request.json is not up to date; STRATA_UPDATE=1 writes it";
}

}  // namespace
}  // namespace strata::cli

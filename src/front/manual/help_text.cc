#include "manual/help_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "strata/base/number_text.h"

namespace strata::manual {

namespace {

constexpr std::size_t kColumn = 24;  // where explanations begin

// A name, and beside it an explanation in as many lines as it takes.
void add_entry(std::string& out, const std::string& name, std::string_view help) {
  std::string line = "  " + name;
  std::size_t used = display_width(line);
  if (used + 2 > kColumn) {
    out += line + "\n";
    line.clear();
    used = 0;
  }
  line.append(kColumn - used, ' ');
  used = kColumn;
  while (!help.empty()) {
    const std::string_view word = help.substr(0, help.find(' '));
    help.remove_prefix(std::min(help.size(), word.size() + 1));
    const bool is_first = used == kColumn;
    if (!is_first && used + 1 + display_width(word) > kHelpWidth) {
      out += line + "\n";
      line.assign(kColumn, ' ');
      used = kColumn;
    }
    if (used > kColumn) line += ' ', ++used;
    line += word;
    used += display_width(word);
  }
  out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string shown_name(const OptionFacts& option) {
  if (option.positional) return option.value.empty() ? option.name : option.value;
  return fmt::format("{}{}{}{}{}", option.short_name, option.short_name.empty() ? "" : ", ",
                     option.name, option.value.empty() ? "" : " ", option.value);
}

void add_commands(std::string& out, const CommandFacts& command) {
  if (command.parts.empty()) return;
  out += "\nCommands:\n";
  for (const CommandFacts& part : command.parts)
    add_entry(out, part.name.substr(command.name.size() + 1), part.about);
}

// So few options are not worth hiding.
constexpr std::size_t kFewHidden = 5;

std::size_t count_hidden(const CommandFacts& command) {
  return static_cast<std::size_t>(std::count_if(
      command.options.begin(), command.options.end(),
      [](const OptionFacts& option) { return !option.positional && !option.common; }));
}

void add_common_options(std::string& out, const CommandFacts& command, std::size_t hidden) {
  for (const bool positional : {true, false}) {
    out += positional ? "" : "\nCommon options:\n";
    bool first = positional;
    for (const OptionFacts& option : command.options) {
      if (option.positional != positional || (!positional && !option.common)) continue;
      if (std::exchange(first, false)) out += "\nArguments:\n";
      add_entry(out, shown_name(option), option.help);
    }
  }
  out += fmt::format("\n{} --help-all explains {} more options.\n", command.name, hidden);
}

// In the order in which the groups come up.
void add_options(std::string& out, const CommandFacts& command) {
  std::vector<std::string> groups;
  for (const OptionFacts& option : command.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  for (const std::string& group : groups) {
    out += "\n" + group + ":\n";
    for (const OptionFacts& option : command.options)
      if (option.group == group) add_entry(out, shown_name(option), option.help);
  }
}

}  // namespace

std::string usage_line(const CommandFacts& command) {
  std::string line = command.name + " [OPTIONS]";
  for (const OptionFacts& option : command.options)
    if (option.positional)
      line += option.required ? " " + shown_name(option) : " [" + shown_name(option) + "]";
  return takes_command(command) ? line + " COMMAND" : line;
}

std::string help_text(const CommandFacts& command, bool all) {
  std::string out =
      fmt::format("{}: {}\n\nUsage: {}\n", command.name, command.about, usage_line(command));
  add_commands(out, command);
  const std::size_t hidden = count_hidden(command);
  const bool is_short = !all && hidden > kFewHidden;
  if (is_short)
    add_common_options(out, command, hidden);
  else
    add_options(out, command);
  if (!is_short && !command.lists.empty()) out += "\n" + command.lists;
  if (!command.notes.empty()) out += "\n" + command.notes;
  return out;
}

std::string short_help_text(const CommandFacts& program) {
  std::string out =
      fmt::format("{}: {}\n\nUsage: {}\n", program.name, program.about, usage_line(program));
  add_commands(out, program);
  return out + fmt::format(
                   "\nTo begin: `{0} MODEL`, or `{0} zoo:resnet50` without a file.\n"
                   "`{0} help COMMAND` explains a command, `{0} help` shows examples.\n",
                   program.name);
}

}  // namespace strata::manual

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual/completion.h"

namespace strata::manual {

namespace {

std::string fish_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string own_names(const CommandFacts& command) {
  std::string names;
  for (const CommandFacts& part : command.parts)
    names += " " + part.name.substr(command.name.size() + 1);
  return names;
}

// When the cursor is in an argument of the command, and not of one of its subcommands.
std::string condition_of(const CommandFacts& command) {
  std::string out;
  std::string_view words = command.name;
  while (words.find(' ') != words.npos) {
    words.remove_prefix(words.find(' ') + 1);
    out += fmt::format("{}__fish_seen_subcommand_from {}", out.empty() ? "" : "; and ",
                       words.substr(0, words.find(' ')));
  }
  if (command.parts.empty()) return out;
  return fmt::format("{}{}not __fish_seen_subcommand_from{}", out, out.empty() ? "" : "; and ",
                     own_names(command));
}

// The text before the last comma of a list is put before every word.
constexpr const char* kList = R"(function __{0}_list
    set -l head (commandline -ct | string replace -r '^--[^=]*=' '' | string match -r '.*,')
    set -q head[1]; or set head ''
    printf '%s\n' $head$argv
end
)";

// `-x -a 'a b'`: what follows is one of these words; `-r -F`: a file; `-x`: any text.
std::string values_of(const OptionFacts& option, const std::string& program) {
  const bool files = option.takes_file() || option.takes_folder();
  std::string out = files ? " -r -F" : " -x";
  const std::string words = fmt::format("{}", fmt::join(option.words, " "));
  if (!words.empty() && option.takes_list())
    out += fmt::format(" -a '(__{}_list {})'", program, words);
  else if (!words.empty())
    out += fmt::format(" -a '{}'", words);
  return out;
}

void add_option(std::string& out, const std::string& start, const OptionFacts& option,
                const std::string& program) {
  if (option.positional) {
    if (!option.words.empty())
      out += fmt::format("{} -a '{}'\n", start, fmt::join(option.words, " "));
    if (option.takes_file()) out += start + " -F\n";
    return;
  }
  out += fmt::format("{} -l {}", start, option.name.substr(2));
  if (!option.short_name.empty()) out += " -s " + option.short_name.substr(1);
  if (!option.value.empty()) out += values_of(option, program);
  out += fmt::format(" -d {}\n", fish_text(option.help));
}

}  // namespace

std::string fish_completion(const CommandFacts& program) {
  std::string out =
      fmt::format("# Completion for fish, written by `{0} completion fish`.\n", program.name) +
      fmt::format(kList, program.name) + fmt::format("complete -c {} -f\n", program.name);
  for (const CommandFacts* command : all_commands(program)) {
    const std::string start =
        fmt::format("complete -c {} -n {}", program.name, fish_text(condition_of(*command)));
    for (const CommandFacts& part : command->parts)
      out += fmt::format("{} -a {} -d {}\n", start, part.name.substr(command->name.size() + 1),
                         fish_text(part.about));
    for (const OptionFacts& option : command->options) add_option(out, start, option, program.name);
  }
  return out;
}

}  // namespace strata::manual

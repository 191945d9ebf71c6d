#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual/completion.h"

namespace strata::manual {

namespace {

constexpr const char* kBefore = R"(#compdef {0}
# Completion for zsh, written by `{0} completion zsh`.
)";

constexpr const char* kAfter = R"(
if [[ $funcstack[1] == _{0} ]]; then
  _{0} "$@"
else
  compdef _{0} {0}
fi
)";

std::string function_name(const std::string& command) {
  std::string name = "_" + command;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// A text within single quotes, with a backslash before each of `special`.
std::string quoted(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') out += "'\\'";
    if (special.find(c) != special.npos) out += '\\';
    out += c;
  }
  return out;
}

// Completes an option's value: a function for each list of words, which is there once.
class Actions {
 public:
  explicit Actions(std::string program) : program_(std::move(program)) {}

  std::string action_of(const OptionFacts& option) {
    const char* files = option.takes_file()     ? "_files"
                        : option.takes_folder() ? "_files -/"
                                                : nullptr;
    if (option.words.empty()) return files == nullptr ? " " : files;
    std::string body;
    if (files != nullptr) body += fmt::format("  {} \"$@\"\n", files);
    // The text before the last comma stays; another value may follow.
    if (option.takes_list()) body += "  compset -P '*,'\n";
    body += fmt::format("  compadd \"$@\"{} -- {}\n", option.takes_list() ? " -S ''" : "",
                        fmt::join(option.words, " "));
    const auto [at, is_new] =
        names_.emplace(body, fmt::format("_{}_values_{}", program_, names_.size() + 1));
    if (is_new) functions_ += fmt::format("{}() {{\n{}}}\n", at->second, body);
    return at->second;
  }
  const std::string& functions() const { return functions_; }

 private:
  std::string program_, functions_;
  std::map<std::string, std::string> names_;  // by what they do
};

// `'(-o --output)'{-o,--output=}'[where it goes]:FILE:_files'`
std::string option_spec(const OptionFacts& option, Actions& actions) {
  const std::string help = quoted(option.help, "[]\\");
  const std::string equals = option.value.empty() ? "" : "=";
  const std::string value =
      option.value.empty()
          ? ""
          : fmt::format(":{}:{}", quoted(option.value, ":\\"), actions.action_of(option));
  if (option.short_name.empty())
    return fmt::format("'{}{}{}[{}]{}'", option.repeatable ? "*" : "", option.name, equals, help,
                       value);
  return fmt::format("'({0} {1})'{{{0},{1}{2}}}'[{3}]{4}'", option.short_name, option.name, equals,
                     help, value);
}

std::string argument_spec(const OptionFacts& option, std::size_t place, Actions& actions) {
  return fmt::format("'{}:{}{}:{}'", option.repeatable ? "*" : std::to_string(place),
                     option.required || option.repeatable ? "" : ":", quoted(option.value, ":\\"),
                     actions.action_of(option));
}

// Subcommands stand where the first argument may stand, too.
OptionFacts command_argument(const CommandFacts& command) {
  OptionFacts argument{.name = "command", .value = "COMMAND", .positional = true};
  for (const OptionFacts& option : command.options)
    if (option.positional) argument = option;
  for (const CommandFacts& part : command.parts)
    argument.words.push_back(part.name.substr(command.name.size() + 1));
  argument.required = true;
  return argument;
}

std::string command_function(const CommandFacts& command, Actions& actions) {
  const bool has_parts = !command.parts.empty();
  std::string out = function_name(command.name) + "() {\n";
  if (has_parts) out += "  local curcontext=$curcontext state line\n  typeset -A opt_args\n";
  out += has_parts ? "  _arguments -C" : "  _arguments";
  std::size_t place = 0;
  for (const OptionFacts& option : command.options)
    if (!option.positional)
      out += " \\\n    " + option_spec(option, actions);
    else if (!has_parts)
      out += " \\\n    " + argument_spec(option, ++place, actions);
  if (has_parts) {
    out += " \\\n    " + argument_spec(command_argument(command), 1, actions);
    out += " \\\n    '*::argument:->rest'\n  [[ $state == rest ]] || return\n  case $line[1] in\n";
    for (const CommandFacts& part : command.parts)
      out += fmt::format("    {}) {} ;;\n", part.name.substr(command.name.size() + 1),
                         function_name(part.name));
    out += "  esac";
  }
  return out + "\n}\n";
}

}  // namespace

std::string zsh_completion(const CommandFacts& program) {
  Actions actions(program.name);
  std::string functions;
  for (const CommandFacts* command : all_commands(program))
    functions += command_function(*command, actions);
  return fmt::format(kBefore, program.name) + actions.functions() + functions +
         fmt::format(kAfter, program.name);
}

}  // namespace strata::manual

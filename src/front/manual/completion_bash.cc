#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual/completion.h"

namespace strata::manual {

namespace {

// The words up to the cursor say which command it is and which option waits for its value. The line
// is split anew, because bash also splits words at : and =.
constexpr const char* kBefore = R"(# Completion for bash, written by `{0} completion bash`.
_{0}() {{
  local line=${{COMP_LINE:0:COMP_POINT}} command={0} word before words one values= files=
  COMPREPLY=()
  read -ra words <<< "$line"
  word=${{line##*[[:space:]]}}
  [[ -n $word ]] && unset 'words[-1]'
  for one in "${{words[@]:1}}"; do
    case "$command $one" in
      {1}) command="$command $one" ;;
    esac
  done
  before=${{words[-1]}}
  if [[ $word == --*=* ]]; then
    before=${{word%%=*}}
    word=${{word#*=}}
  fi
  case "$command $before" in
)";

constexpr const char* kBetween = R"(    *)
      case "$command ${word:0:1}" in
)";

// A list is completed after its last comma, and what bash has split off is not repeated.
constexpr const char* kAfter = R"(      esac
      ;;
  esac
  local head=${{word%"${{word##*,}}"}}
  if [[ -n $values && ( -z $files || -n $word ) ]]; then
    mapfile -t COMPREPLY < <(compgen -P "$head" -W "$values" -- "${{word:${{#head}}}}")
  fi
  if [[ -n $files && ${{#COMPREPLY[@]}} == 0 ]]; then
    mapfile -t COMPREPLY < <(compgen -A "$files" -- "$word")
    compopt -o filenames 2> /dev/null
  fi
  if [[ $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("${{COMPREPLY[@]#"${{word%"${{word##*:}}"}}"}}")
  fi
}}
complete -F _{0} {0}
)";

// The completions of an option's value: `values="a b" files=file`.
std::string values_of(const OptionFacts& option) {
  std::string text;
  if (!option.words.empty()) text = fmt::format("values=\"{}\"", fmt::join(option.words, " "));
  const char* files = option.takes_file() ? "file" : option.takes_folder() ? "directory" : nullptr;
  if (files != nullptr) text += fmt::format("{}files={}", text.empty() ? "" : " ", files);
  return text.empty() ? "return" : text;  // any text
}

void add_values(std::string& out, const CommandFacts& command) {
  for (const OptionFacts& option : command.options) {
    if (option.positional || option.value.empty()) continue;
    out += "    ";
    if (!option.short_name.empty())
      out += fmt::format("\"{} {}\" | ", command.name, option.short_name);
    out += fmt::format("\"{} {}\") {} ;;\n", command.name, option.name, values_of(option));
  }
}

// Subcommands, and what an argument can be.
std::string arguments_of(const CommandFacts& command) {
  std::vector<std::string> words;
  std::string files;
  for (const CommandFacts& part : command.parts)
    words.push_back(part.name.substr(command.name.size() + 1));
  for (const OptionFacts& option : command.options) {
    if (!option.positional) continue;
    words.insert(words.end(), option.words.begin(), option.words.end());
    if (option.takes_file()) files = " files=file";
  }
  return fmt::format("values=\"{}\"{}", fmt::join(words, " "), files);
}

void add_words(std::string& out, const CommandFacts& command) {
  std::vector<std::string> names;
  for (const OptionFacts& option : command.options) {
    if (option.positional) continue;
    names.push_back(option.name);
    if (!option.short_name.empty()) names.push_back(option.short_name);
  }
  out += fmt::format("        \"{} -\") values=\"{}\" ;;\n", command.name, fmt::join(names, " "));
  out += fmt::format("        \"{} \"*) {} ;;\n", command.name, arguments_of(command));
}

}  // namespace

std::string bash_completion(const CommandFacts& program) {
  const auto commands = all_commands(program);
  std::string names;
  for (const CommandFacts* command : commands)
    if (command != &program)
      names += fmt::format("{}\"{}\"", names.empty() ? "" : " | ", command->name);
  std::string out = fmt::format(kBefore, program.name, names);
  for (const CommandFacts* command : commands) add_values(out, *command);
  out += kBetween;
  // `zoo table` before `zoo`, whose pattern also matches it.
  for (auto command = commands.rbegin(); command != commands.rend(); ++command)
    add_words(out, **command);
  return out + fmt::format(kAfter, program.name);
}

}  // namespace strata::manual

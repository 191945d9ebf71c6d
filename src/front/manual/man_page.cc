#include "manual/man_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "manual/surroundings.h"

namespace strata::manual {

namespace {

// Letters that mean something to the macros.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && out.empty())
      out += fmt::format("\\&{}", c);
    else
      out += c;
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string entry(const std::string& name, std::string_view text) {
  return ".TP\n" + name + "\n" + escaped(text) + "\n";
}

std::string reference(const CommandFacts& command) {
  return fmt::format("{}(1)", bold(man_page_name(command)));
}

std::string synopsis(const CommandFacts& command) {
  std::string out = bold(command.name) + " [" + italic("OPTIONS") + "]";
  for (const OptionFacts& option : command.options)
    if (option.positional)
      out += fmt::format(" {}{}{}", option.required ? "" : "[", italic(option.value),
                         option.required ? "" : "]");
  return out + (takes_command(command) ? " " + italic("COMMAND") : "") + "\n";
}

std::string option_name(const OptionFacts& option) {
  if (option.positional) return italic(option.value);
  std::string out = option.short_name.empty() ? "" : bold(option.short_name) + ", ";
  out += bold(option.name);
  return option.value.empty() ? out : out + " " + italic(option.value);
}

std::string options(const CommandFacts& command) {
  std::string out = ".SH OPTIONS\n", group;
  for (const OptionFacts& option : command.options) {
    if (option.group != group) out += ".SS " + (group = option.group) + "\n";
    out += entry(option_name(option), option.help);
  }
  return out;
}

std::string commands(const CommandFacts& command) {
  if (command.parts.empty()) return "";
  std::string out = ".SH COMMANDS\n";
  for (const CommandFacts& part : command.parts) out += entry(reference(part), part.about);
  return out;
}

// Lines that are set in stay as they are, and `Examples:` is a heading.
std::string notes(std::string_view text) {
  if (text.empty()) return "";
  std::string out = text.starts_with("Example") ? "" : ".SH NOTES\n";
  bool is_literal = false, in_paragraph = !out.empty();
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    if (is_literal != line.starts_with("  ")) {
      is_literal = !is_literal;
      out += is_literal ? ".RS 4\n.nf\n" : ".fi\n.RE\n";
      in_paragraph = is_literal;
    }
    if (line == "Examples:" || line == "Example:") {
      out += ".SH EXAMPLES\n";
      in_paragraph = true;
    } else if (line.empty()) {
      in_paragraph = false;
    } else {
      if (!std::exchange(in_paragraph, true)) out += ".PP\n";
      out += escaped(is_literal ? line.substr(2) : line) + "\n";
    }
  }
  return out + (is_literal ? ".fi\n.RE\n" : "");
}

std::string exit_status() {
  std::string out = ".SH EXIT STATUS\n";
  for (const ExitCodeFacts& row : exit_codes())
    out += entry(bold(std::to_string(row.code)), row.meaning);
  return out;
}

std::string environment() {
  std::string out = ".SH ENVIRONMENT\n";
  for (const VariableFacts& row : variables()) out += entry(bold(row.name), row.meaning);
  return out;
}

}  // namespace

std::string man_page_name(const CommandFacts& command) {
  std::string name = command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const CommandFacts& command, const CommandFacts& program,
                     const std::string& release) {
  const bool is_program = command.name == program.name;
  const std::string name = man_page_name(command);
  std::string out = fmt::format(".TH {} 1 \"\" \"{}\" \"{}\"\n", name, release, program.about);
  out += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(command.about));
  out += ".SH SYNOPSIS\n" + synopsis(command);
  out +=
      commands(command) + options(command) +
      notes(command.lists.empty() || command.notes.empty() ? command.lists + command.notes
                                                           : command.lists + "\n" + command.notes);
  out += exit_status();
  if (is_program) return out + environment();
  return out + ".SH SEE ALSO\n" + reference(program) + "\n";
}

}  // namespace strata::manual

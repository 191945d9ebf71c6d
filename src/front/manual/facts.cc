#include "manual/facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.h"

namespace strata::manual {

bool takes_command(const CommandFacts& command) {
  return !command.parts.empty() &&
         std::none_of(command.options.begin(), command.options.end(),
                      [](const OptionFacts& option) { return option.positional; });
}

std::vector<const CommandFacts*> all_commands(const CommandFacts& program) {
  std::vector<const CommandFacts*> all{&program};
  for (const CommandFacts& part : program.parts)
    for (const CommandFacts* one : all_commands(part)) all.push_back(one);
  return all;
}

Result<const CommandFacts*> find_command(const CommandFacts& program,
                                         const std::vector<std::string>& words) {
  const CommandFacts* found = &program;
  for (const std::string& word : words) {
    const CommandFacts* next = nullptr;
    std::vector<std::string> names;
    for (const CommandFacts& part : found->parts) {
      names.push_back(part.name.substr(found->name.size() + 1));
      if (names.back() == word) next = &part;
    }
    if (next == nullptr)
      return failure(fmt::format("there is no command \"{}\"{}", word, did_you_mean(word, names)),
                     ErrorKind::Usage);
    found = next;
  }
  return found;
}

}  // namespace strata::manual

// The program's commands and options as plain data. Help, manual pages and completion are made of
// the same facts.
#pragma once

#include <string>
#include <vector>

#include "strata/base/result.h"

namespace strata::manual {

struct OptionFacts {
  std::string name = {};        // `--output`, or `model` of a positional argument
  std::string short_name = {};  // `-o`; empty: there is none
  std::string value = {};       // what stands for it: `FILE`; empty: a flag
  std::string help = {};
  std::string group = {};               // the heading that it stands below
  std::vector<std::string> words = {};  // values that it takes, or some of them; empty: any text
  bool positional = false, required = false, repeatable = false;
  bool common = false;       // in the short help
  bool takes_others = true;  // texts that are none of the words

  bool takes_file() const { return has_word("FILE") || has_word("MODEL") || has_word("PLAN"); }
  bool takes_folder() const { return has_word("DIR"); }
  bool takes_list() const { return has_word("LIST"); }  // with commas between

 private:
  bool has_word(const char* word) const { return value.find(word) != value.npos; }
};

struct CommandFacts {
  std::string name = {};  // in whole: `strata zoo table`
  std::string about = {};
  std::vector<OptionFacts> options = {};
  std::vector<CommandFacts> parts = {};  // its subcommands
  std::string lists = {};                // below all options: names of columns, …
  std::string notes = {};                // below the options: explanations, examples
};

// True if it does nothing itself and needs one of its subcommands.
bool takes_command(const CommandFacts& command);

// The command and its subcommands, theirs included.
std::vector<const CommandFacts*> all_commands(const CommandFacts& program);

// The command that words after the program's name lead to: `zoo`, `table`. The program itself if
// there are none; an error that names the first word that is not a command.
Result<const CommandFacts*> find_command(const CommandFacts& program,
                                         const std::vector<std::string>& words);

}  // namespace strata::manual

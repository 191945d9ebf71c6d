// The options of a command as a table: a file of data/options/, where each row says how an option
// is written, what its help is, which values it takes and beside which others it has an effect.
//
//   # Options of `strata sweep`.
//   --shards N
//       number of parts of that script (default: one for each job)
//       - from 1 to 1000000
//       - needs --emit: no script is printed
//
// A line that starts with `-` and a blank is a property. One before the rows of a paragraph holds
// for all of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "strata/base/result.h"

namespace strata::manual {

// The option has an effect only where one of `others` is given, or none of them.
struct OptionRule {
  std::vector<std::string> others;
  bool excludes = false;  // else it needs one of them
  std::string why;
};

// Short texts are views of the file's.
struct OptionRow {
  std::string_view names = {};          // `-o,--output`; `model` for a positional argument
  std::string_view value = {};          // what stands for it in help; empty: a flag
  std::string help = {};                // one line
  std::string_view group = {};          // - group Measuring
  std::vector<std::string> words = {};  // - one of a, b
  std::optional<Quantity> unit = {};    // - unit share
  std::string_view least = {},
                   most = {};          // - from 1 to 1000; with a point, numbers that are not whole
  std::vector<std::string> was = {};   // - was --seconds: its earlier names
  std::vector<OptionRule> rules = {};  // - needs --rate: …; - excludes --aa: …
  bool required = false;               // - required
  bool only_file = false;              // - not to standard output
  bool commas = false;                 // - list with commas
  bool several_words = false;          // - takes the words that follow

  bool is_called(std::string_view name) const;  // `--output`, `-o`
};

// The rows refer to the text. An error names the line; the program's own files have none.
Result<std::vector<OptionRow>> parse_option_rows(std::string_view text);

// Those of data/options/NAME.txt, which is read once; none if there is no such file.
const std::vector<OptionRow>& option_rows(std::string_view name);

const OptionRow* find_row(const std::vector<OptionRow>& rows, std::string_view option);

// A row that several commands share, with what a command's own row says: its help, value and group
// come in their place, and its earlier names and rules are added.
OptionRow adapted(OptionRow shared, const OptionRow& own);

}  // namespace strata::manual

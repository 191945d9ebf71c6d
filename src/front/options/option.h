// One option of a command, as the command describes it. App::parse declares it to CLI11 if the
// command line may name it (parse.cc).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/quantity.h"
#include "manual/facts.h"
#include "strata/base/result.h"

namespace strata::manual {
struct OptionRow;
}
namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
class Option;
}  // namespace CLI

namespace strata::cli {

struct RequestOption;
class App;

// The variable that an option sets. A bool makes it a flag; a list is given by repeating the
// option.
using Target =
    std::variant<bool*, std::string*, int*, std::uint32_t*, std::int64_t*, std::uint64_t*, double*,
                 std::optional<std::string>*, std::optional<double>*, std::vector<std::string>*,
                 std::vector<double>*>;

// An option, a flag or a positional argument. The App that made it keeps it.
class Option {
 public:
  // `names` is `-o,--output FILE`, with what stands for the value in --help, or `model MODEL` for a
  // positional argument.
  Option(const std::string& names, Target target, const std::string& help);

  Option* required(bool needed = true);
  Option* option_text(const std::string& text);  // what stands for the value in --help
  Option* description(const std::string& help);
  Option* one_of(const std::vector<std::string>& words);
  Option* suggest(const std::vector<std::string>& words);  // to completion; others are taken, too
  // Both ends are allowed.
  template <class Number>
  Option* within(Number least, Number most);
  Option* hide();  // from --help

  // It has an effect only where `holds` is true once all options are read; an option without one is
  // refused, not ignored (App::check_effects). `why` says what is missing otherwise, and what to
  // do.
  Option* needs(std::function<bool()> holds, const std::string& why);
  // It still works, but is no longer shown; who gives it is told what to write instead.
  Option* replaced_by(const std::string& now);

  const std::string& name() const { return name_; }  // `--output`
  bool given() const;
  bool hidden() const { return hidden_; }

 private:
  friend class App;
  friend std::vector<std::pair<std::string, std::string>> given_options(const App& app);
  friend std::vector<std::string> given_words(const App& app);
  struct Rule {
    std::function<bool()> has_effect;
    std::string why;
  };
  using Check = std::function<std::string(const std::string& text)>;  // what is wrong with it

  bool is_flag() const { return std::holds_alternative<bool*>(target_); }
  bool is_list() const;
  bool is_positional() const { return !names_.starts_with('-'); }
  void take_values(const manual::OptionRow& row);  // those that the row says
  manual::OptionFacts facts(const std::string& command) const;

  void declare(CLI::App& app);
  Status take(const RequestOption& given);
  void take_quantity(const std::string& text) const;
  void pass_on(const std::vector<std::string>& values);
  std::vector<std::string> values() const;  // as they were given

  std::string names_, name_;  // `-o,--output`, `--output`
  Target target_;
  std::optional<Quantity> quantity_;
  std::string value_, help_, group_;
  bool required_ = false, hidden_ = false, several_words_ = false, commas_ = false;
  std::vector<Check> checks_;
  std::vector<std::string> words_;  // of one_of()
  bool takes_others_ = true;        // texts that are none of them
  std::vector<Rule> rules_;
  std::string now_;  // what to write instead; empty: it is not an old name
  std::function<Option*(const std::string& value)> passes_to_;  // of an old name: the new one
  CLI::Option* option_ = nullptr;                               // null: not declared
};

}  // namespace strata::cli

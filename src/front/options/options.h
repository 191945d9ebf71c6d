// The options of the program and of its subcommands. CLI11 reads the command line, in parse.cc
// alone: its header takes seconds to compile, and declaring an option to it takes longer than
// describing one here, so that only those that may be given are declared.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "manual/facts.h"
#include "options/option.h"
#include "strata/base/result.h"

namespace strata::cli {

struct Request;

struct Binding {
  const char* option;  // `--output`, or `model` of a positional argument
  Target target;
};

// The program, or one of its subcommands.
class App {
 public:
  explicit App(const std::string& description = "", const std::string& name = "");
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // This App keeps it.
  App* add_subcommand(const std::string& name, const std::string& description);
  void require_subcommand();
  void set_version_flag(const std::string& names, const std::string& version);
  // Stands below the options in --help, and is made only when it is shown. After it comes
  // data/help/NAME.txt if there is such a file; for a subcommand of `zoo`, data/help/zoo_NAME.txt.
  void below_options(std::function<std::string()> text);
  void hide();  // from the program's --help

  // Options of data/options/COMMAND.txt, where `zoo table` is zoo_table; what was given is in the
  // targets after parse(), and if nothing was, they stay as they are. Of options that several
  // commands share, `part` names the file; a row of the command's own file changes theirs.
  void add(const std::vector<Binding>& options);
  void add(std::string_view part, const std::vector<Binding>& options);

  // An option that is in no such file. `names` is `-o,--output FILE`, with what stands for the
  // value in --help, or `model MODEL` for a positional argument.
  Option* add_option(const std::string& names, Target target, const std::string& help = "");
  // Text with a unit, as `30s`; the target, a number or an optional one, is in the quantity's own
  // unit.
  Option* add_quantity(const std::string& names, Quantity quantity, Target target,
                       const std::string& help = "");
  template <class T>
  Option* add_option(const std::string& names, T& target, const std::string& help = "") {
    return add_option(names, Target(&target), help);
  }
  Option* add_flag(const std::string& names, bool& target, const std::string& help = "") {
    return add_option(names, Target(&target), help);
  }
  // An earlier name of `now`: what is given to it goes there, with a notice.
  void old_name(const std::string& name, Option* now);
  // Like above, where the value decides on the new name.
  void old_name(const std::string& name, std::function<Option*(const std::string& value)> now);

  // Rules for several options, as Option::needs: they have an effect only where at least one of
  // `others` is given, or where `other` is not, or where `holds` is true. `why` says what is
  // missing
  // ("nothing is run"), or what takes their place; what to do is added to it.
  void need(const std::vector<std::string>& options, const std::vector<std::string>& others,
            const std::string& why);
  void exclude(const std::vector<std::string>& options, const std::string& other,
               const std::string& why);
  void need_that(const std::vector<std::string>& options, const std::function<bool()>& holds,
                 const std::string& why);

  bool has_option(const std::string& name) const { return find(name) != nullptr; }
  Option* get_option(const std::string& name) const;  // which must be there
  void remove_option(const std::string& name);        // which must be there

  // Fills the targets. Gives the text that --help or --version asks for; it is empty if
  // neither was given.
  Result<std::string> parse(int argc, const char* const* argv);
  Result<std::string> parse(const std::string& line);  // without the program's name
  // Gives the options what a request has for them; no word is made of it. The text is empty.
  Result<std::string> parse(const Request& request);

  // Returns a sentence for each old name on the command line that was read, and an error that names
  // the first option without an effect. Subcommands are included.
  std::vector<std::string> notices() const;
  Status check_effects() const;

  const std::string& name() const { return name_; }
  bool parsed() const;        // whether the command line names this subcommand
  const App& chosen() const;  // the innermost subcommand that the command line names
  // Returns the visible commands and options, for help, manual pages and completion.
  manual::CommandFacts facts() const;

 private:
  friend std::vector<std::pair<std::string, std::string>> given_options(const App& app);
  friend std::vector<std::string> given_words(const App& app);
  friend std::vector<std::string> command_of(const App& app);
  App(const std::string& description, const std::string& name, const App* parent);
  Option* keep(const std::string& names, Target target, const std::string& help);
  Option* find(const std::string& name) const;
  void add_row(const manual::OptionRow& row, const Target& target);
  std::string path() const;       // the words that lead to it: `strata zoo table`
  std::string file_name() const;  // in data/: `zoo_table`
  Error no_option(const std::string& name, bool may_ask_for_help) const;
  // This App, and those of its subcommands that the command line names.
  void visit(const std::function<void(const App&)>& each) const;

  // Declares to CLI11 what this App and its subcommands have: arguments, options that are required,
  // and those that may be given.
  void declare(const std::function<bool(const Option&)>& may_be_given);
  void declare_as(CLI::App& app, const std::function<bool(const Option&)>& may_be_given);
  Result<std::string> parse_by(const std::function<void()>& parse);
  Error unexpected() const;  // about a word that nothing takes

  const App* parent_ = nullptr;
  std::string name_, description_, version_names_, version_;
  bool hidden_ = false, requires_subcommand_ = false;
  std::vector<std::unique_ptr<App>> subcommands_;
  std::vector<std::unique_ptr<Option>> options_;
  std::function<std::string()> below_options_;
  std::unique_ptr<CLI::App> own_;  // of the program; it owns those of the subcommands
  CLI::App* app_ = nullptr;        // null: nothing was parsed
};

// The command, `zoo` and `table`, and every option that was given, for the receipt in the JSON. An
// option that was given more than once is there for each of its values.
std::vector<std::string> command_of(const App& app);
std::vector<std::pair<std::string, std::string>> given_options(const App& app);
// The command line that says the same, without the program's name: `stat m.onnx --top=3`.
std::vector<std::string> given_words(const App& app);

}  // namespace strata::cli

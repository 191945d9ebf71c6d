#include "cli/options.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/embedded.h"
#include "base/nearest.h"
#include "manual/help_text.h"
#include "manual/option_groups.h"

namespace strata::cli {

namespace {

constexpr const char* kOldNamesEnd = "0.3";  // the release that no longer knows them

// The words of a command line that lead to a command: `strata zoo table`.
std::string path_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : path_of(*parent) + " " + app.get_name();
}

// Examples and explanations, as they are in the repository.
std::string help_file(const CLI::App& app) {
  std::string name = path_of(app);  // `strata zoo table` has zoo_table.txt
  if (const std::size_t space = name.find(' '); space != name.npos) name.erase(0, space + 1);
  std::replace(name.begin(), name.end(), ' ', '_');
  return std::string(embedded_file("data/help/" + name + ".txt").value_or(""));
}

// `--output` of `--output FILE`
std::string name_part(const std::string& names) { return names.substr(0, names.find(' ')); }

// Options by name, with commas and an "or" before the last.
std::string either(const std::vector<const Option*>& options) {
  std::string text;
  for (std::size_t i = 0; i < options.size(); ++i)
    text += (i == 0 ? "" : i + 1 == options.size() ? " or " : ", ") + options[i]->name();
  return text;
}

// A number with its unit; throws as CLI11's own checks do.
std::function<void(const std::string&)> quantity_into(const std::string& names, Quantity quantity,
                                                      std::function<void(double)> take) {
  return
      [name = name_part(names.substr(names.find("--"))), quantity, take](const std::string& text) {
        const auto number = parse_quantity(text, quantity);
        if (!number) throw CLI::ValidationError(name, number.error().message);
        take(*number);
      };
}

}  // namespace

// ----- Option

Option::Option(CLI::Option* option) : option_(option), name_(option->get_name()) {}

Option* Option::required(bool needed) {
  option_->required(needed);
  return this;
}

Option* Option::option_text(const std::string& text) {
  option_->option_text(text);
  return this;
}

Option* Option::description(const std::string& help) {
  option_->description(help);
  return this;
}

Option* Option::group(const std::string& heading) {
  group_ = heading;
  return this;
}

Option* Option::one_of(const std::vector<std::string>& words) {
  words_ = words;
  option_->check([words](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    return fmt::format("there is no \"{}\"{}; it can be {}", text, did_you_mean(text, words),
                       fmt::join(words, ", "));
  });
  return this;
}

Option* Option::suggest(const std::vector<std::string>& words) {
  words_ = words;
  return this;
}

Option* Option::file_only() {
  option_->check([](const std::string& text) {
    return text == "-" ? "this cannot go to standard output; name a file" : "";
  });
  return this;
}

template <class Number>
Option* Option::within(Number least, Number most) {
  option_->check(CLI::Range(least, most));
  return this;
}
template Option* Option::within(int, int);
template Option* Option::within(std::int64_t, std::int64_t);
template Option* Option::within(double, double);

Option* Option::delimiter(char between) {
  option_->delimiter(between);
  return this;
}

Option* Option::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return this;
}

Option* Option::hide() {
  option_->group("");
  return this;
}

Option* Option::needs(const std::vector<const Option*>& others, const std::string& why) {
  return needs(
      [others] {
        return std::any_of(others.begin(), others.end(), [](auto* one) { return one->given(); });
      },
      fmt::format("{}; add {}", why, either(others)));
}

Option* Option::excludes(const Option* other, const std::string& why) {
  return needs([other] { return !other->given(); },
               fmt::format("{}; leave out {} or {}", why, name(), other->name()));
}

Option* Option::needs(std::function<bool()> holds, const std::string& why) {
  rules_.push_back({std::move(holds), why});
  return this;
}

Option* Option::replaced_by(const std::string& now) {
  now_ = now;
  return hide();
}

std::size_t Option::count() const { return option_->count(); }

bool Option::hidden() const { return option_->get_group().empty(); }

void all_need(const std::vector<Option*>& options, const std::vector<const Option*>& others,
              const std::string& why) {
  for (Option* option : options) option->needs(others, why);
}

void all_need(const std::vector<Option*>& options, const std::function<bool()>& holds,
              const std::string& why) {
  for (Option* option : options) option->needs(holds, why);
}

// ----- App

App::App(const std::string& description, const std::string& name)
    : own_(std::make_unique<CLI::App>(description, name)), app_(own_.get()) {}

App::App(CLI::App* subcommand) : app_(subcommand) {}

App::~App() = default;

App* App::add_subcommand(const std::string& name, const std::string& description) {
  subcommands_.emplace_back(new App(app_->add_subcommand(name, description)));
  return subcommands_.back().get();
}

void App::require_subcommand() { app_->require_subcommand(1); }

void App::set_version_flag(const std::string& names, const std::string& version) {
  app_->set_version_flag(names, version);
}

void App::below_options(std::function<std::string()> text) { below_options_ = std::move(text); }

void App::hide() { app_->group(""); }

Option* App::keep(CLI::Option* option, const std::string& names) {
  Option* kept = options_.emplace_back(std::make_unique<Option>(option)).get();
  if (const std::size_t space = names.find(' '); space != names.npos)
    kept->option_text(names.substr(space + 1));
  // A list is given by repeating its option: the words that follow are other arguments.
  if (!option->get_positional() && option->get_expected_max() > 1) option->allow_extra_args(false);
  return kept;
}

Option* App::add_flag(const std::string& names, bool& target, const std::string& help) {
  return keep(app_->add_flag(name_part(names), target, help), names);
}

template <class T>
Option* App::add_option(const std::string& names, T& target, const std::string& help) {
  return keep(app_->add_option(name_part(names), target, help), names);
}
template Option* App::add_option(const std::string&, std::string&, const std::string&);
template Option* App::add_option(const std::string&, int&, const std::string&);
template Option* App::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option* App::add_option(const std::string&, std::int64_t&, const std::string&);
template Option* App::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option* App::add_option(const std::string&, double&, const std::string&);
template Option* App::add_option(const std::string&, std::optional<std::string>&,
                                 const std::string&);
template Option* App::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option* App::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option* App::add_option(const std::string&, std::vector<double>&, const std::string&);

template <class T>
Option* App::add_quantity(const std::string& names, Quantity quantity, T& target,
                          const std::string& help) {
  const auto take = quantity_into(names, quantity, [&target](double number) { target = number; });
  return keep(app_->add_option_function<std::string>(name_part(names), take, help), names);
}
template Option* App::add_quantity(const std::string&, Quantity, double&, const std::string&);
template Option* App::add_quantity(const std::string&, Quantity, std::optional<double>&,
                                   const std::string&);

void App::old_name(const std::string& name, Option* now) {
  old_name(name, [now](const std::string&) { return now; });
}

void App::old_name(const std::string& name, std::function<Option*(const std::string& value)> now) {
  const auto self = std::make_shared<Option*>(nullptr);
  const auto pass_on = [self, name, now](const std::vector<std::string>& values) {
    Option* target = now(values.front());
    if (target->given())
      throw CLI::ValidationError(
          name, fmt::format("this is the old name of {}; give one of the two", target->name()));
    for (const std::string& value : values) target->option_->add_result(value);
    target->option_->run_callback();
    (*self)->now_ = target->name();
  };
  Option* old = keep(app_->add_option_function<std::vector<std::string>>(name, pass_on), name);
  old->hide();
  old->passes_on_ = true;
  *self = old;
}

bool App::has_option(const std::string& name) const {
  return app_->get_option_no_throw(name) != nullptr;
}

Option* App::get_option(const std::string& name) {
  const CLI::Option* wanted = app_->get_option(name);
  for (const auto& option : options_)
    if (option->option_ == wanted) return option.get();
  return keep(app_->get_option(name), "");  // CLI11's own, as --help
}

void App::remove_option(const std::string& name) {
  CLI::Option* option = app_->get_option(name);
  std::erase_if(options_, [&](const auto& kept) { return kept->option_ == option; });
  app_->remove_option(option);
}

Result<std::string> App::parse_by(const std::function<void()>& parse) {
  try {
    parse();
    return "";
  } catch (const CLI::CallForHelp&) {
    return manual::help_text(chosen().facts());
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + "\n";
  } catch (const CLI::ExtrasError&) {
    return failure(unexpected(), ErrorKind::Usage);
  } catch (const CLI::ParseError& error) {
    return failure(error.what(), ErrorKind::Usage);
  }
}

Result<std::string> App::parse(int argc, const char* const* argv) {
  return parse_by([&] { app_->parse(argc, argv); });
}

Result<std::string> App::parse(const std::string& line) {
  return parse_by([&] { app_->parse(line); });
}

std::string App::unexpected() const {
  const std::vector<std::string> words = app_->remaining(true);
  const auto option = std::find_if(words.begin(), words.end(),
                                   [](const std::string& word) { return word.starts_with('-'); });
  if (option == words.end())
    return fmt::format("\"{}\" is one argument too many", words.empty() ? "" : words.front());
  const std::string name = option->substr(0, option->find('='));
  std::vector<std::string> names;
  for (const manual::OptionFacts& known : chosen().facts().options)
    if (!known.positional) names.push_back(known.name);
  return fmt::format("there is no option {}{}", name, did_you_mean(name, names));
}

const App& App::chosen() const {
  const App* innermost = this;
  visit([&](const App& app) { innermost = &app; });
  return *innermost;
}

manual::OptionFacts App::facts_of(const Option& option, const std::string& command) const {
  const CLI::Option& own = *option.option_;
  manual::OptionFacts facts;
  facts.positional = own.get_positional();
  facts.name = facts.positional ? own.get_name(true) : option.name();
  if (!own.get_snames().empty()) facts.short_name = "-" + own.get_snames().front();
  facts.value = own.get_option_text();
  facts.help = own.get_description();
  facts.group = !option.group_.empty() ? option.group_
                : facts.positional     ? "Arguments"
                                       : std::string(manual::group_of(facts.name));
  facts.words = option.words_.empty() ? manual::words_of(command, facts.name) : option.words_;
  facts.required = own.get_required();
  facts.repeatable = own.get_expected_max() > 1;
  return facts;
}

manual::CommandFacts App::facts() const {
  manual::CommandFacts facts{.name = path_of(*app_), .about = app_->get_description()};
  for (const auto& option : options_)
    if (!option->hidden()) facts.options.push_back(facts_of(*option, facts.name));
  facts.options.push_back({.name = "--help", .short_name = "-h", .help = "show this help"});
  if (app_->get_version_ptr() != nullptr)
    facts.options.push_back({.name = "--version", .short_name = "-V", .help = "show the version"});
  for (manual::OptionFacts& option : facts.options)
    if (option.group.empty()) option.group = manual::group_of(option.name);
  manual::sort_by_group(facts.options);
  for (const auto& subcommand : subcommands_)
    if (!subcommand->app_->get_group().empty()) facts.parts.push_back(subcommand->facts());
  if (below_options_) facts.notes = below_options_();
  const std::string file = help_file(*app_);
  facts.notes += (facts.notes.empty() || file.empty() ? "" : "\n") + file;
  return facts;
}

void App::visit(const std::function<void(const App&)>& each) const {
  each(*this);
  for (const auto& subcommand : subcommands_)
    if (subcommand->parsed()) subcommand->visit(each);
}

std::vector<std::string> App::notices() const {
  std::vector<std::string> sentences;
  visit([&](const App& app) {
    for (const auto& option : app.options_)
      if (option->given() && !option->now_.empty())
        sentences.push_back(fmt::format("{} is now {}; the old name goes away in {}",
                                        option->name(), option->now_, kOldNamesEnd));
  });
  return sentences;
}

Status App::check_effects() const {
  Status status;
  visit([&](const App& app) {
    for (const auto& option : app.options_)
      for (const Option::Rule& rule : option->rules_)
        if (status && option->given() && !rule.has_effect())
          status = failure(fmt::format("{} has no effect: {}", option->name(), rule.why),
                           ErrorKind::Usage);
  });
  return status;
}

const std::string& App::name() const { return app_->get_name(); }

bool App::parsed() const { return app_->parsed(); }

std::vector<std::pair<std::string, std::string>> given_options(const App& app) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& option : app.options_)
    if (option->given() && !option->passes_on_)  // what an old name is called now has its value
      given.emplace_back(option->name(), CLI::detail::join(option->option_->results(), ","));
  return given;
}

}  // namespace strata::cli

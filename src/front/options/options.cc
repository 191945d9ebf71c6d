#include "options/options.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/embedded.h"
#include "base/nearest.h"
#include "manual/help_text.h"
#include "manual/option_groups.h"
#include "manual/option_rows.h"
#include "options/request.h"

namespace strata::cli {

namespace {

constexpr const char* kOldNamesEnd = "0.4";  // the release that no longer knows them

// The words of a command line that lead to a command: `strata zoo table`.
std::string path_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : path_of(*parent) + " " + app.get_name();
}

// Those words without the program's name: `zoo table`.
std::string command_path(const CLI::App& app) {
  std::string name = path_of(app);
  if (const std::size_t space = name.find(' '); space != name.npos) name.erase(0, space + 1);
  return name;
}

// Returns the command's file name in data/: zoo_table.txt for `strata zoo table`.
std::string file_name(const CLI::App& app) {
  std::string name = command_path(app);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// Examples and explanations, as they are in the repository.
std::string help_file(const CLI::App& app) {
  return std::string(embedded_file("data/help/" + file_name(app) + ".txt").value_or(""));
}

// `--output` of `--output FILE`
std::string name_part(const std::string& names) { return names.substr(0, names.find(' ')); }

// With commas and an "or" before the last.
std::string either(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

std::string not_to_standard_output(const std::string& text) {
  return text == "-" ? "this cannot go to standard output; name a file" : "";
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

Option* Option::one_of(const std::vector<std::string>& words) {
  words_ = words;
  takes_others_ = false;
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

template <class Number>
Option* Option::within(Number least, Number most) {
  constexpr bool kIsWhole = std::is_integral_v<Number>;
  constexpr double kUnbounded = 1e12;  // a limit for the machine, not for the reader
  const std::string kind = kIsWhole ? "no whole number" : "no number";
  const std::string range = static_cast<double>(most) >= kUnbounded
                                ? fmt::format("of {} or more", least)
                                : fmt::format("from {} to {}", least, most);
  option_->check([=](const std::string& text) -> std::string {
    Number number = 0;
    if (CLI::detail::lexical_cast(text, number) && number >= least && number <= most) return "";
    return fmt::format("\"{}\" is {} {}", text, kind, range);
  });
  return this;
}
template Option* Option::within(int, int);
template Option* Option::within(std::int64_t, std::int64_t);
template Option* Option::within(double, double);

void Option::take_values(const manual::OptionRow& row) {
  group_ = row.group;
  if (!row.value.empty()) option_text(std::string(row.value));
  if (row.required) required();
  if (!row.words.empty()) one_of(row.words);
  if (row.only_file) option_->check(not_to_standard_output);
  if (row.commas) option_->delimiter(',');
  if (row.several_words) option_->allow_extra_args(true);
  const std::string least(row.least), most(row.most);
  if (least.find('.') != least.npos)
    within(std::stod(least), std::stod(most));
  else if (!least.empty())
    within(std::int64_t{std::stoll(least)}, std::int64_t{std::stoll(most)});
}

Option* Option::hide() {
  option_->group("");
  return this;
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

// ----- App

App::App(const std::string& description, const std::string& name)
    : own_(std::make_unique<CLI::App>(description, name)), app_(own_.get()) {
  app_->set_help_all_flag("--help-all");  // subcommands have it, too
}

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

Option* App::add_option(const std::string& names, Target target, const std::string& help) {
  const std::string name = name_part(names);
  CLI::Option* made = std::visit(
      [&](auto* to) {
        if constexpr (std::is_same_v<decltype(to), bool*>)
          return app_->add_flag(name, *to, help);
        else
          return app_->add_option(name, *to, help);
      },
      target);
  return keep(made, names);
}

Option* App::add_quantity(const std::string& names, Quantity quantity, Target target,
                          const std::string& help) {
  // Throws as CLI11's own checks do.
  const auto take = [name = name_part(names.substr(names.find("--"))), quantity,
                     target](const std::string& text) {
    const auto number = parse_quantity(text, quantity);
    if (!number) throw CLI::ValidationError(name, number.error().message);
    if (double* const* plain = std::get_if<double*>(&target))
      **plain = *number;
    else
      *std::get<std::optional<double>*>(target) = *number;
  };
  return keep(app_->add_option_function<std::string>(name_part(names), take, help), names);
}

void App::add(const std::vector<Binding>& options) { add(file_name(*app_), options); }

void App::add(std::string_view part, const std::vector<Binding>& options) {
  const std::string own_part = file_name(*app_);
  const auto& own = manual::option_rows(own_part);
  const auto& rows = manual::option_rows(part);
  for (const Binding& binding : options) {
    const manual::OptionRow* row = manual::find_row(rows, binding.option);
    if (row == nullptr)
      throw std::logic_error(fmt::format("data/options/{}.txt lacks {}", part, binding.option));
    const auto* change = part == own_part ? nullptr : manual::find_row(own, binding.option);
    if (change == nullptr)
      add_row(*row, binding.target);
    else
      add_row(manual::adapted(*row, *change), binding.target);
  }
}

void App::add_row(const manual::OptionRow& row, const Target& target) {
  const std::string names(row.names);
  Option* option = row.unit ? add_quantity(names, *row.unit, target, row.help)
                            : add_option(names, target, row.help);
  option->take_values(row);
  for (const manual::OptionRule& rule : row.rules)
    if (rule.excludes)
      exclude({option->name()}, rule.others.front(), rule.why);
    else
      need({option->name()}, rule.others, rule.why);
  for (const std::string& name : row.was) old_name(name, option);
}

void App::old_name(const std::string& name, Option* now) {
  old_name(name, [now](const std::string&) { return now; });
}

void App::old_name(const std::string& name, std::function<Option*(const std::string& value)> now) {
  const auto self = std::make_shared<Option*>(nullptr);
  const auto pass_on = [self, name, now = std::move(now)](const std::vector<std::string>& values) {
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

// The others are looked up when the rule is, since they may be added after it.
void App::need(const std::vector<std::string>& options, const std::vector<std::string>& others,
               const std::string& why) {
  const auto given = [this](const std::string& name) { return get_option(name)->given(); };
  need_that(
      options, [=] { return std::any_of(others.begin(), others.end(), given); },
      fmt::format("{}; add {}", why, either(others)));
}

void App::exclude(const std::vector<std::string>& options, const std::string& other,
                  const std::string& why) {
  for (const std::string& name : options)
    get_option(name)->needs([=, this] { return !get_option(other)->given(); },
                            fmt::format("{}; leave out {} or {}", why, name, other));
}

void App::need_that(const std::vector<std::string>& options, const std::function<bool()>& holds,
                    const std::string& why) {
  for (const std::string& name : options) get_option(name)->needs(holds, why);
}

Option* App::find(const std::string& name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const auto& one) { return one->name() == name; });
  return found == options_.end() ? nullptr : found->get();
}

bool App::has_option(const std::string& name) const { return find(name) != nullptr; }

Option* App::get_option(const std::string& name) const {
  if (Option* option = find(name)) return option;
  throw std::logic_error("there is no option " + name);
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
    return manual::help_text(chosen().facts(), false);
  } catch (const CLI::CallForAllHelp&) {
    return manual::help_text(chosen().facts(), true);
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + "\n";
  } catch (const CLI::ExtrasError&) {
    return failure(unexpected());
  } catch (const CLI::ConversionError& error) {  // `Could not convert: --depth = few`
    const std::string sentence = error.what();
    const std::size_t name = sentence.find("--"), value = sentence.find(" = ");
    if (name >= value || value == sentence.npos) return failure(Code::OptionValue, {}, sentence);
    const std::string option = sentence.substr(name, value - name);
    return failure(Code::OptionValue, {.name = option},
                   fmt::format("{}: \"{}\" is not a number", option, sentence.substr(value + 3)));
  } catch (const CLI::ParseError& error) {
    const std::string sentence = error.what();
    const std::size_t name = sentence.starts_with('-') ? sentence.find(':') : sentence.npos;
    return failure(Code::OptionValue,
                   {.name = name == sentence.npos ? "" : sentence.substr(0, name)}, sentence);
  }
}

Result<std::string> App::parse(int argc, const char* const* argv) {
  return parse_by([&] { app_->parse(argc, argv); });
}

Result<std::string> App::parse(const std::string& line) {
  return parse_by([&] { app_->parse(line); });
}

Result<std::string> App::parse(const Request& request) {
  const std::vector<std::string> path = CLI::detail::split(request.command, ' ');
  const App* command = this;
  for (const std::string& word : path) {
    const auto part = std::find_if(
        command->subcommands_.begin(), command->subcommands_.end(),
        [&](const auto& one) { return one->name() == word && !one->app_->get_group().empty(); });
    if (part == command->subcommands_.end())
      return failure(Code::NoCommand, {.name = request.command});
    command = part->get();
  }
  for (const RequestOption& given : request.options) {
    Option* option = command->find(given.name);
    if (option == nullptr) return failure(command->no_option(given.name, false));
    if (Status status = option->take(given); !status) return failure(status);
  }
  // The words left to read are those that name the command, the last one first.
  return parse_by([&] { app_->parse(std::vector<std::string>(path.rbegin(), path.rend())); });
}

Status Option::take(const RequestOption& given) {
  const auto wrong = [&](std::string_view why) {
    return failure(Code::OptionValue, {.name = name_, .detail = std::string(why)});
  };
  const int most = option_->get_expected_max();
  if (most == 0) {  // a flag; documents record "true"
    const bool recorded = given.values == std::vector<std::string>{"true"};
    if (!given.on && !recorded) return wrong("it is true or false");
    if (recorded || *given.on) option_->add_result("true");
    return {};
  }
  if (given.on) {
    if (*given.on) return wrong("it needs a value");
    return {};
  }
  if (given.values.empty()) return {};
  if (most > 1)
    for (const std::string& value : given.values) option_->add_result(value);
  else
    option_->add_result(fmt::format("{}", fmt::join(given.values, ",")));
  return {};
}

Error App::unexpected() const {
  const std::vector<std::string> words = app_->remaining(true);
  const auto option = std::find_if(words.begin(), words.end(),
                                   [](const std::string& word) { return word.starts_with('-'); });
  if (option != words.end()) return chosen().no_option(option->substr(0, option->find('=')), true);
  const std::string given = words.empty() ? "" : words.front();
  return make_error(Code::OptionValue, {.given = given},
                    fmt::format("\"{}\" is one argument too many", given));
}

Error App::no_option(const std::string& name, bool may_ask_for_help) const {
  std::vector<std::string> names;
  for (const manual::OptionFacts& known : facts().options)
    if (!known.positional && (may_ask_for_help || find(known.name) != nullptr))
      names.push_back(known.name);
  return make_error(Code::NoOption, {.name = name, .detail = did_you_mean(name, names)});
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
  facts.takes_others = option.takes_others_;
  facts.required = own.get_required();
  facts.repeatable = own.get_expected_max() > 1;
  facts.common = manual::is_common(facts.name);
  return facts;
}

manual::CommandFacts App::facts() const {
  manual::CommandFacts facts{.name = path_of(*app_), .about = app_->get_description()};
  for (const auto& option : options_)
    if (!option->hidden()) facts.options.push_back(facts_of(*option, facts.name));
  facts.options.push_back(
      {.name = "--help", .short_name = "-h", .help = "show the common options", .common = true});
  facts.options.push_back({.name = "--help-all", .help = "show every option"});
  if (app_->get_version_ptr() != nullptr)
    facts.options.push_back({.name = "--version", .short_name = "-V", .help = "show the version"});
  for (manual::OptionFacts& option : facts.options)
    if (option.group.empty()) option.group = manual::group_of(option.name);
  manual::sort_by_group(facts.options);
  for (const auto& subcommand : subcommands_)
    if (!subcommand->app_->get_group().empty()) facts.parts.push_back(subcommand->facts());
  if (below_options_) facts.lists = below_options_();
  facts.notes = help_file(*app_);
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
        sentences.push_back(fmt::format("{} is now {}; the old name will be removed in {}",
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
          status = failure(Code::OptionEffect, {.name = option->name(), .detail = rule.why});
  });
  return status;
}

const std::string& App::name() const { return app_->get_name(); }

bool App::parsed() const { return app_->parsed(); }

std::vector<std::string> command_of(const App& app) {
  return CLI::detail::split(command_path(*app.app_), ' ');
}

std::vector<std::pair<std::string, std::string>> given_options(const App& app) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& option : app.options_)
    if (option->given() && !option->passes_on_)  // what an old name is called now has its value
      for (const std::string& value : option->option_->results())
        given.emplace_back(option->name(), value);
  return given;
}

std::vector<std::string> given_words(const App& app) {
  std::vector<std::string> words;
  for (const CLI::App* each = app.app_; each->get_parent() != nullptr; each = each->get_parent())
    words.insert(words.begin(), each->get_name());
  for (const auto& option : app.options_) {
    if (!option->given() || option->passes_on_) continue;
    const bool is_flag = option->option_->get_expected_max() == 0;
    for (const std::string& value : option->option_->results()) {
      if (option->option_->get_positional())
        words.push_back(value);
      else
        words.push_back(is_flag ? option->name() : option->name() + "=" + value);
    }
  }
  return words;
}

}  // namespace strata::cli

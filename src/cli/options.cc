#include "cli/options.h"

#include <algorithm>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/embedded.h"

namespace strata::cli {

namespace {

constexpr const char* kOldNamesEnd = "0.3";  // the release that no longer knows them

Result<std::string> parse_by(CLI::App& app, const std::function<void()>& parse) {
  try {
    parse();
    return "";
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return failure(error.what(), ErrorKind::Usage);
    std::ostringstream text;  // of --help or --version
    app.exit(error, text);
    std::string help = text.str();  // CLI11 leaves a line for the group of hidden options
    if (const std::size_t gap = help.find("\n\n\n"); gap != help.npos) help.erase(gap, 1);
    return help;
  }
}

// Examples and explanations, as they are in the repository.
void add_help(CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  const bool has_own_parts = parent != nullptr && parent->get_parent() != nullptr;
  const auto text = embedded_file(fmt::format(
      "data/help/{}{}.txt", has_own_parts ? parent->get_name() + "_" : "", app.get_name()));
  if (text) app.footer(std::string(text->substr(0, text->find_last_not_of('\n') + 1)));
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

Option* Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
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
    : own_(std::make_unique<CLI::App>(description, name)), app_(own_.get()) {
  add_help(*app_);
}

App::App(CLI::App* subcommand) : app_(subcommand) { add_help(*app_); }

App::~App() = default;

App* App::add_subcommand(const std::string& name, const std::string& description) {
  subcommands_.emplace_back(new App(app_->add_subcommand(name, description)));
  return subcommands_.back().get();
}

void App::require_subcommand() { app_->require_subcommand(1); }

void App::set_version_flag(const std::string& names, const std::string& version) {
  app_->set_version_flag(names, version);
}

void App::footer(const std::string& text) { app_->footer(text); }

void App::above_footer(std::function<std::string()> text) { app_->footer(std::move(text)); }

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

Result<std::string> App::parse(int argc, const char* const* argv) {
  return parse_by(*app_, [&] { app_->parse(argc, argv); });
}

Result<std::string> App::parse(const std::string& line) {
  return parse_by(*app_, [&] { app_->parse(line); });
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

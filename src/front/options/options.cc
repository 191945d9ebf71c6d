#include "options/options.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "base/embedded.h"
#include "base/nearest.h"
#include "manual/option_groups.h"
#include "manual/option_rows.h"

namespace strata::cli {

namespace {

constexpr const char* kOldNamesEnd = "0.4";  // the release that no longer knows them

// With commas and an "or" before the last.
std::string either(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

}  // namespace

App::App(const std::string& description, const std::string& name)
    : App(description, name, nullptr) {}

App* App::add_subcommand(const std::string& name, const std::string& description) {
  return subcommands_.emplace_back(new App(description, name, this)).get();
}

void App::require_subcommand() { requires_subcommand_ = true; }

void App::set_version_flag(const std::string& names, const std::string& version) {
  version_names_ = names;
  version_ = version;
}

void App::below_options(std::function<std::string()> text) { below_options_ = std::move(text); }

void App::hide() { hidden_ = true; }

std::string App::path() const { return parent_ == nullptr ? name_ : parent_->path() + " " + name_; }

std::string App::file_name() const {
  if (parent_ == nullptr) return name_;
  return parent_->parent_ == nullptr ? name_ : parent_->file_name() + "_" + name_;
}

Option* App::keep(const std::string& names, Target target, const std::string& help) {
  return options_.emplace_back(std::make_unique<Option>(names, target, help)).get();
}

Option* App::add_option(const std::string& names, Target target, const std::string& help) {
  return keep(names, target, help);
}

Option* App::add_quantity(const std::string& names, Quantity quantity, Target target,
                          const std::string& help) {
  Option* option = keep(names, target, help);
  option->quantity_ = quantity;
  return option;
}

void App::add(const std::vector<Binding>& options) { add(file_name(), options); }

void App::add(std::string_view part, const std::vector<Binding>& options) {
  const std::string own_part = file_name();
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
  Option* old = keep(name, static_cast<std::vector<std::string>*>(nullptr), "");
  old->hide();
  old->passes_to_ = std::move(now);
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

Option* App::get_option(const std::string& name) const {
  if (Option* option = find(name)) return option;
  throw std::logic_error("there is no option " + name);
}

void App::remove_option(const std::string& name) {
  const Option* option = get_option(name);
  std::erase_if(options_, [&](const auto& kept) { return kept.get() == option; });
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

manual::CommandFacts App::facts() const {
  manual::CommandFacts facts{.name = path(), .about = description_};
  for (const auto& option : options_)
    if (!option->hidden()) facts.options.push_back(option->facts(facts.name));
  facts.options.push_back(
      {.name = "--help", .short_name = "-h", .help = "show the common options", .common = true});
  facts.options.push_back({.name = "--help-all", .help = "show every option"});
  if (!version_.empty())
    facts.options.push_back({.name = "--version", .short_name = "-V", .help = "show the version"});
  for (manual::OptionFacts& option : facts.options)
    if (option.group.empty()) option.group = manual::group_of(option.name);
  manual::sort_by_group(facts.options);
  for (const auto& subcommand : subcommands_)
    if (!subcommand->hidden_) facts.parts.push_back(subcommand->facts());
  if (below_options_) facts.lists = below_options_();
  // Examples and explanations, as they are in the repository.
  facts.notes = embedded_file("data/help/" + file_name() + ".txt").value_or("");
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

std::vector<std::string> command_of(const App& app) {
  std::vector<std::string> words;
  for (const App* each = &app; each->parent_ != nullptr; each = each->parent_)
    words.insert(words.begin(), each->name_);
  return words;
}

std::vector<std::pair<std::string, std::string>> given_options(const App& app) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const auto& option : app.options_)
    if (!option->passes_to_)  // what an old name is called now has its value
      for (const std::string& value : option->values()) given.emplace_back(option->name(), value);
  return given;
}

std::vector<std::string> given_words(const App& app) {
  std::vector<std::string> words = command_of(app);
  for (const auto& option : app.options_) {
    if (option->passes_to_) continue;
    for (const std::string& value : option->values()) {
      if (option->is_positional())
        words.push_back(value);
      else
        words.push_back(option->is_flag() ? option->name() : option->name() + "=" + value);
    }
  }
  return words;
}

}  // namespace strata::cli

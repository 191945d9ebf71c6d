// Reads command lines with CLI11, to which only what may be given is declared.
#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "manual/help_text.h"
#include "options/option.h"
#include "options/options.h"
#include "options/request.h"

namespace strata::cli {

namespace {

// The words of a command line that may name options.
class OptionWords {
 public:
  OptionWords(int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view word = argv[i];
      if (word.starts_with("--"))
        long_.push_back(word.substr(0, word.find('=')));
      else if (word.starts_with('-'))
        has_short_ = true;  // one word may hold several
    }
  }

  // `names` is `-o,--output`.
  bool may_name(std::string_view names) const {
    if (has_short_ && names[0] == '-' && names[1] != '-') return true;
    return std::any_of(long_.begin(), long_.end(),
                       [&](std::string_view word) { return names.ends_with(word); });
  }

 private:
  std::vector<std::string_view> long_;
  bool has_short_ = false;
};

}  // namespace

// ----- Option

template <class Number>
Option* Option::within(Number least, Number most) {
  checks_.push_back([=](const std::string& text) -> std::string {
    Number number = 0;
    if (CLI::detail::lexical_cast(text, number) && number >= least && number <= most) return "";
    constexpr double kUnbounded = 1e12;  // a limit for the machine, not for the reader
    return fmt::format(
        "\"{}\" is {} {}", text, std::is_integral_v<Number> ? "not a whole number" : "not a number",
        static_cast<double>(most) >= kUnbounded ? fmt::format("of {} or more", least)
                                                : fmt::format("from {} to {}", least, most));
  });
  return this;
}
template Option* Option::within(int, int);
template Option* Option::within(std::int64_t, std::int64_t);
template Option* Option::within(double, double);

void Option::declare(CLI::App& app) {
  if (passes_to_)
    option_ = app.add_option_function<std::vector<std::string>>(
        names_, [this](const std::vector<std::string>& values) { pass_on(values); });
  else if (quantity_)
    option_ = app.add_option_function<std::string>(
        names_, [this](const std::string& text) { take_quantity(text); });
  else
    option_ = std::visit(
        [&](auto* to) {
          if constexpr (std::is_same_v<decltype(to), bool*>)
            return app.add_flag(names_, *to);
          else
            return app.add_option(names_, *to);
        },
        target_);
  // A list is given by repeating its option: the words that follow are other arguments.
  if (is_list() && !is_positional()) option_->allow_extra_args(several_words_);
  if (required_) option_->required();
  if (commas_) option_->delimiter(',');
  for (const Check& check : checks_) option_->check(check);
}

// Throws as CLI11's own checks do.
void Option::take_quantity(const std::string& text) const {
  const auto number = parse_quantity(text, *quantity_);
  if (!number) throw CLI::ValidationError(name_, number.error().message);
  if (double* const* plain = std::get_if<double*>(&target_))
    **plain = *number;
  else
    *std::get<std::optional<double>*>(target_) = *number;
}

void Option::pass_on(const std::vector<std::string>& values) {
  Option* target = passes_to_(values.front());
  if (target->given())
    throw CLI::ValidationError(
        name_, fmt::format("this is the old name of {}; give one of the two", target->name()));
  for (const std::string& value : values) target->option_->add_result(value);
  target->option_->run_callback();
  now_ = target->name();
}

Status Option::take(const RequestOption& given) {
  const auto wrong = [&](std::string_view why) {
    return failure(Code::OptionValue, {.name = name_, .detail = std::string(why)});
  };
  if (is_flag()) {  // documents record "true"
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
  if (is_list())
    for (const std::string& value : given.values) option_->add_result(value);
  else
    option_->add_result(fmt::format("{}", fmt::join(given.values, ",")));
  return {};
}

bool Option::given() const { return option_ != nullptr && option_->count() > 0; }

std::vector<std::string> Option::values() const {
  return option_ == nullptr ? std::vector<std::string>() : option_->results();
}

// ----- App

// Here, where CLI::App is known.
App::App(const std::string& description, const std::string& name, const App* parent)
    : parent_(parent), name_(name), description_(description) {}

App::~App() = default;

void App::declare(const std::function<bool(const Option&)>& may_be_given) {
  own_ = std::make_unique<CLI::App>(description_, name_);
  own_->set_help_all_flag("--help-all");  // subcommands have it, too
  declare_as(*own_, may_be_given);
}

void App::declare_as(CLI::App& app, const std::function<bool(const Option&)>& may_be_given) {
  app_ = &app;
  if (!version_.empty()) app.set_version_flag(version_names_, version_);
  if (requires_subcommand_) app.require_subcommand(1);
  // The option that an old name passes its value on to may be any of them.
  const bool all = std::any_of(options_.begin(), options_.end(), [&](const auto& option) {
    return option->passes_to_ && may_be_given(*option);
  });
  for (const auto& option : options_) {
    option->option_ = nullptr;
    if (all || option->required_ || option->is_positional() || may_be_given(*option))
      option->declare(app);
  }
  for (const auto& subcommand : subcommands_)
    subcommand->declare_as(*app.add_subcommand(subcommand->name_, subcommand->description_),
                           may_be_given);
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
  const OptionWords words(argc, argv);
  declare([&](const Option& option) { return words.may_name(option.names_); });
  return parse_by([&] { app_->parse(argc, argv); });
}

Result<std::string> App::parse(const std::string& line) {
  declare([](const Option&) { return true; });
  return parse_by([&] { app_->parse(line); });
}

Result<std::string> App::parse(const Request& request) {
  declare([&](const Option& option) {
    return std::any_of(request.options.begin(), request.options.end(),
                       [&](const RequestOption& one) { return one.name == option.name(); });
  });
  const std::vector<std::string> path = CLI::detail::split(request.command, ' ');
  const App* command = this;
  for (const std::string& word : path) {
    const auto part =
        std::find_if(command->subcommands_.begin(), command->subcommands_.end(),
                     [&](const auto& one) { return one->name_ == word && !one->hidden_; });
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

Error App::unexpected() const {
  const std::vector<std::string> words = app_->remaining(true);
  const auto option = std::find_if(words.begin(), words.end(),
                                   [](const std::string& word) { return word.starts_with('-'); });
  if (option != words.end()) return chosen().no_option(option->substr(0, option->find('=')), true);
  const std::string given = words.empty() ? "" : words.front();
  return make_error(Code::OptionValue, {.given = given},
                    fmt::format("\"{}\" is one argument too many", given));
}

bool App::parsed() const { return app_ != nullptr && app_->parsed(); }

}  // namespace strata::cli

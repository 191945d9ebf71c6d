#include "options/option.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.h"
#include "manual/option_groups.h"
#include "manual/option_rows.h"

namespace strata::cli {

namespace {

// `--output` of `-o,--output`: the first long name; `-h` if there is none, `model` of an argument.
std::string main_name(const std::string& names) {
  const std::size_t dashes = names.find("--");
  const std::size_t start = dashes == names.npos ? 0 : dashes;
  return names.substr(start, names.find(',', start) - start);
}

std::string not_to_standard_output(const std::string& text) {
  return text == "-" ? "this cannot go to standard output; name a file" : "";
}

}  // namespace

Option::Option(const std::string& names, Target target, const std::string& help)
    : names_(names.substr(0, names.find(' '))),
      name_(main_name(names_)),
      target_(target),
      value_(names_.size() < names.size() ? names.substr(names_.size() + 1) : ""),
      help_(help) {}

Option* Option::required(bool needed) {
  required_ = needed;
  return this;
}

Option* Option::option_text(const std::string& text) {
  value_ = text;
  return this;
}

Option* Option::description(const std::string& help) {
  help_ = help;
  return this;
}

Option* Option::one_of(const std::vector<std::string>& words) {
  words_ = words;
  takes_others_ = false;
  checks_.push_back([this](const std::string& text) {
    if (std::find(words_.begin(), words_.end(), text) != words_.end()) return std::string();
    return fmt::format("there is no \"{}\"{}; it can be {}", text, did_you_mean(text, words_),
                       fmt::join(words_, ", "));
  });
  return this;
}

Option* Option::suggest(const std::vector<std::string>& words) {
  words_ = words;
  return this;
}

void Option::take_values(const manual::OptionRow& row) {
  group_ = row.group;
  if (!row.value.empty()) option_text(std::string(row.value));
  if (row.required) required();
  if (!row.words.empty()) one_of(row.words);
  if (row.only_file) checks_.emplace_back(not_to_standard_output);
  commas_ = row.commas;
  several_words_ = row.several_words;
  const std::string least(row.least), most(row.most);
  if (least.find('.') != least.npos)
    within(std::stod(least), std::stod(most));
  else if (!least.empty())
    within(std::int64_t{std::stoll(least)}, std::int64_t{std::stoll(most)});
}

Option* Option::hide() {
  hidden_ = true;
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

bool Option::is_list() const {
  return std::holds_alternative<std::vector<std::string>*>(target_) ||
         std::holds_alternative<std::vector<double>*>(target_);
}

manual::OptionFacts Option::facts(const std::string& command) const {
  manual::OptionFacts facts;
  facts.positional = is_positional();
  facts.name = name_;
  if (names_.size() > 1 && names_[0] == '-' && names_[1] != '-')
    facts.short_name = names_.substr(0, 2);
  facts.value = value_;
  facts.help = help_;
  facts.group = !group_.empty()    ? group_
                : facts.positional ? "Arguments"
                                   : std::string(manual::group_of(name_));
  facts.words = words_.empty() ? manual::words_of(command, name_) : words_;
  facts.takes_others = takes_others_;
  facts.required = required_;
  facts.repeatable = is_list();
  facts.common = manual::is_common(name_);
  return facts;
}

}  // namespace strata::cli

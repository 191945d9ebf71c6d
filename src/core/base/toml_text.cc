#include "base/toml_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata {

namespace {

constexpr std::size_t kLargest = std::size_t{4} << 20;
constexpr std::size_t kMostParts = 100, kDeepest = 100;

// toml++ makes a table for each part of a key and calls itself for each, also when the tables are
// freed: `a.a.a.…` would take the whole stack.
class DepthCheck {
 public:
  DepthCheck(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Status run() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size() - 1);
        if (text_[at_] == '\n') start_line();
      } else if (c == '"' || c == '\'') {
        pass_quotes(c);
      } else if (c == '\n') {
        start_line();
      } else if (c == ',') {
        parts_ = 0;
      } else if (c == '[' || c == '{') {
        around_ += parts_;
        outer_.push_back(std::exchange(parts_, 0));
        if (outer_.size() > kDeepest)
          return wrong(fmt::format("values are nested more than {} deep", kDeepest));
      } else if ((c == ']' || c == '}') && !outer_.empty()) {
        parts_ = outer_.back();
        around_ -= parts_;
        outer_.pop_back();
      } else if (c == '.' && ++parts_ + around_ > kMostParts) {
        return wrong(fmt::format("a key has more than {} parts", kMostParts));
      }
    }
    return {};
  }

 private:
  void start_line() {
    ++line_;
    parts_ = 0;
  }
  // From the opening quote to the closing one; a text of one line ends with its line.
  void pass_quotes(char quote) {
    const std::string three(3, quote);
    const bool is_long = text_.substr(at_).starts_with(three);
    for (at_ += is_long ? 3 : 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
        if (!is_long) return;
      } else if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (text_[at_] == quote && (!is_long || text_.substr(at_).starts_with(three))) {
        at_ += is_long ? 2 : 0;
        return;
      }
    }
  }
  tl::unexpected<Error> wrong(std::string_view what) const {
    return failure(Code::FileBroken, {.file = file_, .name = "toml"},
                   fmt::format("{}:{}: {}", file_, line_, what));
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_ = 1;
  std::size_t parts_ = 0;           // dots of the key so far
  std::vector<std::size_t> outer_;  // of the keys whose values are open
  std::size_t around_ = 0;          // their sum
};

}  // namespace

Result<toml::table> toml_from_text(std::string_view text, const std::string& file) {
  if (text.size() > kLargest)
    return failure(fmt::format("{}: a TOML file of more than 4 MiB is not read", file));
  if (Status status = DepthCheck(text, file).run(); !status) return failure(status);
  toml::parse_result parsed = toml::parse(text, file);
  if (!parsed)
    return failure(Code::FileBroken, {.file = file, .name = "toml"},
                   fmt::format("{}:{}: {}", file, parsed.error().source().begin.line,
                               in_quotes(parsed.error().description())));
  return std::move(parsed).table();
}

}  // namespace strata

#include "base/process_identity.h"

#include <unistd.h>

#include <charconv>

#include <fmt/format.h>

#include "base/system_calls.h"

namespace strata {

namespace {

constexpr std::size_t kBootDigits = 8;

template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

std::string ProcessIdentity::text() const { return fmt::format("{}-{}-{}", boot, process, start); }

std::optional<ProcessIdentity> ProcessIdentity::from_text(std::string_view text) {
  const std::size_t first = text.find('-');
  const std::size_t second = first == text.npos ? first : text.find('-', first + 1);
  if (first != kBootDigits || second == text.npos) return std::nullopt;
  ProcessIdentity out;
  out.boot = text.substr(0, first);
  if (out.boot.find_first_not_of("0123456789abcdef") != out.boot.npos) return std::nullopt;
  if (!parse(text.substr(first + 1, second - first - 1), out.process) || out.process <= 0 ||
      !parse(text.substr(second + 1), out.start))
    return std::nullopt;
  return out;
}

bool ProcessIdentity::has_ended() const {
  const auto own = this_process();
  return own && own->boot == boot && system_calls::start_of_process(process) != start;
}

std::optional<ProcessIdentity> this_process() {
  ProcessIdentity out{system_calls::boot_identity(), ::getpid(),
                      system_calls::start_of_process(::getpid())};
  if (out.boot.empty() || out.start == 0) return std::nullopt;
  return out;
}

}  // namespace strata

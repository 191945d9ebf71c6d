#include "options.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace strata::fake {

std::string parse_options(const StrataOpen& open, Options& out) {
  for (std::uint64_t i = 0; i < open.option_count; ++i) {
    const std::string_view text = open.options[i];
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view key = text.substr(0, equals);
    const std::string value(text.substr(std::min(equals + 1, text.size())));
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    const bool whole = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
    const std::int64_t count = whole ? std::strtoll(value.c_str(), nullptr, 10) : 0;
    bool good = whole;
    if (key == "seed")
      out.seed = static_cast<std::uint64_t>(count);
    else if (key == "noise")
      good = !value.empty() && *end == 0 && number >= 0 && number < 1, out.noise = number;
    else if (key == "warmup")
      out.warmup = count;
    else if (key == "outside")
      out.outside_ns = count;
    else if (key == "probe")
      out.probe_ns = count;
    else if (key == "cut")
      out.cut_ns = count;
    else if (key == "at")
      out.fail_at = count;
    else if (key == "after")
      out.fail_after = count;
    else if (key == "clock")
      out.clock = reinterpret_cast<std::int64_t*>(count);
    else if (key == "spin")
      out.spin_ns = count;
    else if (key == "burn")
      out.burn = count;
    else if (key == "walk")
      out.walk_bytes = count;
    else if (key == "answer")
      good = value == "wrong", out.answer = value;
    else if (key == "fail")
      good = true, out.fail = value;
    else
      return fmt::format("there is no option \"{}\"", key);
    if (!good) return fmt::format("\"{}\" is not a value for the option {}", value, key);
  }
  return "";
}

}  // namespace strata::fake

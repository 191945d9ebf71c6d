#include <string_view>

#include <fmt/format.h>

#include "failure.h"
#include "session.h"

namespace strata::ort {

namespace {

std::string text_of(const char* text) { return text != nullptr ? text : ""; }

}  // namespace

Setup read_setup(const StrataOpen& open) {
  constexpr std::string_view kConfig = "config.", kProvider = "provider.";
  Setup setup;
  setup.device = text_of(open.device);
  setup.provider = text_of(open.provider);
  setup.precision = text_of(open.precision);
  setup.threads = open.threads;
  setup.optimization = open.optimization;
  setup.trace = open.trace;
  setup.keep_types = open.keep_types != 0;
  for (std::uint64_t i = 0; i < open.option_count; ++i) {
    const std::string_view text = open.options[i];
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    if (equals == text.npos)
      throw Failure{STRATA_UNSUPPORTED, fmt::format("the option \"{}\" has no value", text)};
    const std::string value(text.substr(equals + 1));
    if (key == "spin" && (value == "0" || value == "1"))
      setup.spin = value == "1";
    else if (key.starts_with(kConfig))
      setup.config.emplace_back(key.substr(kConfig.size()), value);
    else if (key.starts_with(kProvider))
      setup.provider_options[std::string(key.substr(kProvider.size()))] = value;
    else
      throw Failure{STRATA_UNSUPPORTED,
                    fmt::format("there is no option \"{}\"; there are spin=0, spin=1, "
                                "config.KEY=VALUE and provider.KEY=VALUE",
                                text)};
  }
  return setup;
}

}  // namespace strata::ort

// Adds advice in the caller's own words to the library's messages: options of the program,
// keyword arguments of the Python package. The library names neither.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strata/base/error.h"

namespace strata::manual {

enum class Audience : std::uint8_t { Program, Python };

// `python`; anything else is the program's.
Audience audience_from_name(std::string_view name);

// The audience of this thread, while it lives. Without one it is the program's.
class AudienceScope {
 public:
  explicit AudienceScope(Audience audience);
  ~AudienceScope();
  AudienceScope(const AudienceScope&) = delete;
  AudienceScope& operator=(const AudienceScope&) = delete;

 private:
  Audience before_;
};
Audience audience();

std::string advised(const Error& error);  // for the audience of this thread
std::string advised_for(Audience audience, const Error& error);

// A sentence that names options, for an audience that may have other words: `--roofline has no
// effect` is `roofline=True has no effect` in Python.
std::string in_words_of(Audience audience, std::string_view sentence);

}  // namespace strata::manual

#include "base/shortened.h"

#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/sha256.h"

namespace strata {

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  text.remove_prefix(text.size() - most);
  while (!text.empty() && continues_character(text.front())) text.remove_prefix(1);
  return fmt::format("…{}", text);
}

std::string symbol_name(std::string_view name) {
  if (name.size() <= kLongestSymbol) return std::string(name);
  constexpr std::size_t kBeginning = 100, kDigestBytes = 8;
  std::size_t size = kBeginning;
  while (size > 0 && continues_character(name[size])) --size;
  const auto digest = sha256(name);
  return fmt::format("{}…{:02x}", name.substr(0, size),
                     fmt::join(std::span(digest).first(kDigestBytes), ""));
}

}  // namespace strata

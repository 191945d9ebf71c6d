// Hash tables whose keys come from files: text, or numbers of any size. The hash is keyed with
// random numbers of the process, so no file can provoke collisions. The order of a table differs
// from run to run: nothing may depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace strata {

struct TextHash {
  using is_transparent = void;
  // Not noexcept: libstdc++ then stores each hash instead of computing it again.
  std::size_t operator()(std::string_view text) const;
};

struct NumberHash {
  std::size_t operator()(std::uint64_t number) const;
};

// `Text` is std::string, or std::string_view for text that stays where it is.
template <class Text, class Value>
using TextMap = std::unordered_map<Text, Value, TextHash, std::equal_to<>>;
template <class Text, class Value>
using TextMultimap = std::unordered_multimap<Text, Value, TextHash, std::equal_to<>>;
template <class Text>
using TextSet = std::unordered_set<Text, TextHash, std::equal_to<>>;

template <class Value>
using NumberMap = std::unordered_map<std::uint64_t, Value, NumberHash>;
using NumberSet = std::unordered_set<std::uint64_t, NumberHash>;

}  // namespace strata

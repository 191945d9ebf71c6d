// Attention of several heads, and what decoders for text need around it.
#pragma once

#include "strata/zoo/zoo.h"

namespace strata::zoo {

// N×positions×width becomes N×heads×positions×head.
Var by_head(Builder& net, Var x, std::int64_t heads);

// Keys and values by head; none if `key.id` is kNone.
struct KeysAndValues {
  Var key, value;
  bool empty() const { return key.id == kNone; }
};
// Those of earlier positions, followed by those of the given ones.
KeysAndValues joined(Builder& net, const KeysAndValues& earlier, const KeysAndValues& given);

// softmax(query·keyᵀ + mask)·value as N×positions×width. Without a mask, all positions are seen.
Var attend(Builder& net, Var query, const KeysAndValues& with, Var mask = {});

// The numbers of the given tokens' positions, and a mask that hides later tokens from each: 0, or a
// number so small that nothing is left of what it is added to. `earlier` holds keys of positions
// before them, if there are any.
struct TokenPositions {
  Var numbers, mask;
};
TokenPositions token_positions(Builder& net, Var ids, const KeysAndValues& earlier);

// Inputs of a decoder for one layer's keys and values, and their outputs: `past_key_values.0.key`
// becomes `present.0.key`. `of` is empty, or says which of two attentions: `.decoder`.
KeysAndValues input_cache(Builder& net, std::size_t layer, std::string_view of, const Dims& dims);
void output_cache(Builder& net, std::size_t layer, std::string_view of, const KeysAndValues& cache);

inline constexpr Parameter kTextBatch{"batch", ParameterKind::Size, "1", "texts at once"};
inline constexpr Parameter kTokens{"sequence", ParameterKind::Size, "128", "tokens given"};
inline constexpr Parameter kWithCache{
    "cache", ParameterKind::Choice, "off", "keys and values of earlier tokens are given", 0, 0,
    "off|on"};
inline constexpr Parameter kEarlierTokens{"past", ParameterKind::Size, "128",
                                          "earlier tokens, with a cache"};

}  // namespace strata::zoo

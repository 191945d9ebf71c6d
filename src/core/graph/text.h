// Types, attributes and whole networks written as text, for worked examples and for tests that
// people can read.
//
//   input x f32[N,3,8,8]
//   weight w f32[16,3,3,3]              # stored, elements absent
//   weight axes i64[2]={0,2}            # stored with its elements
//   y = Conv(x, w) pads=1,1,1,1 name="/stem/Conv"
//   a, b = Split(y, _) axis=1
//   output a
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata {

struct TypedValue {
  TypeInfo type;
  std::optional<Value> value;
};

// `f32[1,3]`, `i64[2]={2,-1}`, `f32[?]`, `seq(f32[2], f32[3])`
Result<TypedValue> type_from_text(std::string_view text);
// `strides=2,2`, `axis=1`, `alpha=0.5f`, `mode="linear"`; a trailing comma makes a one-element
// list.
Attribute attribute_from_text(Model& model, std::string_view text);
// Splits at separators, but not inside brackets and quotes.
std::vector<std::string_view> split_text(std::string_view text, char separator);

// Parses a network in the lines above, in the given version of the default domain. Module scopes
// are not assigned.
Result<Model> model_from_text(std::string_view text, int opset = 17);

}  // namespace strata

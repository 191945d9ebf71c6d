#include "zoo/multi_head.h"

#include <fmt/format.h>

namespace strata::zoo {

Var by_head(Builder& net, Var x, std::int64_t heads) {
  const std::int64_t head = net.number(x, -1) / heads;
  const Var apart = net.reshape(x, {net.size(x, 0), net.size(x, 1), heads, head});
  return net.transpose(apart, {0, 2, 1, 3});
}

KeysAndValues joined(Builder& net, const KeysAndValues& earlier, const KeysAndValues& given) {
  if (earlier.empty()) return given;
  const Var key = net.concat({earlier.key, given.key}, 2);
  return {key, net.concat({earlier.value, given.value}, 2)};
}

Var attend(Builder& net, Var query, const KeysAndValues& with, Var mask) {
  const Expr batch = net.size(query, 0);
  const Expr length = net.size(query, 2);
  const std::int64_t width = net.number(query, 1) * net.number(query, 3);
  Var scores = net.matmul(query, net.transpose(with.key, {0, 1, 3, 2}));
  if (mask.id != kNone) scores = net.add(scores, mask);
  const Var mixed = net.matmul(net.softmax(scores, -1), with.value);
  return net.reshape(net.transpose(mixed, {0, 2, 1, 3}), {batch, length, width});
}

TokenPositions token_positions(Builder& net, Var ids, const KeysAndValues& earlier) {
  const Var given = net.length(ids, 1);
  const Var past = earlier.empty() ? net.integers({0}) : net.length(earlier.key, 2);
  const Var all = net.squeeze(earlier.empty() ? given : net.add(past, given), {0});
  const Var step = net.integer(1);
  const Var numbers = net.op("Range", {net.squeeze(past, {0}), all, step});
  const Var keys = net.op("Range", {net.integer(0), all, step});
  const Var rows = net.unsqueeze(numbers, {1});
  const Var later = net.op("Less", {rows, net.unsqueeze(keys, {0})});
  return {numbers, net.op("Where", {later, net.number(-65504), net.number(0)})};
}

KeysAndValues input_cache(Builder& net, std::size_t layer, std::string_view of, const Dims& dims) {
  const Var key = net.input(fmt::format("past_key_values.{}{}.key", layer, of), dims);
  return {key, net.input(fmt::format("past_key_values.{}{}.value", layer, of), dims)};
}

void output_cache(Builder& net, std::size_t layer, std::string_view of,
                  const KeysAndValues& cache) {
  net.output(fmt::format("present.{}{}.key", layer, of), cache.key);
  net.output(fmt::format("present.{}{}.value", layer, of), cache.value);
}

}  // namespace strata::zoo

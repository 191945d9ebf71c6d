// Swin Transformer: attention within windows that shift from block to block.
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "zoo/blocks.h"
#include "zoo/conv_norm.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

constexpr std::int64_t kWindow = 7;
constexpr std::int64_t kPositions = kWindow * kWindow;  // per window

// Height and width of a map; padded() rounds them up to whole windows.
struct Map {
  std::int64_t h, w;
  Map padded() const {
    const auto up = [](std::int64_t size) { return (size + kWindow - 1) / kWindow * kWindow; };
    return {up(h), up(w)};
  }
  bool operator==(const Map&) const = default;
};

// Appends zeros after the last row and column of N×H×W×C.
Var pad(Builder& net, Var x, std::int64_t rows, std::int64_t columns) {
  if (rows == 0 && columns == 0) return x;
  return net.op("Pad", {x, net.integers({0, 0, 0, 0, 0, rows, columns, 0})});
}

// Moves the first `by` elements along an axis to its end.
Var roll(Builder& net, Var x, int axis, std::int64_t by) {
  const std::int64_t size = net.number(x, axis);
  if (by == 0) return x;
  return net.concat({net.slice(x, axis, by, size), net.slice(x, axis, 0, by)}, axis);
}

// For each pair of positions in a window, the row of the bias table that they use: one for each
// distance in height and width.
std::vector<std::int64_t> relative_positions() {
  std::vector<std::int64_t> index;
  index.reserve(kPositions * kPositions);
  for (std::int64_t a = 0; a < kPositions; ++a)
    for (std::int64_t b = 0; b < kPositions; ++b)
      index.push_back((a / kWindow - b / kWindow + kWindow - 1) * (2 * kWindow - 1) +
                      (a % kWindow - b % kWindow + kWindow - 1));
  return index;
}

// After a shift, the last windows hold strips from both ends of the map, which must not attend to
// each other. By window, from position, to position: 0, or -100 to forbid.
std::vector<float> shift_mask(Map map, Map shift) {
  const auto strip = [](std::int64_t at, std::int64_t size, std::int64_t by) {
    return by == 0 || at < size - kWindow ? 0 : at < size - by ? 1 : 2;
  };
  std::vector<float> mask;
  for (std::int64_t top = 0; top < map.h; top += kWindow)
    for (std::int64_t left = 0; left < map.w; left += kWindow) {
      const auto region = [&](std::int64_t position) {
        return 3 * strip(top + position / kWindow, map.h, shift.h) +
               strip(left + position % kWindow, map.w, shift.w);
      };
      for (std::int64_t a = 0; a < kPositions; ++a)
        for (std::int64_t b = 0; b < kPositions; ++b)
          mask.push_back(region(a) == region(b) ? 0.0F : -100.0F);
    }
  return mask;
}

// Attention within each window; x is N·windows×positions×C.
Var window_attention(Builder& net, Var x, std::int64_t heads, Map map, Map shift) {
  const Expr windows = net.size(x, 0);
  const std::int64_t width = net.number(x, 2);
  const std::int64_t head = width / heads;
  const Var table =
      net.weight("relative_position_bias_table", {(2 * kWindow - 1) * (2 * kWindow - 1), heads});
  Var bias = net.gather(table, net.integers(relative_positions()), 0);
  bias = net.transpose(net.reshape(bias, {kPositions, kPositions, heads}), {2, 0, 1});

  x = projection(net, x, "qkv.weight", "qkv.bias", 3 * width);
  x = net.transpose(net.reshape(x, {windows, kPositions, 3, heads, head}), {2, 0, 3, 1, 4});
  const auto part = [&](std::int64_t i) { return net.gather(x, net.integer(i), 0); };
  Var query = part(0);
  query = net.mul(query, net.number(1 / std::sqrt(static_cast<float>(head))));
  const Var key = net.transpose(part(1), {0, 1, 3, 2});
  Var scores = net.add(net.matmul(query, key), bias);
  if (shift != Map{0, 0}) {
    const std::int64_t count = map.h / kWindow * (map.w / kWindow);
    const Expr batch = floor_div(windows, count);
    const Var mask = net.table(shift_mask(map, shift), {count, 1, kPositions, kPositions});
    scores = net.reshape(scores, {batch, count, heads, kPositions, kPositions});
    scores = net.reshape(net.add(scores, mask), {windows, heads, kPositions, kPositions});
  }
  const Var weights = net.softmax(scores, -1);
  const Var mixed = net.matmul(weights, part(2));
  x = net.reshape(net.transpose(mixed, {0, 2, 1, 3}), {windows, kPositions, width});
  return projection(net, x, "proj.weight", "proj.bias", width);
}

Var shifted_attention(Builder& net, Var x, std::int64_t heads, bool shifted) {
  const auto module = net.module("attn", "ShiftedWindowAttention");
  const Expr batch = net.size(x, 0);
  const Map given{net.number(x, 1), net.number(x, 2)};
  const std::int64_t width = net.number(x, 3);
  const Map map = given.padded();
  // A map with a single window has nothing to shift.
  const Map shift{shifted && map.h > kWindow ? kWindow / 2 : 0,
                  shifted && map.w > kWindow ? kWindow / 2 : 0};
  const std::int64_t down = map.h / kWindow;
  const std::int64_t across = map.w / kWindow;

  x = pad(net, x, map.h - given.h, map.w - given.w);
  x = roll(net, roll(net, x, 1, shift.h), 2, shift.w);
  x = net.reshape(x, {batch, down, kWindow, across, kWindow, width});
  x = net.transpose(x, {0, 1, 3, 2, 4, 5});
  x = net.reshape(x, {batch * (down * across), kPositions, width});
  x = window_attention(net, x, heads, map, shift);
  x = net.reshape(x, {batch, down, across, kWindow, kWindow, width});
  x = net.transpose(x, {0, 1, 3, 2, 4, 5});
  x = net.reshape(x, {batch, map.h, map.w, width});
  if (shift.h != 0) x = roll(net, x, 1, map.h - shift.h);
  if (shift.w != 0) x = roll(net, x, 2, map.w - shift.w);
  if (map.h != given.h) x = net.slice(x, 1, 0, given.h);
  if (map.w != given.w) x = net.slice(x, 2, 0, given.w);
  return x;
}

Var block(Builder& net, std::int64_t number, Var x, std::int64_t heads) {
  const auto module = net.module(number, "SwinTransformerBlock");
  const std::int64_t width = net.number(x, 3);
  Var y = shifted_attention(net, net.layer_norm("norm1", x), heads, number % 2 == 1);
  x = net.add(x, stochastic_depth(net, y));
  y = net.layer_norm("norm2", x);
  {
    const auto mlp = net.module("mlp", "MLP");
    y = net.gelu("1", net.linear("0", y, 4 * width));
    y = net.dropout("4", net.linear("3", net.dropout("2", y), width));
  }
  return net.add(x, stochastic_depth(net, y));
}

// Merges four neighbours into one position of twice the width.
Var merge_patches(Builder& net, std::int64_t number, Var x) {
  const auto module = net.module(number, "PatchMerging");
  const std::int64_t h = net.number(x, 1);
  const std::int64_t w = net.number(x, 2);
  const std::int64_t width = net.number(x, 3);
  x = pad(net, x, h % 2, w % 2);
  std::array<Var, 4> parts;
  for (std::int64_t i = 0; i < 4; ++i)
    parts[static_cast<std::size_t>(i)] =
        net.op("Slice", {x, net.integers({i % 2, i / 2}), net.integers({h + h % 2, w + w % 2}),
                         net.integers({1, 2}), net.integers({2, 2})});
  x = net.layer_norm("norm", net.concat(parts, 3));
  return net.linear("reduction", x, 2 * width, false);
}

struct Shape {
  std::int64_t width;
  std::array<std::int64_t, 4> depths;
  std::array<std::int64_t, 4> heads;
};
constexpr Shape kTiny = {96, {2, 2, 6, 2}, {3, 6, 12, 24}};

void swin_t(Builder& net, const Arguments& arguments) {
  constexpr std::int64_t kPatch = 4;
  Var x = image(net, arguments);
  {
    const auto features = net.module("features", "Sequential");
    {
      const auto patches = net.module("0", "Sequential");
      x = net.conv("0", x, kTiny.width, {.kernel = kPatch, .stride = kPatch});
      {
        const auto permute = net.module("1", "Permute");
        x = net.transpose(x, {0, 2, 3, 1});
      }
      x = net.layer_norm("2", x);
    }
    std::int64_t next = 1;
    for (std::size_t stage = 0; stage < kTiny.depths.size(); ++stage) {
      if (stage > 0) x = merge_patches(net, next++, x);
      const auto module = net.module(next++, "Sequential");
      for (std::int64_t i = 0; i < kTiny.depths[stage]; ++i)
        x = block(net, i, x, kTiny.heads[stage]);
    }
  }
  x = net.layer_norm("norm", x);
  {
    const auto permute = net.module("permute", "Permute");
    x = net.transpose(x, {0, 3, 1, 2});
  }
  x = net.adaptive_avg_pool("avgpool", x, 1);
  {
    const auto flatten = net.module("flatten", "Flatten");
    x = net.flatten(x);
  }
  net.output("output", net.linear("head", x, arguments.whole("classes")));
}

constexpr Parameter kSwinParameters[] = {
    kBatch,
    {"resolution", ParameterKind::Whole, "224", "height and width of the image", 4, 65536},
    kClasses,
    kType};

constexpr Entry kSwinNetworks[] = {
    {"swin_t", "attention in shifted windows, 2021", "SwinTransformer", kSwinParameters, swin_t},
};

}  // namespace

std::span<const Entry> swin_networks() { return kSwinNetworks; }

}  // namespace strata::zoo

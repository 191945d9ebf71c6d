#include "ops/window.h"

#include <fmt/format.h>

namespace strata {

namespace {

// Negative pads crop; some converters write them.
constexpr std::int64_t kAnyPad = Expr::kMinNumber;

// A list attribute with `count` items or none.
Status read_list(const ShapeContext& c, std::string_view name, std::size_t count,
                 std::int64_t at_least, std::span<const std::int64_t>& list) {
  list = c.integers(name);
  if (list.empty()) return {};
  if (list.size() != count)
    return c.error(
        fmt::format("attribute {} has {} items where {} are needed", name, list.size(), count));
  for (std::int64_t item : list)
    if (item < at_least)
      return c.error(fmt::format("attribute {} has an item {} below {}", name, item, at_least));
  return {};
}

Result<AutoPad> read_auto_pad(const ShapeContext& c) {
  const std::string_view mode = c.text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) return AutoPad::None;
  if (mode == "VALID") return AutoPad::Valid;
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") return AutoPad::Same;
  return c.error(
      fmt::format("auto_pad \"{}\" is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER", mode));
}

}  // namespace

Result<Window> read_window(const ShapeContext& c, std::size_t axes) {
  Window window;
  if (auto ok = read_list(c, "kernel_shape", axes, 1, window.kernel); !ok) return failure(ok);
  if (auto ok = read_list(c, "strides", axes, 1, window.strides); !ok) return failure(ok);
  if (auto ok = read_list(c, "dilations", axes, 1, window.dilations); !ok) return failure(ok);
  auto auto_pad = read_auto_pad(c);
  if (!auto_pad) return failure(auto_pad);
  window.auto_pad = *auto_pad;
  // If a file has both, auto_pad wins, as in engines.
  if (window.auto_pad == AutoPad::None)
    if (auto ok = read_list(c, "pads", 2 * axes, kAnyPad, window.pads); !ok) return failure(ok);
  return window;
}

Result<Expr> Window::places(const ShapeContext& c, std::size_t i, const Expr& input,
                            const Expr& size) const {
  if (auto_pad == AutoPad::Same) return ceil_div(input, stride(i));
  const Expr span = extent(i, size);
  const Expr room = input + pad_before(i) + pad_after(i) - span;
  if (room.is_number() && room.value() < 0) {
    if (input.is(0)) return Expr(0);  // an empty tensor stays empty
    return c.error(fmt::format("a window that spans {} does not fit into {} with padding {}",
                               span.text(), input.text(), (pad_before(i) + pad_after(i)).text()));
  }
  if (!ceil || auto_pad == AutoPad::Valid) return floor_div(room, stride(i)) + 1;
  const Expr count = ceil_div(room, stride(i)) + 1;
  // The last window starts at most stride - 1 beyond the available space.
  if (!last_starts_inside || provably_at_least(span - pad_after(i) - stride(i), 0)) return count;
  return min(count, ceil_div(input + pad_before(i), stride(i)));
}

Expr Window::spread(std::size_t i, const Expr& input, const Expr& size) const {
  return (input - 1) * stride(i) + extent(i, size) - pad_before(i) - pad_after(i);
}

Expr kernel_volume(const NodeView& c) {
  const auto kernel = c.integers("kernel_shape");
  if (kernel.empty()) return Expr::unknown();
  Expr volume = 1;
  for (std::int64_t size : kernel) volume *= size;
  return volume;
}

}  // namespace strata

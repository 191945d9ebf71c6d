// The builder's operations between modules.
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "strata/build/builder.h"

namespace strata::build {

Var Builder::op(std::string_view name, std::initializer_list<Var> inputs,
                std::initializer_list<Setting> settings) {
  return op(name, std::span(inputs.begin(), inputs.size()),
            std::span(settings.begin(), settings.size()));
}
std::vector<Var> Builder::ops(std::string_view name, std::initializer_list<Var> inputs,
                              std::size_t outputs, std::initializer_list<Setting> settings) {
  return ops(name, std::span(inputs.begin(), inputs.size()), outputs,
             std::span(settings.begin(), settings.size()));
}

Var Builder::weight(std::string_view name, std::initializer_list<std::int64_t> dims) {
  return weight(name, std::span(dims.begin(), dims.size()));
}
Var Builder::integers(std::initializer_list<std::int64_t> items) {
  return integers(std::span(items.begin(), items.size()));
}

Var Builder::relu(Var x) { return op("Relu", {x}); }
Var Builder::sigmoid(Var x) { return op("Sigmoid", {x}); }
Var Builder::add(Var a, Var b) { return op("Add", {a, b}); }
Var Builder::sub(Var a, Var b) { return op("Sub", {a, b}); }
Var Builder::mul(Var a, Var b) { return op("Mul", {a, b}); }
Var Builder::div(Var a, Var b) { return op("Div", {a, b}); }
Var Builder::matmul(Var a, Var b) { return op("MatMul", {a, b}); }
Var Builder::softmax(Var x, int axis) { return op("Softmax", {x}, {{"axis", axis}}); }

Var Builder::concat(std::span<const Var> parts, int axis) {
  const Setting settings[] = {{"axis", axis}};
  return op("Concat", parts, settings);
}
Var Builder::concat(std::initializer_list<Var> parts, int axis) {
  return concat(std::span(parts.begin(), parts.size()), axis);
}

Var Builder::flatten(Var x, int axis) { return op("Flatten", {x}, {{"axis", axis}}); }

// Sizes that are not numbers are taken from the input at run time: one of them can be -1, and one
// that keeps its position can be 0.
Var Builder::reshape(Var x, std::initializer_list<Expr> dims) {
  std::vector<std::int64_t> target;
  bool open = false;
  for (const Expr& size : dims) {
    const std::size_t at = target.size();
    if (const auto known = size.number()) {
      target.push_back(*known);
    } else if (at < shape(x).size() && shape(x)[at] == size) {
      target.push_back(0);
    } else if (!open) {
      target.push_back(-1);
      open = true;
    } else {
      fail("a reshape has two sizes that only a run can tell");
      return {};
    }
  }
  return op("Reshape", {x, integers(target)});
}

Var Builder::transpose(Var x, std::initializer_list<std::int64_t> order) {
  return op("Transpose", {x}, {{"perm", order}});
}
Var Builder::mean(Var x, std::initializer_list<std::int64_t> axes, bool keep) {
  return op("ReduceMean", {x}, {{"axes", axes}, {"keepdims", keep ? 1 : 0}});
}
Var Builder::squeeze(Var x, std::initializer_list<std::int64_t> axes) {
  return op("Squeeze", {x, integers(axes)});
}
Var Builder::unsqueeze(Var x, std::initializer_list<std::int64_t> axes) {
  return op("Unsqueeze", {x, integers(axes)});
}

Var Builder::slice(Var x, int axis, std::int64_t from, std::int64_t to, std::int64_t step) {
  if (step == 1) return op("Slice", {x, integers({from}), integers({to}), integers({axis})});
  return op("Slice", {x, integers({from}), integers({to}), integers({axis}), integers({step})});
}

Var Builder::gather(Var x, Var indices, int axis) {
  return op("Gather", {x, indices}, {{"axis", axis}});
}

std::vector<Var> Builder::split(Var x, int axis, std::span<const std::int64_t> sizes) {
  return ops("Split", {x, integers(sizes)}, sizes.size(), {{"axis", axis}});
}
std::vector<Var> Builder::split(Var x, int axis, int parts) {
  const std::int64_t whole = number(x, axis);
  if (parts < 1 || whole % parts != 0) {
    fail(fmt::format("{} cannot be split into {} equal parts", whole, parts));
    return std::vector<Var>(static_cast<std::size_t>(std::max(parts, 1)));
  }
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), whole / parts);
  return split(x, axis, sizes);
}

Var Builder::cast(Var x, DType to) { return op("Cast", {x}, {{"to", static_cast<int>(to)}}); }

Var Builder::length(Var x, int axis) {
  if (const auto known = size(x, axis).number()) return integers({*known});
  const int at = axis < 0 ? axis + static_cast<int>(shape(x).size()) : axis;
  return op("Shape", {x}, {{"start", at}, {"end", at + 1}});
}

namespace {

// Like torch's interpolate: `nearest` takes the pixel below, the others align pixel centres.
std::array<Setting, 3> resize_settings(std::string_view mode) {
  const bool nearest = mode == "nearest";
  const char* known = nearest ? "nearest" : mode == "cubic" ? "cubic" : "linear";
  return {Setting("coordinate_transformation_mode", nearest ? "asymmetric" : "pytorch_half_pixel"),
          Setting("mode", known), Setting("nearest_mode", "floor")};
}

}  // namespace

Var Builder::resize(Var x, Pair out, std::string_view mode) {
  const Var sizes = size(x, 0).is_number()
                        ? integers({number(x, 0), number(x, 1), out.h, out.w})
                        : concat({length(x, 0), integers({number(x, 1), out.h, out.w})}, 0);
  return op("Resize", std::array{x, Var{}, Var{}, sizes}, resize_settings(mode));
}

Var Builder::resize_by(Var x, float scale, std::string_view mode) {
  const float items[] = {1, 1, scale, scale};
  const Var scales = floats(items);
  return op("Resize", std::array{x, Var{}, scales}, resize_settings(mode));
}

}  // namespace strata::build

#include "read/tflite/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "read/tflite/schema_table.h"

namespace strata::tflite {

namespace {

// Fields that are one size of a window, and the attribute and place that they get.
struct WindowField {
  std::string_view field, attribute;
  std::size_t axis;  // of depth, height, width
};
constexpr WindowField kWindowFields[] = {
    {"stride_d", "strides", 0},
    {"stride_h", "strides", 1},
    {"stride_w", "strides", 2},
    {"dilation_d_factor", "dilations", 0},
    {"dilation_h_factor", "dilations", 1},
    {"dilation_w_factor", "dilations", 2},
    {"filter_height", "kernel_shape", 1},
    {"filter_width", "kernel_shape", 2},
};
constexpr std::string_view kWindowLists[] = {"strides", "dilations", "kernel_shape"};

class Reader {
 public:
  Reader(Loading& loading, const Table& options, OptionTexts& out)
      : loading_(loading), options_(options), out_(out) {}

  void read(std::span<const Field> fields) {
    for (const Field& field : fields) {
      if (field.is_list)
        read_list(field);
      else if (field.kind == Kind::Float32)
        out_.attributes.push_back(
            {field.name, options_.number<float>(field.slot, static_cast<float>(field.otherwise))});
      else
        read_whole(field, whole(field));
    }
    for (std::size_t i = 0; i < std::size(kWindowLists); ++i) keep_window(i);
  }

 private:
  std::int64_t whole(const Field& field) const {
    const auto otherwise = static_cast<std::int64_t>(field.otherwise);
    const auto read_as = [&](auto zero) -> std::int64_t {
      using T = decltype(zero);
      return static_cast<std::int64_t>(options_.number<T>(field.slot, static_cast<T>(otherwise)));
    };
    switch (field.kind) {
      case Kind::Int8:
        return read_as(std::int8_t{});
      case Kind::Uint8:
      case Kind::Bool:
        return read_as(std::uint8_t{});
      case Kind::Int16:
        return read_as(std::int16_t{});
      case Kind::Uint16:
        return read_as(std::uint16_t{});
      case Kind::Int32:
        return read_as(std::int32_t{});
      case Kind::Uint32:
        return read_as(std::uint32_t{});
      default:
        return read_as(std::int64_t{});
    }
  }

  void read_whole(const Field& field, std::int64_t number) {
    for (const WindowField& part : kWindowFields)
      if (part.field == field.name) {
        const auto list = static_cast<std::size_t>(
            std::find(std::begin(kWindowLists), std::end(kWindowLists), part.attribute) -
            std::begin(kWindowLists));
        windows_[list][part.axis] = number;
        has_axis_[list][part.axis] = true;
        return;
      }
    if (field.name == "fused_activation_function") {
      if (number == 0) return;
      const bool known = number > 0 && static_cast<std::size_t>(number) < kActivations.size();
      out_.attributes.push_back(
          {"activation", known ? kActivations[static_cast<std::size_t>(number)] : "UNKNOWN"});
    } else if (field.name == "padding") {
      // SAME puts the odd element at the end.
      out_.attributes.push_back(
          {"auto_pad", number == 0 ? std::string_view("SAME_UPPER") : std::string_view("VALID")});
    } else if (field.name.ends_with("_subgraph_index")) {
      out_.bodies.push_back({field.name, number});
    } else {
      out_.attributes.push_back({field.name, number});
    }
  }

  void read_list(const Field& field) {
    const std::size_t width = field.kind == Kind::Int64     ? sizeof(std::int64_t)
                              : field.kind == Kind::Int32   ? sizeof(std::int32_t)
                              : field.kind == Kind::Float32 ? 0
                                                            : sizeof(std::uint8_t);
    if (width == 0) return;
    const List list = options_.list(field.slot, width);
    loading_.count_list_items(list.count);
    const auto kept = loading_.model.keep_span<std::int64_t>(list.count);
    for (std::uint32_t i = 0; i < list.count; ++i) {
      if (width == sizeof(std::int64_t))
        kept[i] = loading_.wire.item<std::int64_t>(list, i);
      else if (width == sizeof(std::int32_t))
        kept[i] = loading_.wire.item<std::int32_t>(list, i);
      else
        kept[i] = loading_.wire.item<std::uint8_t>(list, i);
    }
    out_.attributes.push_back({field.name, std::span<const std::int64_t>(kept)});
  }

  void keep_window(std::size_t i) {
    const auto& has = has_axis_[i];
    const auto count = static_cast<std::size_t>(std::count(std::begin(has), std::end(has), true));
    if (count == 0) return;
    loading_.count_list_items(count);
    const auto kept = loading_.model.keep_span<std::int64_t>(count);
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < std::size(has); ++axis)
      if (has[axis]) kept[next++] = windows_[i][axis];
    out_.attributes.push_back({kWindowLists[i], std::span<const std::int64_t>(kept)});
  }

  Loading& loading_;
  const Table options_;
  OptionTexts& out_;
  std::int64_t windows_[std::size(kWindowLists)][3] = {};
  bool has_axis_[std::size(kWindowLists)][3] = {};
};

template <class Rows>
std::span<const Field> fields_of(const Rows& rows, std::uint8_t type) {
  if (type >= rows.size()) return {};  // newer than the table
  return std::span(kFields).subspan(rows[type].first, rows[type].count);
}

}  // namespace

void read_options(Loading& loading, const Table& op, const OperatorName& name, OptionTexts& out) {
  out.attributes.clear();
  out.bodies.clear();
  const auto type = op.number<std::uint8_t>(slot::kOperatorBuiltinOptionsType, 0);
  const auto type2 = op.number<std::uint8_t>(slot::kOperatorBuiltinOptions2Type, 0);
  Reader(loading, op.table(slot::kOperatorBuiltinOptions), out).read(fields_of(kOptions, type));
  Reader(loading, op.table(slot::kOperatorBuiltinOptions2), out).read(fields_of(kOptions2, type2));
  // Its body runs once in the life of a model, before the first inference.
  if (name.op == "CALL_ONCE") out.bodies.clear();
}

}  // namespace strata::tflite

#include "read/executorch/kernel.h"

#include <algorithm>

#include <fmt/format.h>

#include "ops/aten_schema.h"
#include "read/executorch/schema_table.h"

namespace strata::executorch {

namespace {

constexpr std::string_view kAtenDomain = "aten";

// Operators of ExecuTorch's own that compute what one of ATen's does. Their further arguments are
// the order of axes in memory, or the range of integers.
struct Same {
  std::string_view name, aten;
};
constexpr Same kSame[] = {
    {"dim_order_ops::_to_dim_order_copy", "_to_copy"},
    {"dim_order_ops::_clone_dim_order", "clone"},
    {"dim_order_ops::_empty_dim_order", "empty"},
    {"executorch_prim::et_view", "view"},
    {"executorch_prim::et_copy_index", "copy"},
    {"quantized_decomposed::quantize_per_tensor", "quantize_per_tensor"},
    {"quantized_decomposed::quantize_per_channel", "quantize_per_channel"},
    {"quantized_decomposed::dequantize_per_tensor", "dequantize"},
    {"quantized_decomposed::dequantize_per_channel", "dequantize"},
};

std::string joined(std::string_view name, std::string_view overload) {
  return overload.empty() ? std::string(name) : fmt::format("{}.{}", name, overload);
}

// The form without `out`; empty if it has no such form.
std::string form_without_out(std::string_view name, std::string_view overload) {
  const std::string whole = joined(name, overload);
  const auto stated = std::lower_bound(
      kOutForms.begin(), kOutForms.end(), whole,
      [](const OutForm& form, const std::string& other) { return form.with < other; });
  if (stated != kOutForms.end() && stated->with == whole) return std::string(stated->without);
  constexpr std::string_view kEnd = "_out";
  if (overload == "out") return std::string(name);
  if (overload.ends_with(kEnd))
    return joined(name, overload.substr(0, overload.size() - kEnd.size()));
  return whole;
}

}  // namespace

torch::Operator operator_of_kernel(Loading& loading, std::string_view name,
                                   std::string_view overload) {
  for (const Same& same : kSame)
    if (same.name == name) return {kAtenDomain, same.aten};
  const std::size_t colons = name.find("::");
  const std::string_view domain = colons == name.npos ? "" : name.substr(0, colons);
  const std::string_view op = colons == name.npos ? name : name.substr(colons + 2);
  const std::string own =
      domain == kAtenDomain ? form_without_out(op, overload) : joined(op, overload);
  return {domain, loading.kept(own)};
}

}  // namespace strata::executorch

// The families of ncnn's layers, in reading order.
#include "ops/aten_table.h"
#include "ops/ncnn_rows.h"

namespace strata {

std::span<const Family> ncnn_families() {
  static const Family kFamilies[] = {
      {"ncnn_conv", ncnn_conv_rules()},
      {"ncnn_matmul", ncnn_matmul_rules()},
      {"ncnn_recurrent", ncnn_recurrent_rules()},
      {"ncnn_norm", ncnn_norm_rules()},
      {"ncnn_pool", ncnn_pool_rules()},
      {"ncnn_blocks", ncnn_blocks_rules()},
      {"ncnn_activation", ncnn_activation_rules(), LayerKind::Other},
      {"ncnn_elementwise", ncnn_elementwise_rules(), LayerKind::Other},
      {"ncnn_layout", ncnn_layout_rules(), LayerKind::Other},
      {"ncnn_quant", ncnn_quant_rules(), LayerKind::Other},
  };
  return kFamilies;
}

const OpRule* find_ncnn_rule(std::string_view op) {
  // Never destroyed: an engine may end the process while a thread of ours looks something up.
  static const AtenTable& table = *new AtenTable(ncnn_families());
  return table.find(kNcnn, op);
}

std::optional<std::size_t> blob_axis(std::int64_t axis, std::size_t rank) {
  const auto axes = static_cast<std::int64_t>(rank) - 1;
  if (axis < -axes || axis >= axes) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + axes + 1 : axis + 1);
}

}  // namespace strata

// The families of TensorFlow Lite's operators, in reading order.
#include "ops/aten_table.h"
#include "ops/tflite_rows.h"

namespace strata {

std::span<const Family> tflite_families() {
  static const Family kFamilies[] = {
      {"tflite_conv", tflite_conv_rules()},
      {"tflite_matmul", tflite_matmul_rules()},
      {"tflite_recurrent", tflite_recurrent_rules()},
      {"tflite_pool", tflite_pool_rules()},
      {"tflite_activation", tflite_activation_rules()},
      {"tflite_elementwise", tflite_elementwise_rules(), LayerKind::Other},
      {"tflite_reduce", tflite_reduce_rules(), LayerKind::Other},
      {"tflite_layout", tflite_layout_rules(), LayerKind::Other},
      {"tflite_slice", tflite_slice_rules(), LayerKind::Other},
      {"tflite_gather", tflite_gather_rules(), LayerKind::Other},
      {"tflite_scatter", tflite_scatter_rules(), LayerKind::Other},
      {"tflite_signal", tflite_signal_rules(), LayerKind::Other},
      {"tflite_quant", tflite_quant_rules(), LayerKind::Other},
      {"tflite_control", tflite_control_rules(), LayerKind::Other},
      {"tflite_stablehlo", tflite_stablehlo_rules(), LayerKind::Other},
  };
  return kFamilies;
}

const OpRule* find_tflite_rule(std::string_view op) {
  // Never destroyed: an engine may end the process while a thread of ours looks something up.
  static const AtenTable& table = *new AtenTable(tflite_families());
  return table.find(kTflite, op);
}

}  // namespace strata

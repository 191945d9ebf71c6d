// The families of PyTorch's operators, in reading order.
#include "ops/registry.h"

namespace strata {

std::span<const Family> aten_families() {
  static const Family kFamilies[] = {
      {"aten_conv", aten_conv_rules()},
      {"aten_matmul", aten_matmul_rules()},
      {"aten_solve", aten_solve_rules(), LayerKind::Other},
      {"aten_quantized", aten_quantized_rules()},
      {"aten_attention", aten_attention_rules()},
      {"aten_recurrent", aten_recurrent_rules()},
      {"aten_norm", aten_norm_rules()},
      {"aten_pool", aten_pool_rules()},
      {"aten_activation", aten_activation_rules()},
      {"aten_elementwise", aten_elementwise_rules(), LayerKind::Other},
      {"aten_math", aten_math_rules(), LayerKind::Other},
      {"aten_reduce", aten_reduce_rules(), LayerKind::Other},
      {"aten_view", aten_view_rules(), LayerKind::Other},
      {"aten_layout", aten_layout_rules(), LayerKind::Other},
      {"aten_gather", aten_gather_rules(), LayerKind::Other},
      {"aten_resize", aten_resize_rules()},
      {"aten_create", aten_create_rules(), LayerKind::Other},
      {"aten_signal", aten_signal_rules(), LayerKind::Other},
      {"aten_control", aten_control_rules(), LayerKind::Other},
      {"aten_loss", aten_loss_rules(), LayerKind::Other},
      {"aten_backward", aten_backward_rules(), LayerKind::Other},
      {"aten_optimizer", aten_optimizer_rules(), LayerKind::Other},
  };
  return kFamilies;
}

}  // namespace strata

// QuantizeLinear and DequantizeLinear as they are put into a network.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "quant/edit.h"
#include "quant/quantize_values.h"

namespace strata {

class QdqNodes {
 public:
  explicit QdqNodes(GraphEdit& edit) : edit_(edit) {}

  // Scale and zero point of uint8, stored.
  struct Scales {
    TensorId scale = kNone, zero_point = kNone;
  };
  Scales scales(std::string_view name, const Quantization& numbers);

  // Behind `after` (before all nodes if kNone): `x` to whole numbers, which are returned, and
  // back, as `back`.
  TensorId pair(NodeId after, const std::string& name, TensorId x, TensorId back,
                const Scales& scales);

  // The same whole numbers back again, with as many equal scales as there are channels on axis 1.
  TensorId back_by_channel(NodeId after, const std::string& name, TensorId number,
                           std::int64_t channels, const Quantization& numbers,
                           const TypeInfo& type);

  // A layer's weights, stored; may be read by several.
  struct Weight {
    TensorId number = kNone, scale = kNone, zero_point = kNone;
  };
  Weight weight(const std::string& name, std::span<const std::int64_t> dims,
                const WholeWeights& whole);
  Weight bias(const std::string& name, const WholeWeights& whole);
  // The same in floats, made for `reader`.
  TensorId restored(NodeId reader, const std::string& name, const Weight& weight,
                    std::int64_t axis);

 private:
  TensorId zeros(DType type, std::int64_t count);

  GraphEdit& edit_;
  std::map<std::pair<DType, std::int64_t>, TensorId> zeros_;
};

}  // namespace strata

// Puts QuantizeLinear and DequantizeLinear into a network.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "edit/edit.h"
#include "edit/quantize_values.h"

namespace strata {

class QdqNodes {
 public:
  explicit QdqNodes(GraphEdit& edit) : edit_(edit) {}

  // The stored scale and zero point of a uint8 tensor.
  struct Scales {
    TensorId scale = kNone, zero_point = kNone;
  };
  Scales scales(std::string_view name, const Quantization& numbers);

  // Inserts a pair after `after` (before all nodes if kNone), which turns `x` into whole numbers,
  // which are returned, and those into floats again, as `back`.
  TensorId pair(NodeId after, const std::string& name, TensorId x, TensorId back,
                const Scales& scales);

  // Turns the same whole numbers into floats with one scale per channel on axis 1, all equal.
  TensorId back_by_channel(NodeId after, const std::string& name, TensorId number,
                           std::int64_t channels, const Quantization& numbers,
                           const TypeInfo& type);

  // A layer's stored weights, which several layers may read.
  struct Weight {
    TensorId number = kNone, scale = kNone, zero_point = kNone;
  };
  Weight weight(const std::string& name, std::span<const std::int64_t> dims,
                const WholeWeights& whole);
  Weight bias(const std::string& name, const WholeWeights& whole);
  // The weights turned into floats for `reader`.
  TensorId restored(NodeId reader, const std::string& name, const Weight& weight,
                    std::int64_t axis);

 private:
  TensorId zeros(DType type, std::int64_t count);

  GraphEdit& edit_;
  std::map<std::pair<DType, std::int64_t>, TensorId> zeros_;
};

}  // namespace strata

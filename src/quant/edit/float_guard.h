// Writes layers that stay in float in such a way that no engine's optimizer converts them to int8.
//
// ONNX Runtime's WeightBiasQuantization looks for a Conv, ConvTranspose or Gemm with a
// DequantizeLinear with one scale before it and a QuantizeLinear after it, and rounds its float
// weights. Here a convolution reads its input through a DequantizeLinear with one scale for each
// channel, all equal, and a product gets its bias as a row, [1, N]: the same numbers, but not
// that pattern. docs/adr/0013 says what this costs.
#pragma once

#include "edit/edit.h"
#include "edit/links.h"
#include "edit/placement.h"
#include "edit/qdq_nodes.h"
#include "strata/write/onnx.h"

namespace strata {

class FloatGuard {
 public:
  FloatGuard(const Model& model, const Links& links, const Placement& placement, GraphEdit& edit,
             QdqNodes& nodes, const FillElements& fill)
      : model_(model),
        graph_(model.graph()),
        links_(links),
        placement_(placement),
        edit_(edit),
        nodes_(nodes),
        fill_(fill) {}

  // True if a reader is a convolution in float that an optimizer may convert to int8.
  bool is_float_conv(const Reader& reader) const;
  // Makes such readers of `id` read `number`, its whole numbers made by `maker`, with a scale for
  // each channel.
  void read_by_channel(TensorId id, NodeId maker, TensorId number, const Quantization& numbers);
  // Guards products, and convolutions that read whole numbers through nodes that pass them on.
  Status guard_others(const std::vector<QuantLayer>& layers);

 private:
  bool comes_back(TensorId id) const;
  Status guard_gemm(NodeId node);
  Status guard_add(const QuantLayer& layer);
  Result<TensorId> bias_row(std::string_view name, TensorId bias, std::int64_t width);
  void read_copy(NodeId node);

  const Model& model_;
  const Graph& graph_;
  const Links& links_;
  const Placement& placement_;
  GraphEdit& edit_;
  QdqNodes& nodes_;
  const FillElements& fill_;
};

}  // namespace strata

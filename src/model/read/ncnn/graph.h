// Layers and blobs as a graph.
#pragma once

#include <string_view>

#include "read/ncnn/loading.h"
#include "read/ncnn/weights.h"
#include "read/onnx/scopes.h"
#include "strata/base/text_map.h"

namespace strata::ncnn {

class GraphReader {
 public:
  explicit GraphReader(Loading& loading)
      : loading_(loading), graph_(loading.model.graph()), scopes_(loading.model) {}

  void read(std::string_view bytes);

 private:
  void read_layer(const Line& line);
  void read_input(const Line& line);
  void read_constant(const Line& line);
  void read_copies(const Line& line);
  void read_node(const Line& line);
  TensorId blob(std::string_view name, const Line& line) const;
  TensorId make(std::string_view name, const Line& line);
  void call(std::string_view name, TensorId id, const Line& line);
  TensorId stored_tensor(std::string_view name, std::span<const std::int64_t> dims, DType dtype,
                         bool has_tag);
  // Finds the sizes that inputs do not state in the first layers that read them.
  void watch_inputs(const Line& line, const std::vector<Weight>& weights);
  void give_sizes(const Line& line, TensorId input, const std::vector<Weight>& weights);

  // An input without sizes: what has the same channels as it has so far.
  struct Open {
    TensorId input = kNone;
    std::vector<TensorId> like;
  };

  Loading& loading_;
  Graph& graph_;
  onnx::ScopeTree scopes_;
  TextMap<std::string_view, TensorId> blobs_;
  std::vector<bool> is_read_;  // by tensor
  std::vector<Open> open_;
  std::size_t inputs_ = 0;
};

}  // namespace strata::ncnn

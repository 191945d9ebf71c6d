// The tensors of a GGUF file by layer.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/text_map.h"
#include "strata/llm/network.h"
#include "strata/read/weights.h"

namespace strata::llm {

class LayerTensors {
 public:
  // `name` is what follows `blk.N.`: `attn_q.weight`.
  void add(std::string_view name, const StoredWeight& tensor);

  bool has(const char* name) const { return weight(name) != nullptr; }
  bool has_bias(const char* name) const;
  // True for a gated delta rule.
  bool is_delta() const;
  // nullptr: there is none. `name` is without `.weight`.
  const StoredWeight* weight(const char* name) const;
  // The size of an axis (outermost first) of the first tensor that exists; 0 if none does.
  std::int64_t size(std::initializer_list<const char*> names, std::size_t axis) const;
  // Vectors of the width that norms of the model have.
  int norms(std::int64_t hidden) const;
  // How each matrix is stored.
  std::vector<StoredMatrix> stored() const;

 private:
  TextMap<std::string, const StoredWeight*> tensors_;
};

}  // namespace strata::llm

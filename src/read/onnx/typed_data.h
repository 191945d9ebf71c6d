// The elements of a TensorProto that are kept as numbers (float_data, int32_data,
// …) and not as bytes.
#pragma once

#include <string>
#include <string_view>

#include "read/onnx/wire.h"
#include "strata/graph/graph.h"

namespace strata::onnx {

struct Loading;

class TypedData {
 public:
  // One occurrence of such a field. Payloads are stepped over, not read.
  void add(Fields& field);
  bool empty() const { return first_ == 0; }

  // Checks that there are as many as `elements` of data.dtype need. Small tensors
  // become Raw; so do floats that stand in one piece, whatever their size. Returns
  // what is wrong, or nothing.
  std::string place(Loading& loading, std::string_view message, std::int64_t elements,
                    TensorData& data) const;

 private:
  std::string unpack(Loading& loading, std::string_view message, std::uint64_t items,
                     TensorData& data) const;

  unsigned first_ = 0;        // number of the field; 0: none was seen
  unsigned second_ = 0;       // of another one, which should not be there
  std::uint64_t pieces_ = 0;  // packed occurrences
  std::uint64_t packed_bytes_ = 0;
  std::uint64_t singles_ = 0;  // elements that came one by one
  std::string_view piece_;     // the last packed one
};

}  // namespace strata::onnx

// The elements of a TensorProto that are stored as numbers (float_data, int32_data, …) instead of
// bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "read/onnx/wire.h"
#include "strata/graph/graph.h"

namespace strata::onnx {

struct Loading;

class TypedData {
 public:
  // Adds one occurrence of such a field. Payloads are skipped, not read.
  void add(Fields& field);
  bool empty() const { return first_ == 0; }

  // Checks that there are as many as `elements` of data.dtype need. Small tensors become Raw, and
  // so do floats that are in one piece, whatever their size. Returns what is wrong, or an empty
  // string.
  std::string place(Loading& loading, std::string_view message, std::int64_t elements,
                    TensorData& data) const;

 private:
  unsigned first_ = 0;        // number of the field; 0: none seen so far
  unsigned second_ = 0;       // number of another field, which should not be there
  std::uint64_t pieces_ = 0;  // packed occurrences
  std::uint64_t packed_bytes_ = 0;
  std::uint64_t singles_ = 0;  // elements that came one by one
  std::string_view piece_;     // the last packed occurrence
};

// The numbers of a TensorProto as memory would have them. `to` has as many bytes as the elements
// need. Returns what is wrong, or nothing.
std::string unpack_numbers(Source& source, std::string_view message, DType dtype,
                           std::span<char> to);

}  // namespace strata::onnx

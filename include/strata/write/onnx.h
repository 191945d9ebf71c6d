// Writes models to ONNX files. The file contains all that is in a Model: read(write(m)) is m, with
// three exceptions. Functions were inlined by the reader and stay inlined; values in bodies that
// shadow a name of an enclosing graph get new names; and a node of a function that imports another
// version of an operator set than the model takes the model's version, because ONNX requires the
// two to agree there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata {

// Provides the elements of a stored tensor that has none: fills `chunk` with the elements from
// number `first` on, little endian. Types of less than a byte are packed from the low end. Chunks
// come in order and start at a whole byte.
using FillElements =
    std::function<Status(const TensorData& data, std::int64_t first, std::span<std::byte> chunk)>;

// Options for writing a model. Sizes in bytes refer to the file.
struct WriteOptions {
  // For tensors whose store is Absent. If empty, they get dims only: engines refuse such a file,
  // but its costs can be counted.
  FillElements fill = {};

  // The handling of elements that the model keeps in another file, which is looked for beside
  // Model::path.
  enum class Elsewhere : std::uint8_t {
    Copy,   // they become part of what is written
    Refer,  // they stay there; the new file must then be put into the same folder
  };
  Elsewhere elsewhere = Elsewhere::Copy;

  // A larger file is split: stored tensors of at least `min_outside` go to `<file>.data` beside it.
  // Protocol buffers are limited to 2 GiB.
  std::uint64_t max_file = (std::uint64_t{1} << 31) - (std::uint64_t{16} << 20);
  std::uint64_t min_outside = 1024;
};

// Writes to a temporary file beside `path` and renames it at the end, so an interrupted write
// leaves no partial file under that name. Memory use stays small, whatever the size of the weights.
Status write_onnx(const Model& model, const std::string& path, const WriteOptions& options = {});

// Writes to memory; refuses a model that is larger than `max_file`.
Result<std::string> onnx_bytes(const Model& model, const WriteOptions& options = {});

}  // namespace strata

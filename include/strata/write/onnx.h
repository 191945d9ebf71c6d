// Models to ONNX files. What is in a Model is in the file: read(write(m)) is m,
// with three exceptions. Functions have been inlined by the reader and stay so;
// values of bodies that hide a name of an enclosing graph get names of their own;
// and a node of a function that imports another version of an operator set than the
// model does is now of the model's version, which ONNX wants to be the same there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata {

// Gives the elements of a stored tensor that has none: fills `chunk` with those
// from number `first` on, little endian; types of less than a byte are packed from
// the low end. Chunks come in order, and start at a whole byte.
using FillElements =
    std::function<Status(const TensorData& data, std::int64_t first, std::span<std::byte> chunk)>;

// How to write a model. Where a size is in bytes, it is of the file.
struct WriteOptions {
  // For tensors whose store is Absent. None: they get dims only, and the file is one
  // that engines refuse, but that costs can be counted of.
  FillElements fill = {};

  // Elements that the model keeps in another file, which is looked for beside
  // Model::path.
  enum class Elsewhere : std::uint8_t {
    Copy,   // become part of what is written
    Refer,  // stay there; the new file must then be put into the same folder
  };
  Elsewhere elsewhere = Elsewhere::Copy;

  // A larger file is split: stored tensors of at least `min_outside` go to
  // `<file>.data` beside it. Protocol buffers end at 2 GiB.
  std::uint64_t max_file = (std::uint64_t{1} << 31) - (std::uint64_t{16} << 20);
  std::uint64_t min_outside = 1024;
};

// Writes beside `path` and renames at the end: an interrupted write leaves no half
// file under that name. Memory stays small, whatever the weights are.
Status write_onnx(const Model& model, const std::string& path, const WriteOptions& options = {});

// The same in memory; a model that is larger than `max_file` is refused.
Result<std::string> onnx_bytes(const Model& model, const WriteOptions& options = {});

}  // namespace strata

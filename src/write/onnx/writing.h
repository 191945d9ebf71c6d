// What all parts of one writing share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "strata/write/onnx.h"
#include "write/onnx/message.h"
#include "write/onnx/scope_lists.h"

namespace strata::onnx {

// Thrown in this folder only: write_onnx turns it into an Error.
struct CannotWrite {
  Error error;
};
// The model cannot be written, whoever made it: an edit that went wrong.
[[noreturn]] void wrong_model(std::string message);

// The file beside the model that holds large tensors.
struct DataFile {
  struct Part {
    std::uint64_t offset;
    Payload payload;
  };
  std::string name;  // empty: there is none
  std::vector<Part> parts;
  std::uint64_t size = 0;

  // Where a payload of this size goes: ONNX recommends pages, so that it can be
  // mapped; small ones only get cache lines.
  std::uint64_t add(const Payload& payload);
};

struct Writing {
  const Model& model;
  const WriteOptions& options;
  ScopeLists scopes;
  DataFile data;
  // Files that the model keeps elements in, by their place.
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> sources;
  int depth = 0;  // of bodies
};

}  // namespace strata::onnx

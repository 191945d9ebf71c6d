// State that all parts of one write share.
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

// Thrown only within this folder: write_onnx turns it into an Error.
struct CannotWrite {
  Error error;
};
// The model cannot be written, no matter who made it, for example because an edit went wrong.
[[noreturn]] void wrong_model(std::string message);
// Returns the kept message of an ONNX file; another format's cannot be written.
std::string_view own_message(const Encoded& encoded);

// The file beside the model that holds large tensors.
struct DataFile {
  struct Part {
    std::uint64_t offset;
    Payload payload;
  };
  std::string name;  // empty: there is no such file
  std::vector<Part> parts;
  std::uint64_t size = 0;

  // Returns the offset for a payload of this size. ONNX recommends page alignment, so that it can
  // be mapped; small ones are only aligned to cache lines.
  std::uint64_t add(const Payload& payload);
};

struct Writing {
  const Model& model;
  const WriteOptions& options;
  ScopeLists scopes;
  DataFile data;
  // Files in which the model keeps elements, by location.
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> sources;
  int depth = 0;  // nesting of bodies
};

}  // namespace strata::onnx

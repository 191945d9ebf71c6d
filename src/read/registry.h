// The formats that can be read, each with a way to recognise it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "strata/read/read.h"

namespace strata {

struct ModelFormat {
  std::string_view name;   // `onnx`
  std::string_view files;  // `ONNX models (.onnx)`
  bool is_text = false;    // its files are letters and signs; those of all others are not
  // Whether a file with these bytes may have this format. It looks at the start, and at the
  // directory of an archive, which is at the end.
  bool (*recognise)(std::string_view bytes);
  Result<Model> (*read)(std::string_view bytes, const std::string& path,
                        const ReadOptions& options);
};

// All formats, starting with those that are recognised most reliably.
std::span<const ModelFormat> model_formats();

}  // namespace strata

// The formats of models, each with a way to recognise it. Help, errors, `strata formats` and
// docs/formats.md are made of this list.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/read/read.h"
#include "strata/read/source.h"
#include "strata/read/weights.h"

namespace strata {

struct ModelFormat {
  std::string_view name;     // `onnx`
  std::string_view files;    // `ONNX models (.onnx)`, for lists in sentences
  std::string_view endings;  // `.onnx .ort`; empty: its files are known by their contents alone
  std::string_view one;      // `an ONNX model`, for sentences about a file
  SourceKind kind = SourceKind::Graph;
  SourceWeights weights = SourceWeights::Stored;
  // The word by which engines say that they open it (Engine::formats()); empty: none does.
  std::string_view engine_format = {};
  // Says what to do where an ONNX file is needed: `write one with torch.onnx.export`.
  std::string_view to_onnx = {};
  bool is_text = false;  // its files are letters and signs; those of all others are not
  // True if a file with these bytes may have this format. It looks at the start, and at the
  // directory of an archive, which is at the end. Null: it is recognised by its path.
  bool (*recognise)(std::string_view bytes) = nullptr;
  bool (*recognise_path)(const std::string& path) = nullptr;
  // Reads a Graph. Code is recorded by an engine (strata/task/record.h), and built networks take
  // sizes (strata/task/model.h).
  Result<Model> (*read)(std::string_view bytes, const std::string& path,
                        const ReadOptions& options) = nullptr;
  // Reads Weights. Errors are sentences without the name of the file.
  Result<Weights> (*read_weights)(std::string_view bytes, const ReadOptions& options) = nullptr;
};

// All formats, starting with those that are recognised most reliably.
std::span<const ModelFormat> model_formats();

// `ONNX models (.onnx), exported PyTorch programs (.pt2)`: those of one kind.
std::string files_of(SourceKind kind);
// `.safetensors`, `.pth`, `.gguf`
std::vector<std::string_view> endings_of(SourceKind kind);

}  // namespace strata

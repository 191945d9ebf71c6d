#include "read/registry.h"

#include "read/onnx/reader.h"
#include "read/pt2/reader.h"
#include "read/recording/reader.h"

namespace strata {

namespace {

constexpr ModelFormat kFormats[] = {
    {.name = "onnx",
     .files = "ONNX models (.onnx)",
     .recognise = onnx::looks_like_model,
     .read = [](std::string_view bytes, const std::string& path,
                const ReadOptions& options) { return onnx::read(bytes, path, path, options); }},
    {.name = "pt2",
     .files = "exported PyTorch programs (.pt2)",
     .recognise = pt2::looks_like_archive,
     .read = [](std::string_view bytes, const std::string& path,
                const ReadOptions& options) { return pt2::read(bytes, path, options); }},
    {.name = "recording",
     .files = "recordings of strata's Python package (.json)",
     .is_text = true,
     .recognise = recording::looks_like_recording,
     .read = [](std::string_view bytes, const std::string& path,
                const ReadOptions& options) { return recording::read(bytes, path, options); }},
};

}  // namespace

std::span<const ModelFormat> model_formats() { return kFormats; }

}  // namespace strata

#include "read/registry.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "read/executorch/reader.h"
#include "read/hugging_face/folder.h"
#include "read/ncnn/reader.h"
#include "read/onnx/reader.h"
#include "read/openvino/reader.h"
#include "read/pt2/reader.h"
#include "read/recording/reader.h"
#include "read/tflite/reader.h"
#include "read/torch/script.h"
#include "read/weights/formats.h"

namespace strata {

namespace {

constexpr std::string_view kExport = "write one with torch.onnx.export";
constexpr std::string_view kFromTflite =
    "convert it with `python -m tf2onnx.convert --tflite FILE --output model.onnx`";
constexpr std::string_view kConverted = "give the model that it was converted from";

// Rows are tried in this order, so that a file that two rows would take
// belongs to the first.
constexpr ModelFormat kFormats[] = {
    {.name = "zoo",
     .files = "networks of the zoo (zoo:NAME)",
     .endings = {},
     .one = "a network of the zoo",
     .kind = SourceKind::Built,
     .weights = SourceWeights::Random,
     .engine_format = "onnx",
     .recognise_path = [](const std::string& path) { return path.starts_with(kZooPrefix); }},
    {.name = "hugging face",
     .files = "Hugging Face model folders (config.json)",
     .endings = {},
     .one = "a Hugging Face model folder",
     .kind = SourceKind::Built,
     .weights = SourceWeights::Random,
     .engine_format = "onnx",
     .recognise_path = hugging_face::is_folder},
    {.name = "safetensors",
     .files = "safetensors weights (.safetensors)",
     .endings = ".safetensors",
     .one = "a safetensors file",
     .kind = SourceKind::Weights,
     .recognise = weights::looks_like_safetensors,
     .read_weights = weights::read_safetensors},
    {.name = "safetensors index",
     .files = "safetensors indexes (.safetensors.index.json)",
     .endings = {},
     .one = "a safetensors index",
     .kind = SourceKind::Weights,
     .is_text = true,
     .recognise = weights::looks_like_index},
    {.name = "PyTorch state dict",
     .files = "PyTorch state dicts (.pth)",
     .endings = ".pth",
     .one = "a PyTorch state dict",
     .kind = SourceKind::Weights,
     .recognise =
         [](std::string_view bytes) {
           return weights::looks_like_state_dict(bytes) ||
                  weights::looks_like_old_state_dict(bytes);
         },
     .read_weights =
         [](std::string_view bytes, const ReadOptions& options) {
           return weights::looks_like_old_state_dict(bytes)
                      ? weights::read_old_state_dict(bytes, options)
                      : weights::read_state_dict(bytes, options);
         }},
    {.name = "GGUF",
     .files = "GGUF weights (.gguf)",
     .endings = ".gguf",
     .one = "a GGUF file",
     .kind = SourceKind::Weights,
     .recognise = weights::looks_like_gguf,
     .read_weights = weights::read_gguf},
    {.name = "torchscript",
     .files = "TorchScript modules (.pt)",
     .endings = ".pt",
     .one = "a TorchScript file",
     .kind = SourceKind::Code,
     .engine_format = "torchscript",
     .to_onnx = kExport,
     .recognise = torch::looks_like_script},
    {.name = "tflite",
     .files = "TensorFlow Lite models (.tflite)",
     .endings = ".tflite",
     .one = "a TensorFlow Lite model",
     .to_onnx = kFromTflite,
     .recognise = tflite::looks_like_model,
     .read = [](std::string_view bytes, const std::string& path,
                const ReadOptions& options) { return tflite::read(bytes, path, options); }},
    {.name = "executorch",
     .files = "ExecuTorch programs (.pte)",
     .endings = ".pte",
     .one = "an ExecuTorch program",
     .to_onnx = kExport,
     .recognise = executorch::looks_like_program,
     .read = [](std::string_view bytes, const std::string& path,
                const ReadOptions& options) { return executorch::read(bytes, path, options); }},
    {.name = "onnx",
     .files = "ONNX models (.onnx)",
     .endings = ".onnx",
     .one = "an ONNX model",
     .engine_format = "onnx",
     .recognise = onnx::looks_like_model,
     .read = [](std::string_view bytes, const std::string& path,
                const ReadOptions& options) { return onnx::read(bytes, path, path, options); }},
    {.name = "pt2",
     .files = "exported PyTorch programs (.pt2)",
     .endings = ".pt2",
     .one = "an exported PyTorch program",
     .to_onnx = kExport,
     .recognise = pt2::looks_like_archive,
     .read = [](std::string_view bytes, const std::string& path,
                const ReadOptions& options) { return pt2::read(bytes, path, options); }},
    {.name = "openvino",
     .files = "OpenVINO networks (.xml)",
     .endings = ".xml",
     .one = "an OpenVINO network",
     .engine_format = "openvino",
     .to_onnx = kConverted,
     .is_text = true,
     .recognise = openvino::looks_like_network,
     .read = openvino::read},
    {.name = "ncnn",
     .files = "ncnn networks (.param)",
     .endings = ".param",
     .one = "an ncnn network",
     .to_onnx = kConverted,
     .is_text = true,
     .recognise = ncnn::looks_like_network,
     .read = ncnn::read},
    {.name = "recording",
     .files = "recordings of strata's Python package (.json)",
     .endings = {},  // a .json file may be anything
     .one = "a recording",
     .weights = SourceWeights::None,
     .to_onnx = kExport,
     .is_text = true,
     .recognise = recording::looks_like_recording,
     .read = [](std::string_view bytes, const std::string& path,
                const ReadOptions& options) { return recording::read(bytes, path, options); }},
};

}  // namespace

std::span<const ModelFormat> model_formats() { return kFormats; }

std::string files_of(SourceKind kind) {
  std::vector<std::string_view> all;
  for (const ModelFormat& format : model_formats())
    if (format.kind == kind) all.push_back(format.files);
  return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<std::string_view> endings_of(SourceKind kind) {
  std::vector<std::string_view> all;
  for (const ModelFormat& format : model_formats())
    if (format.kind == kind && !format.endings.empty() &&
        std::find(all.begin(), all.end(), format.endings) == all.end())
      all.push_back(format.endings);
  return all;
}

}  // namespace strata

#include "strata/read/read.h"

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "read/looks_like.h"
#include "read/onnx/reader.h"
#include "read/recording/reader.h"
#include "read/registry.h"
#include "read/torch/script.h"

namespace strata {

namespace {

constexpr std::size_t kTextLookedAt = std::size_t{1} << 16;

std::string unknown_format(const std::string& path, std::string_view bytes) {
  std::string formats;
  for (const ModelFormat& format : model_formats())
    formats += fmt::format("{}{}", formats.empty() ? "" : ", ", format.files);
  const Guess guess = looks_like(bytes);
  // What has a network; weights alone can be counted, and nothing else.
  constexpr std::string_view kWeights = "weights alone (.safetensors, .pth, .gguf)";
  if (guess.what.empty())
    return fmt::format("{} is in no format that strata reads ({}; stat also reads {})", path,
                       formats, kWeights);
  if (guess.advice.empty())
    return fmt::format("{} is {}; strata reads {}; stat also reads {}", path, guess.what, formats,
                       kWeights);
  return fmt::format("{} is {}; {} (strata reads {})", path, guess.what, guess.advice, formats);
}

}  // namespace

Result<Model> read_model(const std::string& path, const ReadOptions& options) {
  auto file = MappedFile::open(path);
  if (!file) return failure(file);
  const std::string_view bytes = (*file)->bytes();
  if (bytes.empty())
    return failure(
        fmt::format("{} is empty; it was not written to the end, or not downloaded", path));
  // Letters can be taken for fields of a model that is damaged.
  const bool is_words = is_text(bytes.substr(0, kTextLookedAt));
  for (const ModelFormat& format : model_formats()) {
    if (is_words != format.is_text || !format.recognise(bytes)) continue;
    auto model = format.read(bytes, path, options);
    if (!model) return model;
    model->path = path;
    model->backing = *file;
    return model;
  }
  return failure(unknown_format(path, bytes));
}

bool is_torchscript(const std::string& path) {
  const auto file = MappedFile::open(path);
  return file && torch::looks_like_script((*file)->bytes());
}

Result<Model> read_recording(std::string bytes, std::string_view label,
                             const ReadOptions& options) {
  const auto kept = std::make_shared<const std::string>(std::move(bytes));
  auto model = recording::read(*kept, label, options);
  if (!model) return model;
  model->path = label;
  model->backing = kept;
  return model;
}

Result<Model> read_onnx(std::string_view bytes, std::string_view label,
                        const ReadOptions& options) {
  return onnx::read(bytes, label, std::nullopt, options);
}

}  // namespace strata

#include "strata/read/read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/given_files.h"
#include "base/mapped_file.h"
#include "read/looks_like.h"
#include "read/onnx/reader.h"
#include "read/recording/reader.h"
#include "read/registry.h"

namespace strata {

namespace {

Error unknown_format(const std::string& path, std::string_view bytes) {
  const std::string formats = files_of(SourceKind::Graph);
  const Guess guess = looks_like(bytes);
  const std::string weights =
      fmt::format("weights alone ({})", fmt::join(endings_of(SourceKind::Weights), ", "));
  std::string sentence;
  if (guess.what.empty())
    sentence = fmt::format("{} is in no format that strata reads ({}; stat also reads {})", path,
                           formats, weights);
  else if (guess.advice.empty())
    sentence = fmt::format("{} is {}; strata reads {}; stat also reads {}", path, guess.what,
                           formats, weights);
  else
    sentence = fmt::format("{} is {}; {} (strata reads {})", path, guess.what,
                           advice_for(guess, path), formats);
  return make_error(Code::FormatUnknown, {.file = path, .found = std::string(guess.what)},
                    std::move(sentence));
}

}  // namespace

Result<Model> read_model(const Source& source, const ReadOptions& options) {
  const std::string& path = source.word();
  if (source.backing() == nullptr) {
    const auto file = MappedFile::open(path);  // says what it is instead
    return file ? failure(fmt::format("{} is not a file", path)) : failure(file);
  }
  const std::string_view bytes = source.bytes();
  if (bytes.empty()) return failure(Code::FileEmpty, {.file = path});
  const ModelFormat* format = source.format();
  if (format == nullptr || format->read == nullptr) return failure(unknown_format(path, bytes));
  auto model = format->read(bytes, path, options);
  if (!model)
    return failure(coded(Code::FileBroken, {.file = path, .name = std::string(format->name)},
                         std::move(model.error())));
  model->path = shown_name(path);
  model->backing = source.backing();
  return model;
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

#include "task/activation_ranges.h"

#include <map>

#include <fmt/format.h>

namespace strata {

namespace {

RangeOptions choice_of(const RangesWanted& wanted, const RangeOptions& otherwise) {
  RangeOptions out = wanted.choice.value_or(otherwise);
  out.scheme = {.bits = wanted.bits, .symmetric = false};
  return out;
}

Status choose(TensorRanges& out, const std::string& tensor, const Sketch& sketch,
              const RangeOptions& choice) {
  auto range = choose_range(sketch, choice);
  if (!range) return failure_in(tensor, range);
  out[tensor] = *range;
  return {};
}

Status choose(ActivationRanges& out, const std::string& tensor, const Sketch& sketch,
              const RangeOptions& choice) {
  if (auto status = choose(out.ranges, tensor, sketch, choice); !status) return status;
  const Range range = out.ranges[tensor];
  if (const auto sqnr = sqnr_db(sketch, quantization(range, choice.scheme)))
    out.sqnr[tensor] = *sqnr;
  return {};
}

}  // namespace

std::string choice_words(const RangeOptions& choice) {
  std::string words(name_of(choice.choice));
  if (choice.choice == RangeChoice::Percentile) words += fmt::format(" {}", choice.percentile);
  return words;
}

Result<TensorRanges> ranges_of(const Calibration& calibration, const RangeOptions& choice) {
  TensorRanges out;
  for (const TensorSketch& tensor : calibration.tensors)
    if (auto status = choose(out, tensor.name, tensor.sketch, choice); !status)
      return failure(status);
  return out;
}

Result<ActivationRanges> ranges_from_file(const RangesWanted& wanted, const std::string& path) {
  auto calibration = read_calibration(path);
  if (!calibration) return failure(calibration);
  ActivationRanges out;
  const RangeOptions how = choice_of(wanted, calibration->choice);
  out.words = fmt::format("{} of {}{}", choice_words(how), path,
                          calibration->random ? ", which is of RANDOM samples" : "");
  std::map<std::string_view, const Sketch*> sketches;
  for (const TensorSketch& tensor : calibration->tensors) sketches[tensor.name] = &tensor.sketch;
  for (const TensorId id : wanted.tensors) {
    const std::string tensor(wanted.model.graph().tensors[id].name);
    const auto sketch = sketches.find(tensor);
    if (sketch == sketches.end())
      return failure(Code::RangesLack, {.file = path, .model = wanted.name, .name = tensor});
    if (auto status = choose(out, tensor, *sketch->second, how); !status) return failure(status);
  }
  return out;
}

Result<std::optional<ActivationRanges>> ranges_from_samples(
    const RangesWanted& wanted, const std::vector<QuantLayer>& layers, const Engine& engine,
    const SessionOptions& session, const ModelSource& source, const Dataset& data,
    const Observer& observer) {
  std::vector<Watched> watched;
  for (const TensorId id : wanted.tensors) {
    Watched& one = watched.emplace_back();
    one.tensor = wanted.model.graph().tensors[id].name;
    for (const QuantLayer& layer : layers)
      if (layer.output == id) one.layer = layer.path;
  }
  CalibrateOptions options;
  options.session = session;
  options.stop = observer.stop;
  options.progress = [&](std::int64_t done) { observer.show("calibrating", done, data.count()); };
  auto seen = calibrate(engine, source, wanted.model, data, watched, options);
  if (!seen) return failure(seen);
  if (seen->samples < data.count()) return std::nullopt;
  ActivationRanges out;
  const RangeOptions how = choice_of(wanted, {});
  out.words = fmt::format("{} of the same {} samples", choice_words(how), seen->samples);
  for (std::size_t i = 0; i < watched.size(); ++i)
    if (auto status = choose(out, watched[i].tensor, seen->sketches[i], how); !status)
      return failure(status);
  return std::optional(std::move(out));
}

}  // namespace strata

#include "cli/quantize_samples.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "cli/calibrate_run.h"
#include "cli/interrupt.h"
#include "profile/hash.h"
#include "strata/quant/calibrate.h"

namespace strata::cli {

namespace {

constexpr std::int64_t kCalibration = 32;  // samples, if nothing is said

// Sizes of inputs are part of the hash, but not of what ranges belong to.
bool is_of(const Calibration& calibration, const Model& model) {
  if (calibration.hash == graph_hash(model)) return true;
  std::set<std::string_view> theirs;
  for (const TensorSketch& tensor : calibration.tensors) theirs.insert(tensor.name);
  const auto ours = watched_tensors(model);
  return ours.size() == theirs.size() &&
         std::all_of(ours.begin(), ours.end(),
                     [&](const Watched& one) { return theirs.contains(one.tensor); });
}

std::string choice_words(const RangeOptions& choice) {
  std::string words(name(choice.choice));
  if (choice.choice == RangeChoice::Percentile) words += fmt::format(" {}", choice.percentile);
  return words + (choice.scheme.symmetric ? ", symmetric" : "");
}

}  // namespace

Result<Calibration> QuantizeSamples::read() {
  auto read = read_calibration(request_->ranges);
  if (!read) return read;
  if (!is_of(*read, model_->model))
    return failure(
        fmt::format("{}: its ranges are of another network, {}; make them for {} with "
                    "`strata calibrate`",
                    request_->ranges, read->model, request_->model.path));
  if (read->samples == 0)
    return failure(fmt::format("{}: it has seen no samples; run `strata calibrate` to its end",
                               request_->ranges));
  return read;
}

// Some are left over for judging answers, also of a small folder.
Result<Calibration> QuantizeSamples::calibrated() {
  CalibrateRun run;
  run.model = request_->model;
  run.data = data_;
  run.engine = request_->engine;
  std::int64_t& samples = run.data.data.samples;
  if (samples == 0) {
    samples = kCalibration;
    if (!data_.data.random) {
      auto all = data_.open(model_->model);
      if (!all) return tl::unexpected(all.error());
      const std::int64_t rest = all->count() - request_->held_out;
      samples = std::min(kCalibration, std::max({rest, all->count() / 2, std::int64_t{1}}));
    }
  }
  auto result = run_calibration(run);
  if (!result) {
    Error error = result.error();
    if (error.message.ends_with("--allow-nonfinite")) error.message += " of `strata calibrate`";
    return tl::unexpected(std::move(error));
  }
  if (result->interrupted) return failure("stopped while ranges were being measured");
  data_.data.samples = samples;
  return std::move(result->calibration);
}

// Without samples of the user's, those that follow in the data of the file.
Status QuantizeSamples::find_data(const Calibration& calibration) {
  used_ = static_cast<std::int64_t>(calibration.samples);
  if (request_->ranges.empty()) return {};
  if (data_.path.empty() && !data_.data.random) {
    if (calibration.source.empty())
      return failure(fmt::format("{} does not say where its samples come from: give samples to "
                                 "judge answers on with --data, or --random for a dry run",
                                 request_->ranges),
                     ErrorKind::Usage);
    auto known = DataOptions::from_words(calibration.source);
    if (!known) return failure(fmt::format("{}: {}", request_->ranges, known.error().message));
    data_ = std::move(*known);
    return {};
  }
  const auto ours = data_.words();
  const auto value = [](const auto& words, const char* key) {
    const auto found = words.find(key);
    return found == words.end() ? std::string() : found->second;
  };
  if (calibration.source.empty()) return {};
  for (const char* key : {"data", "random", "seed"})
    if (value(ours, key) != value(calibration.source, key)) has_own_ = true;
  if (has_own_) return {};
  auto theirs = DataOptions::from_words(calibration.source);
  if (!theirs) return {};
  // What is not said is as it was there: which samples, and how images are read.
  DataOptions plain;
  plain.path = data_.path;
  plain.data.samples = data_.data.samples;
  plain.data.random = data_.data.random;
  plain.data.seed = data_.data.seed;
  if (ours == plain.words())
    data_ = std::move(*theirs);
  else if (!theirs->data.spread && data_.data.offset >= theirs->data.offset + used_)
    has_own_ = true;
  return {};
}

Result<QuantizeSamples> QuantizeSamples::find(const QuantizeRequest& request,
                                              const LoadedModel& model) {
  QuantizeSamples out(request, model);
  auto calibration = request.ranges.empty() ? out.calibrated() : out.read();
  if (!calibration) return tl::unexpected(calibration.error());
  if (auto status = out.find_data(*calibration); !status) return tl::unexpected(status.error());
  out.random_ = calibration->random || out.data_.data.random;
  RangeOptions choice = request.choice.value_or(calibration->choice);
  choice.scheme.bits = 8;
  choice.scheme.is_signed = false;
  out.words_ = fmt::format("{} of {} {}samples{}", choice_words(choice), calibration->samples,
                           calibration->random ? "RANDOM " : "",
                           request.ranges.empty() ? "" : " in " + request.ranges);
  for (const TensorSketch& tensor : calibration->tensors) {
    auto range = choose_range(tensor.sketch, choice);
    if (!range) return failure(fmt::format("{}: {}", tensor.name, range.error().message));
    out.ranges_[tensor.name] = *range;
  }
  return out;
}

Result<Dataset> QuantizeSamples::held_out(std::int64_t most) const {
  DataOptions data = data_;
  if (data.data.spread && !has_own_) {
    // The same step, one further on: as many, and none in common.
    data.data.samples = used_;
    data.data.offset += 1;
    auto all = data_;
    all.data.samples = 0;
    all.data.spread = false;
    auto total = all.open(model_->model);
    if (!total) return total;
    if (total->count() / std::max<std::int64_t>(used_, 1) >= 2) return data.open(model_->model);
  } else {
    data.data.samples = most;
    if (!has_own_) data.data.offset += used_;
    if (has_own_ || data.data.random) return data.open(model_->model);
    auto all = data_;
    all.data.samples = 0;
    auto total = all.open(model_->model);
    if (!total) return total;
    if (total->count() > used_) return data.open(model_->model);
  }
  return failure(
      fmt::format("{} has no samples behind the {} that ranges come from", data.path, used_));
}

}  // namespace strata::cli

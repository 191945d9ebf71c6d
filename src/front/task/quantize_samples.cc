#include "task/quantize_samples.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "graph/hash.h"
#include "strata/calibrate/calibrate.h"
#include "strata/task/calibrate.h"
#include "task/activation_ranges.h"

namespace strata {

namespace {

constexpr std::int64_t kCalibration = 32;  // samples, by default

// Sizes of inputs are part of the hash, but ranges do not depend on them.
bool is_of(const Calibration& calibration, const Model& model) {
  if (calibration.hash == graph_hash(model)) return true;
  std::set<std::string_view> theirs;
  for (const TensorSketch& tensor : calibration.tensors) theirs.insert(tensor.name);
  const auto ours = watched_tensors(model);
  return ours.size() == theirs.size() &&
         std::all_of(ours.begin(), ours.end(),
                     [&](const Watched& one) { return theirs.contains(one.tensor); });
}

}  // namespace

Result<Calibration> QuantizeSamples::read() {
  auto read = read_calibration(request_->ranges);
  if (!read) return read;
  if (!is_of(*read, *model_))
    return failure(
        Code::RangesOfOther,
        {.file = request_->ranges, .model = request_->model.source.word(), .found = read->model});
  if (read->samples == 0) return failure(Code::RangesEmpty, {.file = request_->ranges});
  return read;
}

// Leaves some samples for judging answers, even in a small folder.
Result<Calibration> QuantizeSamples::calibrated() {
  CalibrateRequest calibration{request_->model, data_, request_->engine};
  calibration.in_process = true;  // as this is part of a job that has its own process
  std::int64_t& samples = calibration.data.data.samples;
  if (samples == 0) {
    samples = kCalibration;
    if (!data_.data.random) {
      auto all = data_.open(*model_);
      if (!all) return failure(all);
      const std::int64_t rest = all->count() - request_->held_out;
      samples = std::min(kCalibration, std::max({rest, all->count() / 2, std::int64_t{1}}));
    }
  }
  auto result = run_calibrate(calibration, *observer_);
  if (!result) return failure(result);
  if (result->interrupted)
    return failure(Code::Cancelled, {}, "stopped while ranges were being measured");
  data_.data.samples = samples;
  return std::move(result->calibration);
}

// If the user gives no samples, those that follow in the file's own data are used.
Status QuantizeSamples::find_data(const Calibration& calibration) {
  used_ = static_cast<std::int64_t>(calibration.samples);
  if (request_->ranges.empty()) return {};
  if (data_.path.empty() && !data_.data.random) {
    if (calibration.source.empty()) return failure(Code::NoSamplesLeft, {.file = request_->ranges});
    auto known = DataRequest::from_words(calibration.source);
    if (!known)
      return failure(Code::SourceUnknown,
                     {.file = request_->ranges, .detail = known.error().message});
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
  auto theirs = DataRequest::from_words(calibration.source);
  if (!theirs) return {};
  // Options that are not given are taken from there: which samples, and how images are read.
  DataRequest plain;
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

Result<QuantizeSamples> QuantizeSamples::find(const QuantizeRequest& request, const Model& model,
                                              const Observer& observer) {
  QuantizeSamples out(request, model, observer);
  auto calibration = request.ranges.empty() ? out.calibrated() : out.read();
  if (!calibration) return failure(calibration);
  if (auto status = out.find_data(*calibration); !status) return failure(status);
  out.random_ = calibration->random || out.data_.data.random;
  RangeOptions choice = request.choice.value_or(calibration->choice);
  choice.scheme.bits = 8;
  choice.scheme.is_signed = false;
  out.words_ = fmt::format("{}{} of {} {}samples{}", choice_words(choice),
                           choice.scheme.symmetric ? ", symmetric" : "", calibration->samples,
                           calibration->random ? "RANDOM " : "",
                           request.ranges.empty() ? "" : " in " + request.ranges);
  auto ranges = ranges_of(*calibration, choice);
  if (!ranges) return failure(ranges);
  out.ranges_ = std::move(*ranges);
  return out;
}

Result<Dataset> QuantizeSamples::held_out(std::int64_t most) const {
  DataRequest data = data_;
  if (data.data.spread && !has_own_) {
    // Like above, one sample further on: equally many samples, and none in common.
    data.data.samples = used_;
    data.data.offset += 1;
    auto all = data_;
    all.data.samples = 0;
    all.data.spread = false;
    auto total = all.open(*model_);
    if (!total) return total;
    if (total->count() / std::max<std::int64_t>(used_, 1) >= 2) return data.open(*model_);
  } else {
    data.data.samples = most;
    if (!has_own_) data.data.offset += used_;
    if (has_own_ || data.data.random) return data.open(*model_);
    auto all = data_;
    all.data.samples = 0;
    auto total = all.open(*model_);
    if (!total) return total;
    if (total->count() > used_) return data.open(*model_);
  }
  return failure(
      fmt::format("{} has no samples behind the {} that ranges come from", data.path, used_));
}

}  // namespace strata

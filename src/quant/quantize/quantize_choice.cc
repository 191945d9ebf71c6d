// Chooses which layers and activations stay in float, if the user does not.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "bench/ratio.h"
#include "edit/kept.h"
#include "quantize/quantizing.h"

namespace strata {

namespace {

constexpr std::size_t kDropSamples = 8;  // samples that single parts are judged on
constexpr double kWorthATrial = 0.02;    // share of the layers' time that slow ones must lose
constexpr double kSlower = 1.1;          // times as long in int8, to be worth a trial in float

}  // namespace

Status Quantizing::choose() {
  for (std::size_t l = 0; l < keep_.layers.size(); ++l)
    if (keep_.layers[l]) out_.layers[l].reason = "named";
  if (!task_.automatic) return {};
  if (auto status = keep_for_answers(); !status) return status;
  return task_.time ? keep_for_speed() : Status{};
}

AnswerTarget Quantizing::target_of_choice() const {
  AnswerTarget target = *out_.target;
  if (split_.apart) target.others = split_.judging();
  return target;
}

Result<KeepWorth> Quantizing::worth_of_parts() {
  const SampleSpan few{0, std::min(kDropSamples, split_.choosing())};
  auto scores = measure_parts(*task_.engine, *task_.model, task_.layers, task_.ranges, *samples_,
                              task_.fill, simulation("rounding one part at a time"), few);
  if (stopped()) return stop_error();
  if (!scores) return failure(scores);
  KeepWorth worth;
  for (std::size_t p = 0; p < scores->parts.size(); ++p)
    worth.drops.push_back(drop_of(Quality::Sqnr, scores->alone[p], {}).value_or(0));
  worth.parts = std::move(scores->parts);
  // If nothing is timed, layers are assumed to save time in proportion to their work.
  const std::vector<double> work = work_of(*task_.model);
  for (std::size_t l = 0; l < task_.layers.size(); ++l)
    worth.seconds_saved.push_back(
        times_ ? seconds_saved(times_->base.layers[l], times_->other.layers[l], times_->layers[l])
               : work[task_.layers[l].main]);
  return worth;
}

// If the model with every layer in int8 is good enough, nothing is chosen, and all samples can
// judge it fairly.
Status Quantizing::keep_for_answers() {
  auto all = judged(keep_, {});
  if (!all) return failure(all);
  if (out_.target->met_by(*all)) {
    out_.got = std::move(*all);
    judged_ = true;
    return {};
  }
  if (task_.time)
    if (auto timed = time_plan(); !timed) return failure(timed);
  auto worth = worth_of_parts();
  if (!worth) return failure(worth);
  for (std::size_t p = 0; p < worth->parts.size(); ++p) {
    const QuantPart& part = worth->parts[p];
    if (part.kind == QuantPart::Kind::Weights)
      out_.layers[part.layer].weights_drop = worth->drops[p];
    else
      out_.tensors.push_back({part.label, false, {}, worth->drops[p]});
  }
  const std::vector<KeepStep> steps = keep_order(*task_.model, task_.layers, *worth);
  const auto floats_with = [&](const std::vector<bool>& kept) {
    StaysFloat floats = keep_;
    for (std::size_t s = 0; s < steps.size(); ++s)
      if (kept[s]) add_to(floats, steps[s]);
    return floats;
  };
  const auto scores_of = [&](const std::vector<bool>& trial) -> Result<std::vector<SampleScore>> {
    if (std::find(trial.begin(), trial.end(), true) == trial.end()) return *all;
    return judged(floats_with(trial), split_.choose);
  };
  auto kept = choose_kept(steps.size(), target_of_choice(), scores_of);
  // If the margin cannot be reached, it is dropped; the other samples then say whether the target
  // is met.
  if (kept && !kept->met && split_.apart) kept = choose_kept(steps.size(), *out_.target, scores_of);
  if (!kept) return failure(kept);
  if (!kept->met) return failure(Code::TargetOutOfReach, {.model = task_.name});
  keep_ = floats_with(kept->kept);
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (!kept->kept[s]) continue;
    if (steps[s].layer != kNoLayer)
      out_.layers[steps[s].layer].reason = "answers";
    else
      kept_for_answers_.insert(steps[s].label);
  }
  is_chosen(std::move(kept->scores));
  return {};
}

void Quantizing::is_chosen(std::vector<SampleScore> scores) {
  out_.chosen_on = split_.choosing();
  judged_ = !split_.apart;
  if (judged_) out_.got = scores;
  choice_ = std::move(scores);
}

// Layers that int8 certainly makes slower go back to floats if that certainly makes the whole model
// faster.
Status Quantizing::keep_for_speed() {
  const auto model = time_plan();
  if (!model) return failure(model);
  std::vector<double> lost(task_.layers.size(), 0);
  for (std::size_t l = 0; l < task_.layers.size(); ++l) {
    const RowTime &base = times_->base.layers[l], &other = times_->other.layers[l];
    const auto& ratio = times_->layers[l];
    if (model->int8[l] && ratio && ratio->sure() && ratio->ratio * kSlower < 1)
      lost[l] = other.median - base.median;
  }
  if (std::accumulate(lost.begin(), lost.end(), 0.0) < kWorthATrial * times_->other.whole)
    return {};
  std::vector<SampleScore> scores;
  auto slow = choose_slow(lost, [&](std::span<const std::size_t> trial) -> Result<bool> {
    StaysFloat floats = keep_;
    for (const std::size_t l : trial) floats.layers[l] = true;
    if (std::find(floats.layers.begin(), floats.layers.end(), false) == floats.layers.end())
      return false;
    auto faster = is_faster(floats);
    if (!faster || !*faster) return faster;
    auto judgement = judged(floats, split_.choose);
    if (!judgement) return failure(judgement);
    scores = std::move(*judgement);
    return target_of_choice().met_by(scores);
  });
  if (!slow) return failure(slow);
  if (slow->empty()) return {};
  for (const std::size_t l : *slow) {
    keep_.layers[l] = true;
    out_.layers[l].reason = "speed";
  }
  is_chosen(std::move(scores));
  return {};
}

Result<bool> Quantizing::is_faster(const StaysFloat& floats) {
  const std::string now = task_.scratch + "/now.onnx", other = task_.scratch + "/other.onnx";
  for (const auto& [file, kept] : {std::pair(now, keep_), std::pair(other, floats)}) {
    auto bytes = made(kept);
    if (!bytes) return failure(bytes);
    if (auto status = write_bytes(file, *bytes); !status) return failure(status);
  }
  auto bench = speed_->compare(now, other);
  if (!bench) return failure(bench);
  if (stopped()) return stop_error();
  const auto found = speed_up_over_first(*bench);
  return found && found->interval.low > 1;
}

}  // namespace strata

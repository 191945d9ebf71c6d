// The state of quantize_model() while it runs.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "quantize/quantize_speed.h"
#include "sensitivity/keep_order.h"
#include "sensitivity/sample_split.h"
#include "strata/quantize/quantize.h"

namespace strata {

class Quantizing {
 public:
  Quantizing(const QuantizeTask& task, const Observer& observer)
      : task_(task), observer_(observer), plan_{task.ranges, {}, task.fill, task.reduce_range} {
    keep_ = task.keep;
    keep_.layers.resize(task.layers.size(), false);
    for (const QuantLayer& layer : task.layers) {
      QuantizedLayer& own = out_.layers.emplace_back();
      own.path = layer.path;
      own.block = layer.block;
    }
  }
  Result<QuantizeOutcome> run();

 private:
  bool stopped() const { return observer_.stopped(); }
  tl::unexpected<Error> stop_error() const {
    return failure(Code::Cancelled, {}, "stopped; nothing was written");
  }
  void show(std::string_view stage, double share) const { observer_.show(stage, share); }
  const Model& to_write() const {
    return task_.to_write != nullptr ? *task_.to_write : *task_.model;
  }
  SensitivityOptions simulation(std::string_view stage) const;
  Status prepare_speed();
  Status open_samples();
  // Makes the model in memory and returns its bytes.
  Result<std::string> made(const StaysFloat& floats, QuantizedModel* kept = nullptr);
  Result<std::vector<SampleScore>> judged(const StaysFloat& floats, SampleSpan samples);
  // The target for a choice, on the samples that it is made with.
  AnswerTarget target_of_choice() const;
  Status choose();
  Status keep_for_answers();
  Status keep_for_speed();
  void is_chosen(std::vector<SampleScore> scores);  // on the samples to choose with
  Result<KeepWorth> worth_of_parts();
  Result<bool> is_faster(const StaysFloat& floats);
  Status time_layers(const ModelSource& int8, const QuantizedModel& model);
  Result<QuantizedModel> time_plan();  // times the layers of the model as it is planned now
  Status judge();
  Status check_target() const;
  void describe(const QuantizedModel& model);
  Status look(const std::string& file);
  Status write();
  Status compare_speed();

  const QuantizeTask& task_;
  const Observer& observer_;
  QdqPlan plan_;
  StaysFloat keep_;
  QuantizedModel written_;
  std::optional<Dataset> samples_;
  SampleSplit split_;
  std::optional<QuantizeSpeed> speed_;
  std::optional<PairTimes> times_;
  std::string floats_file_;
  std::set<std::string> kept_for_answers_;  // tensors
  std::vector<SampleScore> choice_;  // of the chosen model, on the samples it was chosen with
  bool judged_ = false;              // `got` belongs to the current plan
  QuantizeOutcome out_;
};

// Writes a file with these bytes: it is complete, or not there.
Status write_bytes(const std::string& path, const std::string& bytes);

}  // namespace strata

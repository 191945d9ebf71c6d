// The options of commands that run a model on samples, to measure ranges of its activations or to
// use them.
#pragma once

#include <optional>
#include <string>

#include "cli/data_options.h"
#include "cli/engine_options.h"
#include "cli/model_options.h"
#include "strata/calibrate/range.h"
#include "task/float_model.h"

namespace strata::cli {

class Option;

// Options for the model, its samples and its engine.
struct SampleOptions {
  ModelOptions model;
  DataOptions data;
  EngineOptions engine;

  // Into a request of such a job. `needs_data` is false if it may find out about samples itself.
  template <class Request>
  Status read_into(Request& request, bool needs_data = true) const {
    if (Status status = model.read_into(request.model); !status) return status;
    // Nobody should gather samples for a file that cannot be run.
    if (Status status = check_is_onnx(request.model.source); !status) return status;
    auto samples = needs_data ? data.request() : data.request_if_any();
    if (!samples) return failure(samples);
    auto chosen = engine.request();
    if (!chosen) return failure(chosen);
    request.data = std::move(*samples);
    request.engine = std::move(*chosen);
    return {};
  }
};

// Options for the choice of ranges.
class RangeChoiceOptions {
 public:
  // If `percentile_alone`, --percentile also says the method.
  void add_to(App& app, bool percentile_alone = false);
  // nullopt: nothing was said.
  std::optional<RangeOptions> choice() const;

 private:
  std::string method_;
  double percentile_ = RangeOptions().percentile;
  const Option* percentile_option_ = nullptr;
};

}  // namespace strata::cli

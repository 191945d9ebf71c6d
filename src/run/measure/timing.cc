#include "strata/measure/timing.h"

#include "measure/model_timer.h"
#include "strata/measure/memory.h"

namespace strata {

namespace {

Result<Timing> measure_model(const Engine& engine, const ModelSource& model,
                             const std::vector<HostTensor>& inputs, const TimingOptions& options) {
  if (options.progress) options.progress({"opening", 0});
  ModelTimer timer(engine, model, inputs, options);
  while (timer.wants_more())
    if (auto status = timer.run_session(); !status) return failure(status);
  return timer.finish();
}

}  // namespace

Result<Timing> time_model(const Engine& engine, const ModelSource& model,
                          const std::vector<HostTensor>& inputs, const TimingOptions& options) {
  auto timing = measure_model(engine, model, inputs, options);
  give_back_free_memory();  // the sessions may leave up to a gigabyte, scattered
  return timing;
}

}  // namespace strata

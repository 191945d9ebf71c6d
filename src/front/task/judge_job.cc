#include "task/judge_job.h"

#include "sensitivity/agreement.h"
#include "task/job_process.h"

namespace strata {

Result<std::vector<SampleScore>> run_judge_job(const JudgeRequest& request,
                                               const Observer& observer) {
  auto loaded = load_model(request.floats);
  if (!loaded) return failure(loaded);
  auto data = request.data.open(loaded->model);
  if (!data) return failure(data);
  auto engine = request.engine.load();
  if (!engine) return failure(engine);
  auto session = request.engine.session();
  if (!session) return failure(session);
  return compare_models(*engine, {.path = request.floats.source.word()}, {.path = request.other},
                        *data, *session, observer.stop,
                        [&](double share) { observer.show("judging int8", share); });
}

Result<std::vector<SampleScore>> judge_outputs(const JudgeRequest& request,
                                               const Observer& observer) {
  const JobPlace place{.kind = JobKind::Judge,
                       .program = request.program,
                       .model = request.other,
                       .engine = request.engine.engine,
                       .max_wait_seconds = request.floats.max_wait_seconds,
                       .on_stop = OnStop::WaitForARun,
                       .trust_model = is_trusted(request.floats)};
  return run_job_in_child<std::vector<SampleScore>>(place, request, observer);
}

}  // namespace strata

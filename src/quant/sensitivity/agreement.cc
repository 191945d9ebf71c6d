#include "sensitivity/agreement.h"

#include <algorithm>

#include "sensitivity/scores.h"

namespace strata {

namespace {

Result<Session> open(const Engine& engine, const ModelSource& source,
                     const SessionOptions& session) {
  return source.path.empty() ? engine.open(source.bytes, session)
                             : engine.open(source.path, session);
}

Result<std::vector<HostTensor>> outputs_of(Session& session, std::vector<HostTensor> inputs) {
  if (auto status = session.bind(std::move(inputs)); !status) return failure(status);
  auto trace = session.run_traced({.kernels = false, .blocks = false, .outputs = true});
  if (!trace) return failure(trace);
  return std::move(trace->outputs);
}

}  // namespace

Result<std::vector<SampleScore>> compare_models(const Engine& engine, const ModelSource& floats,
                                                const ModelSource& other, const Dataset& data,
                                                const SessionOptions& session,
                                                const std::atomic<bool>* stop,
                                                const std::function<void(double)>& progress,
                                                SampleSpan samples) {
  auto exact = open(engine, floats, session);
  if (!exact) return failure(exact);
  auto changed = open(engine, other, session);
  if (!changed) return failure(changed);
  std::vector<SampleScore> scores;
  const std::size_t end = std::min(samples.end, static_cast<std::size_t>(data.count()));
  for (std::size_t i = samples.first; i < end && (stop == nullptr || !stop->load()); ++i) {
    auto inputs = data.sample(static_cast<std::int64_t>(i));
    if (!inputs) return failure(inputs);
    auto a = outputs_of(*exact, *inputs);
    if (!a) return failure(a);
    auto b = outputs_of(*changed, std::move(*inputs));
    if (!b) return failure(b);
    auto score = score_of(*a, *b, {});
    if (!score) return failure(score);
    scores.push_back(*score);
    if (progress)
      progress(static_cast<double>(scores.size()) / static_cast<double>(end - samples.first));
  }
  return scores;
}

}  // namespace strata

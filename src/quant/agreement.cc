#include "quant/agreement.h"

#include <algorithm>

#include "quant/scores.h"

namespace strata {

namespace {

Result<Session> open(const Engine& engine, const ModelSource& source,
                     const SessionOptions& session) {
  return source.path.empty() ? engine.open(source.bytes, session)
                             : engine.open(source.path, session);
}

Result<std::vector<HostTensor>> outputs_of(Session& session, std::vector<HostTensor> inputs) {
  if (auto status = session.bind(std::move(inputs)); !status) return tl::unexpected(status.error());
  auto trace = session.run_traced({.kernels = false, .blocks = false, .outputs = true});
  if (!trace) return tl::unexpected(trace.error());
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
  if (!exact) return tl::unexpected(exact.error());
  auto changed = open(engine, other, session);
  if (!changed) return tl::unexpected(changed.error());
  std::vector<SampleScore> scores;
  const std::size_t end = std::min(samples.end, static_cast<std::size_t>(data.count()));
  for (std::size_t i = samples.first; i < end && (stop == nullptr || !stop->load()); ++i) {
    auto inputs = data.sample(static_cast<std::int64_t>(i));
    if (!inputs) return tl::unexpected(inputs.error());
    auto a = outputs_of(*exact, *inputs);
    if (!a) return tl::unexpected(a.error());
    auto b = outputs_of(*changed, std::move(*inputs));
    if (!b) return tl::unexpected(b.error());
    auto score = score_of(*a, *b, {});
    if (!score) return tl::unexpected(score.error());
    scores.push_back(*score);
    if (progress)
      progress(static_cast<double>(scores.size()) / static_cast<double>(end - samples.first));
  }
  return scores;
}

}  // namespace strata

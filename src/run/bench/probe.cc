#include "measure/cancel_on_stop.h"
#include "measure/stopwatch.h"
#include "strata/build/builder.h"
#include "strata/write/onnx.h"

namespace strata {

namespace {

constexpr int kLinks = 200;
constexpr int kRuns = 15;

// A chain of kernels that work on one number. Two kinds alternate, so that none undoes another.
Result<std::string> chain() {
  build::Builder net("Chain");
  build::Var x = net.input("x", {1});
  for (int i = 0; i < kLinks; ++i) x = net.op(i % 2 == 0 ? "Sin" : "Sqrt", {x});
  net.output("y", x);
  auto network = std::move(net).finish();
  if (!network) return failure(network);
  return onnx_bytes(network->model);
}

}  // namespace

Result<ProbeCost> probe_cost(const Engine& engine, const TimingOptions& given) {
  auto model = chain();
  if (!model) return failure(model);
  SessionOptions options;
  options.threads = given.session.threads;
  options.device = given.session.device;
  options.options = given.session.options;
  options.optimization = STRATA_OPT_NONE;
  auto plain = engine.open(ModelBytes{*model}, options);
  if (!plain) return failure(plain);
  options.trace_time = true;
  auto recording = engine.open(ModelBytes{*model}, options);
  if (!recording) return failure(recording);
  HostTensor input{"x", DType::F32, {1}, std::vector<std::byte>(sizeof(float))};
  if (auto status = plain->bind({input}); !status) return failure(status);
  if (auto status = recording->bind({input}); !status) return failure(status);
  CancelOnStop cancel(given.stop);
  cancel.watch(*plain);
  cancel.watch(*recording);

  std::vector<double> runs, recorded, kernels(kRuns, 0.0);
  for (int i = 0; i < kRuns; ++i) {
    const Stopwatch watch(given);
    if (auto status = plain->run(); !status) return failure(status);
    runs.push_back(watch.seconds());
    auto trace = recording->run_traced({.kernels = false, .blocks = false, .outputs = false});
    if (!trace) return failure(trace);
    recorded.push_back(1e-9 * static_cast<double>(trace->end_ns - trace->start_ns));
  }
  std::uint64_t first = 0;
  bool any = false;
  auto status = recording->visit_kernels([&](const StrataKernel& kernel) {
    if (!any) first = kernel.run, any = true;
    const std::uint64_t run = kernel.run - first;
    if (run < kernels.size()) kernels[run] += 1e-9 * static_cast<double>(kernel.duration_ns);
  });
  if (!status) return failure(status);
  const double plain_run = median_of(runs);
  return ProbeCost{std::max(0.0, (median_of(kernels) - plain_run) / kLinks),
                   std::max(0.0, (median_of(recorded) - plain_run) / kLinks)};
}

}  // namespace strata

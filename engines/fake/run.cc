// Runs a model: moves the clock by what its kernels take, and makes up outputs.
#include <chrono>
#include <cmath>
#include <span>

#include "session.h"

namespace strata::fake {

namespace {

// In (0, 2): 1 without noise.
double factor(const StrataSession& session, std::uint64_t kernel) {
  double result = 1;
  if (session.runs < session.options.warmup)
    result += 1 - static_cast<double>(session.runs) / static_cast<double>(session.options.warmup);
  const std::uint64_t number = mixed(
      mixed(session.options.seed * 0x10001 + static_cast<std::uint64_t>(session.runs)) + kernel);
  const double even = static_cast<double>(number >> 11) * 0x1p-52 - 1;  // [-1, 1)
  return result * (1 + session.options.noise * even);
}

void spin(std::int64_t ns) {
  if (ns == 0) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Each step needs the result of the previous one, so it takes the same number of cycles whatever
// else the processor does.
void burn(std::int64_t steps) {
  std::uint64_t number = 1;
  for (std::int64_t i = 0; i < steps; ++i) {
    number = number * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(number));
  }
}

void walk(std::int64_t bytes) {
  constexpr std::size_t kLine = 64 / sizeof(std::uint64_t);
  static thread_local std::vector<std::uint64_t> memory((768 << 10) / sizeof(std::uint64_t), 1);
  std::uint64_t sum = 0;
  std::size_t at = 0;
  for (std::int64_t done = 0; done < bytes; done += 64) {
    sum += memory[at];
    at = at + kLine < memory.size() ? at + kLine : 0;
  }
  asm volatile("" : : "r"(sum));
}

// Calls `each(kernel number, start, duration)` and moves the clock.
template <class Each>
StrataStatus run_kernels(StrataSession& session, std::int64_t probe_ns, StrataError* error,
                         const Each& each) {
  const StrataStatus status = misbehave(session, error);
  if (status != STRATA_OK) return status;
  if (session.cancelled.exchange(false)) return fail(error, STRATA_CANCELLED, "cancelled");
  spin(session.options.spin_ns);
  burn(session.options.burn);
  walk(session.options.walk_bytes);
  session.clock() += session.options.outside_ns / 2;
  for (std::size_t i = 0; i < session.plan.kernels.size(); ++i) {
    const KernelPlan& kernel = session.plan.kernels[i];
    const double usual = 1000 + (kernel.flops / 10 + kernel.bytes / 10) / session.speed;
    std::int64_t duration = std::llround(usual * factor(session, i)) + probe_ns;
    if (i == static_cast<std::size_t>(session.runs) % session.plan.kernels.size())
      duration += session.options.cut_ns;
    each(i, session.clock(), duration);
    session.clock() += duration;
  }
  session.clock() += session.options.outside_ns - session.options.outside_ns / 2;
  ++session.runs;
  return STRATA_OK;
}

bool give_blocks(const StrataSession& session, std::span<const KernelTime> times,
                 const StrataTrace& trace) {
  for (const StrataBlock& block : blocks_of(session.model, session.plan, times, trace.end_ns))
    if (trace.on_block(trace.user, &block) != 0) return false;
  return true;
}

bool give_outputs(const StrataSession& session, const StrataTrace& trace) {
  for (const TensorId id : session.output_ids) {
    const Tensor& tensor = session.model.graph().tensors[id];
    const std::string name(tensor.name);
    const std::vector<std::int64_t> dims = dims_now(tensor);
    const std::vector<std::byte> data = elements_of(tensor, session.input_hash);
    const StrataTensor out = {name.c_str(),
                              static_cast<std::int32_t>(tensor.type->dtype),
                              static_cast<std::int32_t>(dims.size()),
                              dims.data(),
                              data.data(),
                              data.size()};
    if (trace.on_output(trace.user, &out) != 0) return false;
  }
  return true;
}

}  // namespace

StrataStatus run(StrataSession* session, StrataError* error) {
  return run_kernels(*session, 0, error, [](std::size_t, std::int64_t, std::int64_t) {});
}

StrataStatus run_traced(StrataSession* session, StrataTrace* trace, StrataError* error) {
  const bool timed = (session->trace & STRATA_TRACE_TIME) != 0;
  std::vector<KernelTime> kernels;
  trace->start_ns = session->clock();
  const StrataStatus status =
      run_kernels(*session, timed ? session->options.probe_ns : 0, error,
                  [&](std::size_t kernel, std::int64_t start, std::int64_t duration) {
                    kernels.push_back({session->traced_runs, kernel, start, duration});
                  });
  if (status != STRATA_OK) return status;
  trace->end_ns = session->clock();
  trace->run = session->traced_runs++;
  if (timed) {
    session->recorded.insert(session->recorded.end(), kernels.begin(), kernels.end());
    add_modules(session->model, session->plan, kernels, *trace, session->modules);
  }
  const bool blocks = trace->on_block != nullptr && (session->trace & STRATA_TRACE_MEMORY) != 0;
  if ((blocks && !give_blocks(*session, kernels, *trace)) ||
      (trace->on_output != nullptr && !give_outputs(*session, *trace)))
    return fail(error, STRATA_CANCELLED, "ended by its caller");
  return STRATA_OK;
}

}  // namespace strata::fake

// The ways in which an engine goes wrong, to order.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "session.h"

namespace strata::fake {

namespace {

[[noreturn]] void take_all_memory() {
  for (std::vector<std::unique_ptr<char[]>> taken;;)
    std::memset(taken.emplace_back(new char[1 << 26]).get(), 1, 1 << 26);
}

[[noreturn]] void never_return() {
  while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

}  // namespace

StrataStatus misbehave(StrataSession& session, StrataError* error) {
  static std::atomic<std::int64_t> all_runs = 0;
  const std::int64_t earlier = all_runs++;
  const Options& options = session.options;
  const bool is_now =
      options.fail_after >= 0 ? earlier == options.fail_after : session.runs == options.fail_at;
  const std::string& way = options.fail;
  if (way.empty() || !is_now) return STRATA_OK;
  ++session.runs;
  if (way == "crash") std::abort();
  if (way == "exit") std::exit(3);
  if (way == "kill") std::raise(SIGKILL);
  if (way == "eat") take_all_memory();
  if (way == "stuck") never_return();
  if (way == "hang") {
    while (!session.cancelled) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return STRATA_OK;
  }
  if (way == "oom")
    return fail(error, STRATA_OUT_OF_MEMORY, "no memory for a tensor, as asked for");
  return fail(error, STRATA_FAILED, "failed, as asked for");
}

void misbehave_in_probe() {
  const char* variable = std::getenv("STRATA_FAKE_PROBE");
  const std::string_view way = variable != nullptr ? variable : "";
  if (way == "crash") std::abort();
  if (way == "hang") never_return();
}

}  // namespace strata::fake

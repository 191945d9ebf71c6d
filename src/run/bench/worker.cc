// The parent's side of a worker: starts the child, asks, waits, and says how it ended.
#include "bench/worker.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <fmt/format.h>

#include "base/message.h"
#include "bench/child_process.h"
#include "bench/own_program.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kGraceSeconds = 1.0;  // to finish an answer

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

tl::unexpected<WorkerError> failed(Failure failure, std::string reason) {
  return tl::unexpected(WorkerError{failure, std::move(reason)});
}

}  // namespace

std::string_view failure_name(Failure failure) {
  switch (failure) {
    case Failure::None:
      return "";
    case Failure::Refused:
      return "refused";
    case Failure::Crashed:
      return "crashed";
    case Failure::TimedOut:
      return "timed out";
    case Failure::OutOfMemory:
      return "out of memory";
    case Failure::WrongAnswer:
      return "wrong answer";
  }
  return "?";
}

struct Worker::Child {
  ChildProcess process;
  Variant variant;
  WorkerLimits limits;

  WorkerResult<std::string> ask(const MessageWriter& request);

 private:
  bool stopped() const { return limits.stop != nullptr && limits.stop->load(); }
  // True if there is something to read.
  WorkerResult<void> wait_for_answer(Clock::time_point start);
  WorkerResult<std::string> read_answer(Clock::time_point start);
  WorkerError how_it_ended();
};

WorkerError Worker::Child::how_it_ended() {
  const ChildEnd end = process.wait_for_end();
  const std::string& words = end.last_words;
  const std::string said = words.empty() ? "" : fmt::format("; its last output: {}", words);
  const std::string limited =
      limits.memory_bytes > 0
          ? fmt::format("; it may take {}", human_bytes(static_cast<double>(limits.memory_bytes)))
          : "";
  const auto mentions = [&](std::string_view part) { return words.find(part) != words.npos; };
  const bool memory = mentions("bad_alloc") || mentions("Cannot allocate memory") ||
                      mentions("out of memory") || mentions("bad allocation");
  if (end.signal == SIGKILL)
    return {Failure::OutOfMemory,
            fmt::format("ended by {}, as the system does when memory runs out{}",
                        signal_text(end.signal), said)};
  if (end.signal != 0)
    return {memory ? Failure::OutOfMemory : Failure::Crashed,
            fmt::format("ended by {}{}{}", signal_text(end.signal), limited, said)};
  if (end.not_started)
    return {Failure::Crashed, fmt::format("{} could not be started{}", process.program(), said)};
  return {memory ? Failure::OutOfMemory : Failure::Crashed,
          fmt::format("left with exit code {} and no answer{}{}", end.exit_code, limited, said)};
}

WorkerResult<void> Worker::Child::wait_for_answer(Clock::time_point start) {
  Clock::time_point stop_seen{};
  while (true) {
    pollfd event{process.socket(), POLLIN, 0};
    const int ready = ::poll(&event, 1, 100);
    if (ready > 0) return {};
    if (seconds_since(start) > limits.timeout_seconds) {
      process.kill();
      return failed(Failure::TimedOut,
                    fmt::format("gave no answer in {} s; it was ended", limits.timeout_seconds));
    }
    if (!stopped()) continue;
    // An answer that is on its way may still arrive.
    if (stop_seen == Clock::time_point{}) stop_seen = Clock::now();
    if (seconds_since(stop_seen) > kGraceSeconds) {
      process.kill();
      return failed(Failure::None, "stopped");
    }
  }
}

WorkerResult<std::string> Worker::Child::read_answer(Clock::time_point start) {
  const auto read_part = [&](char* data, std::size_t size) -> WorkerResult<void> {
    while (size > 0) {
      if (auto ready = wait_for_answer(start); !ready) return ready;
      const ssize_t got = ::read(process.socket(), data, size);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) return tl::unexpected(how_it_ended());
      data += got;
      size -= static_cast<std::size_t>(got);
    }
    return {};
  };
  FrameHead head;
  if (auto part = read_part(reinterpret_cast<char*>(&head), sizeof head); !part)
    return failure(part);
  if (head.magic != FrameHead::kMagic)
    return failed(
        Failure::Crashed,
        fmt::format("{} is not a strata of this version: it does not answer", process.program()));
  std::string bytes;
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 24;
  while (bytes.size() < head.bytes) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::min(kPiece, head.bytes - before));
    if (auto part = read_part(bytes.data() + before, bytes.size() - before); !part)
      return failure(part);
  }
  return bytes;
}

WorkerResult<std::string> Worker::Child::ask(const MessageWriter& request) {
  if (!process.is_there()) return failed(Failure::Crashed, "asked after its end");
  const Clock::time_point start = Clock::now();
  if (!write_frame(process.socket(), request.bytes())) return tl::unexpected(how_it_ended());
  auto bytes = read_answer(start);
  if (!bytes) process.wait_for_end();
  return bytes;
}

Worker::Worker(std::unique_ptr<Child> child) : child_(std::move(child)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

WorkerResult<Worker> Worker::start(const Variant& variant, const WorkerLimits& limits,
                                   const std::string& program) {
  const std::string of_engine = engine_program(variant.engine);
  // A program of its own runs a module of the caller's, who has written it and may let it compile.
  auto process = ChildProcess::start(of_engine.empty() ? program : of_engine,
                                     {.memory_bytes = limits.memory_bytes,
                                      .trust_model = limits.trust_model || !of_engine.empty()});
  if (!process) return failed(Failure::Crashed, process.error().message);
  return Worker(std::make_unique<Child>(Child{std::move(*process), variant, limits}));
}

namespace {

// The failure that the answer reports, or the value that was asked for.
template <class T>
WorkerResult<T> read_reply(const WorkerResult<std::string>& bytes) {
  if (!bytes) return failure(bytes);
  MessageReader in(*bytes);
  Failure own{};
  in.take(own);
  if (own != Failure::None) {
    std::string reason;
    in.take(reason);
    return failed(own, std::move(reason));
  }
  T report;
  in.take(report);
  if (!in.good()) return failed(Failure::Crashed, "an answer that ends too early");
  return report;
}

}  // namespace

WorkerResult<OpenReport> Worker::open() {
  MessageWriter request;
  request.put(WorkerRequest::Open);
  request.put(child_->variant);
  return read_reply<OpenReport>(child_->ask(request));
}

WorkerResult<std::vector<HostTensor>> Worker::outputs() {
  MessageWriter request;
  request.put(WorkerRequest::Outputs);
  return read_reply<std::vector<HostTensor>>(child_->ask(request));
}

WorkerResult<BlockReport> Worker::run(int count, double max_seconds) {
  MessageWriter request;
  request.put(WorkerRequest::Run);
  request.put(std::int64_t{count});
  request.put(max_seconds);
  return read_reply<BlockReport>(child_->ask(request));
}

WorkerResult<BlockReport> Worker::run_at(const std::vector<double>& moments) {
  MessageWriter request;
  request.put(WorkerRequest::RunAt);
  request.put(moments);
  return read_reply<BlockReport>(child_->ask(request));
}

}  // namespace strata

// The main function of a worker process: it measures a variant of a benchmark, or runs a whole job
// for its caller.
#include "strata/task/worker.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/outside.h"
#include "base/system_calls.h"
#include "bench/child_process.h"
#include "bench/worker.h"
#include "strata/task/calibrate.h"
#include "strata/task/calibrate_device.h"
#include "strata/task/quantize.h"
#include "strata/task/sensitivity.h"
#include "task/job_message.h"
#include "task/judge_job.h"
#include "task/record_job.h"
#include "task/timing_job.h"
#include "task/try_engine.h"

namespace strata {

namespace {

// The wish to stop: from the caller, or by a signal to this very process, as a command that judges
// outputs may send it. A terminal sends its Ctrl-C to both.
std::atomic<bool> g_stop = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void stop_at_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { g_stop = true; };
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

// The caller, at the other end of a socket: its observer, and what it does for a confined job.
class DistantCaller : public Outside {
 public:
  // `folder`: the one that this process is confined to; empty: it is not confined.
  DistantCaller(int in, int out, std::string folder)
      : in_(in), out_(out), folder_(std::move(folder)), reader_([this] { read_replies(); }) {
    if (!folder_.empty()) set_outside(this);
  }
  ~DistantCaller() override {
    set_outside(nullptr);
    ::shutdown(in_, SHUT_RD);  // ends the reader
    reader_.join();
  }
  DistantCaller(const DistantCaller&) = delete;
  DistantCaller& operator=(const DistantCaller&) = delete;

  Answer ask(OutsideWish wish, const MessageWriter& about) override {
    MessageWriter out;
    out.put(JobWord::Wish);
    out.put(wish);
    out.put(about.bytes());
    return reply_to(out);
  }
  bool is_inside(std::string_view path) const override {
    return path.starts_with(folder_) && path.substr(folder_.size()).starts_with('/');
  }

  Observer observer() {
    Observer here;
    here.progress = [this](std::string_view stage, double share) {
      say(JobWord::Progress, stage, share);
    };
    here.counted = [this](std::int64_t done, std::int64_t all) {
      say(JobWord::Counted, done, all);
    };
    here.note = [this](const std::string& sentence) { say(JobWord::Note, sentence); };
    here.resumed = [this](const std::string& sentence) { say(JobWord::Resumed, sentence); };
    here.phrase = [this](const Error& error) { return say(JobWord::Wording, error); };
    here.stop = &g_stop;
    return here;
  }

 private:
  template <class... Parts>
  std::string say(JobWord word, const Parts&... parts) {
    MessageWriter out;
    out.put(word);
    (out.put(parts), ...);
    return reply_to(out).bytes;
  }

  // Waits for the reply: a wish to stop that this word causes is known when it returns.
  Answer reply_to(const MessageWriter& out) {
    std::unique_lock lock(mutex_);
    has_reply_ = false;
    if (!write_frame(out_, out.bytes())) return {};
    replied_.wait(lock, [this] { return has_reply_ || is_over_; });
    return std::exchange(reply_, {});
  }

  void read_replies() {
    std::string bytes;
    while (read_frame(in_, bytes)) {
      MessageReader in(bytes);
      if (in.taken<JobReply>() == JobReply::Stop) {
        g_stop = true;
        continue;
      }
      Answer answer{in.taken<std::string>()};
      if (in.taken<bool>()) answer.descriptor = receive_descriptor(in_);
      const std::lock_guard lock(mutex_);
      reply_ = std::move(answer);
      has_reply_ = true;
      replied_.notify_one();
    }
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    replied_.notify_one();
  }

  int in_, out_;
  const std::string folder_;
  std::mutex mutex_;
  std::condition_variable replied_;
  Answer reply_;
  bool has_reply_ = false, is_over_ = false;
  std::thread reader_;
};

template <class Outcome>
MessageWriter done(const Result<Outcome>& result) {
  MessageWriter out;
  out.put(JobWord::Done);
  out.put(result.has_value());
  if (result)
    out.put(*result);
  else
    out.put(result.error());
  return out;
}

template <class Request, class Outcome>
MessageWriter run_with(Result<Outcome> (&run)(const Request&, const Observer&), MessageReader& in,
                       const Observer& observer) {
  auto request = in.taken<Request>();
  if constexpr (requires { request.in_process; }) request.in_process = true;
  if (!in.good())
    return done(Result<Outcome>(failure("the request of a job cannot be read", ErrorKind::Bug)));
  return done(run(request, observer));
}

MessageWriter run_job(MessageReader& in, const Observer& observer) {
  switch (in.taken<JobKind>()) {
    case JobKind::Calibrate:
      system_calls::keep_heap_small();
      return run_with(run_calibrate, in, observer);
    case JobKind::Sensitivity:
      return run_with(run_sensitivity, in, observer);
    case JobKind::Quantize:
      system_calls::keep_heap_small();
      return run_with(run_quantize, in, observer);
    case JobKind::Timing:
      return run_with(run_timing_job, in, observer);
    case JobKind::Record:
      return run_with(run_record_job, in, observer);
    case JobKind::Try:
      return run_with(run_try_job, in, observer);
    case JobKind::Judge:
      return run_with(run_judge_job, in, observer);
    case JobKind::CalibrateDevice:
      return run_with(run_calibrate_device, in, observer);
  }
  return done(Result<bool>(failure("a job that it does not know", ErrorKind::Bug)));
}

std::atomic<bool> g_is_at_work = false;

// An engine that calls exit() in the middle of the work: threads still use what exit() destroys.
void leave_at_once(int exit_code) {
  if (g_is_at_work) ::_exit(exit_code);
}

int serve_job(std::string_view request, int in, int out, std::string folder) {
  system_calls::call_at_exit(leave_at_once);
  stop_at_signals();
  MessageWriter started;
  started.put(JobWord::Started);
  if (!write_frame(out, started.bytes())) return 1;
  MessageReader reader(request);
  reader.taken<WorkerRequest>();
  MessageWriter last;
  DistantCaller caller(in, out, std::move(folder));
  g_is_at_work = true;
  try {
    last = run_job(reader, caller.observer());
  } catch (const std::bad_alloc&) {
    last = done(Result<bool>(failure(Code::OutOfMemory, {}, "out of memory")));
  } catch (const std::exception& error) {
    last = done(
        Result<bool>(failure(fmt::format("a bug in strata: {}", error.what()), ErrorKind::Bug)));
  }
  g_is_at_work = false;
  return write_frame(out, last.bytes()) ? 0 : 1;
}

}  // namespace

int worker_main(int in, int out) {
  auto folder = become_ready_worker(in, out);
  if (!folder) {
    fmt::print(stderr, "{}\n", folder.error().message);
    return 1;
  }
  std::string request;
  if (!read_frame(in, request)) return 0;
  if (MessageReader(request).taken<WorkerRequest>() == WorkerRequest::Job)
    return serve_job(request, in, out, std::move(*folder));
  return serve_variant(std::move(request), in, out);
}

}  // namespace strata

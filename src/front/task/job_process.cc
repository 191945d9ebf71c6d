#include "task/job_process.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "bench/child_process.h"
#include "engine/confine.h"
#include "strata/zoo/zoo.h"
#include "task/subprocess.h"

namespace strata {

namespace {

using Clock = std::chrono::steady_clock;

// After the wish to stop, a job ends what it is at. It may take three times as long as it has been
// silent before, and this long in any case.
constexpr double kPatienceSeconds = 5;
constexpr double kTimesAsLong = 3;

double seconds_between(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

class RunningJob {
 public:
  RunningJob(const JobPlace& place, const Observer& observer)
      : place_(place), observer_(observer) {}
  Result<std::string> run(const MessageWriter& request);

 private:
  void pass_on_stop();
  void hear(MessageReader& in, JobWord word);
  // A process that is gone is noticed by reading: it may have said something before.
  void send(const MessageWriter& out) const { write_frame(child_->socket(), out.bytes()); }
  bool is_stuck() const;
  bool is_silent() const;
  void show_that_it_runs();
  Error end_it(Code code);
  Error how_it_died();
  std::string what_is_kept() const;
  void reply(std::string_view text, int descriptor = -1) const;

  const JobPlace& place_;
  const Observer& observer_;
  std::optional<ChildProcess> child_;
  std::optional<JobWishes> wishes_;
  const std::filesystem::file_time_type started_ = std::filesystem::file_time_type::clock::now();
  bool has_started_ = false, has_resumed_ = false;
  Clock::time_point last_heard_ = Clock::now();
  std::optional<Clock::time_point> told_to_stop_;
  double longest_silence_ = 0;
  const Clock::time_point begin_ = Clock::now();
  int seconds_shown_ = -1;
};

void RunningJob::pass_on_stop() {
  if (told_to_stop_ || !observer_.stopped()) return;
  told_to_stop_ = Clock::now();
  // An engine that hangs is silent for as long as its user was patient.
  if (place_.on_stop == OnStop::Wait)
    longest_silence_ = std::max(longest_silence_, seconds_between(last_heard_, *told_to_stop_));
  MessageWriter out;
  out.put(JobReply::Stop);
  send(out);
}

bool RunningJob::is_stuck() const {
  if (!told_to_stop_) return false;
  if (place_.on_stop == OnStop::End) return true;
  const double silent = seconds_between(std::max(last_heard_, *told_to_stop_), Clock::now());
  return silent > std::max(kPatienceSeconds, kTimesAsLong * longest_silence_);
}

bool RunningJob::is_silent() const {
  return place_.max_wait_seconds > 0 &&
         seconds_between(last_heard_, Clock::now()) > place_.max_wait_seconds;
}

// `recording`, and from the second second on `recording, 12 s so far`.
void RunningJob::show_that_it_runs() {
  const int seconds = static_cast<int>(seconds_between(begin_, Clock::now()));
  if (place_.stage.empty() || seconds == seconds_shown_) return;
  seconds_shown_ = seconds;
  observer_.show(seconds < 2 ? place_.stage : fmt::format("{}, {} s so far", place_.stage, seconds),
                 0);
}

Error RunningJob::end_it(Code code) {
  child_->kill();
  child_->wait_for_end();
  return make_error(code, {.file = place_.kept_in,
                           .model = place_.model,
                           .name = place_.engine,
                           .found = what_is_kept(),
                           .wanted = fmt::format("{} s", place_.max_wait_seconds),
                           .detail = "the run was cancelled"});
}

void RunningJob::hear(MessageReader& in, JobWord word) {
  Outside::Answer answer;
  switch (word) {
    case JobWord::Started:
      has_started_ = true;
      return;
    case JobWord::Done:
      return;
    case JobWord::Progress: {
      const auto stage = in.taken<std::string>();
      observer_.show(stage, in.taken<double>());
      break;
    }
    case JobWord::Counted: {
      const auto done = in.taken<std::int64_t>();
      const auto all = in.taken<std::int64_t>();
      if (observer_.counted) observer_.counted(done, all);
      break;
    }
    case JobWord::Note:
      observer_.say(in.taken<std::string>());
      break;
    case JobWord::Resumed:
      has_resumed_ = true;
      observer_.say_resumed(in.taken<std::string>());
      break;
    case JobWord::Wording:
      answer.bytes = observer_.phrased(in.taken<Error>());
      break;
    case JobWord::Wish: {
      const auto wish = in.taken<OutsideWish>();
      const auto bytes = in.taken<std::string>();
      MessageReader about(bytes);
      answer = wishes_->grant(wish, about);
      break;
    }
  }
  // The message just heard may be the reason to stop: the job knows of it before it goes on.
  pass_on_stop();
  reply(answer.bytes, answer.descriptor);
}

void RunningJob::reply(std::string_view text, int descriptor) const {
  MessageWriter out;
  out.put(JobReply::Heard);
  out.put(text);
  out.put(descriptor >= 0);
  send(out);
  if (descriptor >= 0) send_descriptor(child_->socket(), descriptor);
}

std::string RunningJob::what_is_kept() const {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(place_.kept_in, error);
  if (place_.kept_in.empty() || error || (written < started_ && !has_resumed_)) return "";
  return fmt::format("; what was measured before is in {}, from which the same job resumes",
                     place_.kept_in);
}

Error RunningJob::how_it_died() {
  const ChildEnd end = child_->wait_for_end();
  const std::string said =
      end.last_words.empty() ? "" : fmt::format("; its last output: {}", end.last_words);
  const std::string program = place_.program.empty() ? "this program" : place_.program;
  if (end.not_started)
    return {fmt::format("{} cannot be started as a worker", program), ErrorKind::Usage};
  if (!has_started_ && end.signal == 0)
    return {fmt::format("{} was started as a worker and does not act as one: its main() must call "
                        "worker_main()",
                        program),
            ErrorKind::Usage};
  const std::string how = end.signal != 0
                              ? what_ended_it(end.signal)
                              : fmt::format("ended its process (exit code {})", end.exit_code);
  return make_error(Code::EngineDied, {.file = place_.kept_in,
                                       .model = place_.model,
                                       .name = place_.engine,
                                       .found = what_is_kept(),
                                       .detail = how + said});
}

Result<std::string> RunningJob::run(const MessageWriter& request) {
  auto child = ChildProcess::start(place_.program, {.trust_model = place_.trust_model});
  if (!child) return failure(child);
  child_.emplace(std::move(*child));
  wishes_.emplace(place_.rights, observer_, child_->scratch());
  send(request);
  constexpr int kPauseMs = 50;
  std::string bytes;
  while (true) {
    pass_on_stop();
    show_that_it_runs();
    pollfd event{child_->socket(), POLLIN, 0};
    if (::poll(&event, 1, kPauseMs) <= 0) {
      if (is_stuck())
        return failure(end_it(place_.on_stop == OnStop::End ? Code::Cancelled : Code::EngineStuck));
      if (is_silent()) return failure(end_it(Code::EngineSilent));
      continue;
    }
    if (!read_frame(child_->socket(), bytes)) return failure(how_it_died());
    longest_silence_ = std::max(longest_silence_, seconds_between(last_heard_, Clock::now()));
    MessageReader in(bytes);
    const auto word = in.taken<JobWord>();
    hear(in, word);
    last_heard_ = Clock::now();  // the caller may have taken its time
    if (word == JobWord::Done) return std::string(in.rest());
  }
}

}  // namespace

bool is_trusted(const ModelRequest& model) {
  return model.trust_model || (model.source.is_zoo() && !can_confine());
}

Result<std::string> ask_job(const JobPlace& place, const MessageWriter& request,
                            const Observer& observer) {
  return RunningJob(place, observer).run(request);
}

}  // namespace strata

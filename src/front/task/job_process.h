// The caller's side of a job in a process of its own.
#pragma once

#include <string>
#include <utility>

#include "bench/worker.h"
#include "strata/base/observer.h"
#include "strata/base/result.h"
#include "strata/task/model.h"
#include "task/job_message.h"
#include "task/job_wishes.h"

namespace strata {

// The fate of a job after the wish to stop.
enum class OnStop {
  Wait,         // as long as its silences so far, and the one that goes on, let expect
  WaitForARun,  // as long as its silences before this one: each of its runs takes as long as
                // another
  End,          // it has nothing to give before its end
};

struct JobPlace {
  JobKind kind = JobKind::Calibrate;
  std::string program = {};  // empty: the running one
  // For the sentence if the process dies.
  std::string model = {}, engine = {};
  std::string kept_in = {};  // the file that it writes as it goes on, to resume from; empty: none
  double max_wait_seconds = kMaxWaitSeconds;  // it is ended after such a silence; 0: never
  OnStop on_stop = OnStop::Wait;
  std::string stage = {};  // shown with its time if the job says nothing itself; empty: nothing is
  bool trust_model = false;  // the process is not confined (docs/trust.md)
  JobRights rights = {};     // what it may ask for if it is
};

// True if the process that runs the model is not to be confined: the user says so, or the model is
// one of strata's own on a machine that cannot do it.
bool is_trusted(const ModelRequest& model);

// The answer to `request`, as JobWord::Done has it. Meanwhile the observer hears what the job says,
// and its wish to stop is passed on. A process that does not stop is ended after a while; one that
// is ended at once is an error, Code::Cancelled.
Result<std::string> ask_job(const JobPlace& place, const MessageWriter& request,
                            const Observer& observer);

template <class Outcome, class Request>
Result<Outcome> run_job_in_child(const JobPlace& place, const Request& request,
                                 const Observer& observer) {
  MessageWriter out;
  out.put(WorkerRequest::Job);
  out.put(place.kind);
  out.put(request);
  const auto answer = ask_job(place, out, observer);
  if (!answer) return failure(answer);
  MessageReader in(*answer);
  if (!in.taken<bool>()) return failure(in.taken<Error>());
  auto outcome = in.taken<Outcome>();
  if (!in.good()) return failure("the outcome of a job cannot be read", ErrorKind::Bug);
  return outcome;
}

}  // namespace strata

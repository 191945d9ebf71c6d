#include "measure/cancel_on_stop.h"

#include <chrono>

namespace strata {

// Looks ten times a second, which costs a measurement nothing that can be seen.
void CancelOnStop::wait() {
  constexpr std::chrono::milliseconds kPause(100);
  std::unique_lock lock(mutex_);
  bool seen = false;  // a tenth of a second ago already
  while (!changed_.wait_for(lock, kPause, [this] { return over_; })) {
    if (seen && (!may_ || may_()))
      for (Session* session : sessions_) session->cancel();
    seen = stop_->load();
  }
}

}  // namespace strata

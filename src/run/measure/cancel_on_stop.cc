#include "measure/cancel_on_stop.h"

#include <chrono>

namespace strata {

// Checks ten times a second, which does not disturb a measurement noticeably.
void CancelOnStop::wait() {
  constexpr std::chrono::milliseconds kPause(100);
  std::unique_lock lock(mutex_);
  bool seen = false;  // set if the flag was up a tenth of a second ago
  while (!changed_.wait_for(lock, kPause, [this] { return over_; })) {
    if (seen && (!may_ || may_()))
      for (Session* session : sessions_) session->cancel();
    seen = stop_->load();
  }
}

}  // namespace strata

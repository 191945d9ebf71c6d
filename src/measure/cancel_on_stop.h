#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "strata/engine/engine.h"

namespace strata {

// Ends the run that is under way soon after `stop` is set: one may take minutes, or never
// end. Runs that are short end by themselves, and count. Goes before the sessions go.
class CancelOnStop {
 public:
  // `may`, if there is one, is asked before; where it says no, the run goes on to its end.
  explicit CancelOnStop(const std::atomic<bool>* stop, std::function<bool()> may = {})
      : stop_(stop), may_(std::move(may)) {
    if (stop_ != nullptr) thread_ = std::thread([this] { wait(); });
  }
  ~CancelOnStop() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  CancelOnStop(const CancelOnStop&) = delete;
  CancelOnStop& operator=(const CancelOnStop&) = delete;

  void watch(Session& session) {
    const std::lock_guard lock(mutex_);
    sessions_.push_back(&session);
  }

 private:
  void wait();

  const std::atomic<bool>* stop_;
  std::function<bool()> may_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::vector<Session*> sessions_;
  std::thread thread_;
};

}  // namespace strata

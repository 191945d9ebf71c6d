#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "strata/engine/engine.h"

namespace strata {

// Cancels the current run soon after `stop` is set, because a run may take minutes or never end.
// Short runs end by themselves, and count. It must be destroyed before the sessions.
class CancelOnStop {
 public:
  // `may`, if given, is asked first; if it says no, the run is not cancelled.
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

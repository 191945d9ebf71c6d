// The observer of a long job: the job reports to its caller while it runs, and the caller asks it
// to stop. The library prints nothing: whoever starts a job decides what to show.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "strata/base/error.h"

namespace strata {

// Every member may be left empty. Functions are called by one thread at a time.
struct Observer {
  // `share`, from 0 to 1, of the stage is done: `calibrating`, `one layer at a time`, …
  std::function<void(std::string_view stage, double share)> progress = {};
  // The share as a number of pieces, where they can be counted. Called just before.
  std::function<void(std::int64_t done, std::int64_t all)> counted = {};
  // A warning that is no reason to stop. One sentence.
  std::function<void(const std::string& sentence)> note = {};
  // Says in a sentence that the job resumes the work of an earlier one.
  std::function<void(const std::string& sentence)> resumed = {};
  // Rewords a row or a note for the caller's users. The caller itself rewords errors that a job
  // returns.
  Phrase phrase = {};
  // Set it, from any thread or a signal handler, to end the job with partial results.
  const std::atomic<bool>* stop = nullptr;

  bool stopped() const { return stop != nullptr && stop->load(); }
  void show(std::string_view stage, double share) const {
    if (progress) progress(stage, std::clamp(share, 0.0, 1.0));
  }
  // Shows work that can be counted.
  void show(std::string_view stage, std::int64_t done, std::int64_t all) const {
    if (counted) counted(done, all);
    show(stage, all > 0 ? static_cast<double>(done) / static_cast<double>(all) : 1.0);
  }
  void say(const std::string& sentence) const {
    if (note) note(sentence);
  }
  void say_resumed(const std::string& sentence) const {
    if (resumed) resumed(sentence);
  }
  std::string phrased(const Error& error) const { return strata::phrased(phrase, error); }
};

}  // namespace strata

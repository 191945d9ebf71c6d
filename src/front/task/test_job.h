// For tests of jobs: a folder for files, a small network on the fake engine, and an observer that
// records its calls.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "strata/base/observer.h"
#include "strata/base/scratch_folder.h"
#include "strata/task/data.h"
#include "strata/task/engine.h"
#include "strata/task/model.h"

namespace strata::test {

class JobTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto engine = load_engine("fake");
    ASSERT_TRUE(engine) << engine.error().message;
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().message;
    folder_.emplace(std::move(*folder));
  }

  static ModelRequest small_model() { return {"zoo:squeezenet1_1?resolution=32"}; }
  static EngineRequest fake_engine() { return {.engine = "fake", .threads = 1}; }
  static DataRequest random_samples(std::int64_t count, std::uint64_t seed = 0) {
    return {"", "", {.samples = count, .random = true, .seed = seed}};
  }

  // Marks phrased sentences, and stops at this share of this stage.
  Observer observer(std::string stop_in = "", double stop_at = 2) {
    stop_ = false;
    Observer out;
    out.progress = [this, stop_in = std::move(stop_in), stop_at](std::string_view stage,
                                                                 double share) {
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1);
      stages_.emplace(stage);
      if (stage == stop_in && share >= stop_at) stop_ = true;
    };
    out.note = [this](const std::string& sentence) { notes_.push_back(sentence); };
    out.resumed = [this](const std::string& sentence) { resumed_.push_back(sentence); };
    out.phrase = [this](const Error& error) {
      phrased_ = error.code;
      return error.message + " [phrased]";
    };
    out.stop = &stop_;
    return out;
  }

  std::string file(const std::string& name) const { return *folder_ / name; }

  std::optional<ScratchFolder> folder_;
  std::atomic<bool> stop_ = false;
  std::set<std::string> stages_;
  std::vector<std::string> notes_, resumed_;
  std::optional<Code> phrased_;  // code of the last sentence that was phrased
};

}  // namespace strata::test

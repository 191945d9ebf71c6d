// Variants of a small model on the fake engine, for tests of workers and of benchmarks.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/worker.h"
#include "data/npz_write.h"
#include "small_models.h"
#include "strata/base/scratch_folder.h"
#include "strata/bench/bench.h"
#include "strata/build/builder.h"

namespace strata::test {

// Processes that this one has started and not waited for.
inline std::vector<pid_t> children() {
  std::ifstream file(fmt::format("/proc/self/task/{}/children", ::getpid()));
  std::vector<pid_t> all;
  for (pid_t pid = 0; file >> pid;) all.push_back(pid);
  return all;
}

class FakeBench : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto engine = load_engine("fake"); !engine) GTEST_SKIP() << engine.error().message;
    build::Builder net("Two");
    const build::Var x = net.input("x", {2, 3});
    net.output("y", net.relu(net.matmul(x, net.weight("w", {3, 4}))));
    std::ofstream(folder_ + "/two.onnx", std::ios::binary) << test::bytes_of(std::move(net));
    HostTensor input{"x", DType::F32, {2, 3}, std::vector<std::byte>(24)};
    ASSERT_TRUE(write_npz(folder_ + "/x.npz", std::vector<HostTensor>{input}));
    options_.program = STRATA_BINARY;
    options_.max_seconds = 20;
    options_.until = 1e9;  // stops after the first check
    options_.processes = 2;
    options_.min_blocks = 6;
    options_.block_seconds = 0.005;
    options_.limits.timeout_seconds = 20;
  }

  Variant variant(std::vector<std::string> engine_options = {}) const {
    Variant out;
    out.model = "two";
    out.file = folder_ + "/two.onnx";
    out.inputs = folder_ + "/x.npz";
    out.engine = "fake";
    out.session.threads = 1;
    out.session.options = std::move(engine_options);
    return out;
  }
  Worker start(const Variant& what) {
    auto worker = Worker::start(what, options_.limits, STRATA_BINARY);
    EXPECT_TRUE(worker) << worker.error().reason;
    return std::move(*worker);
  }

  ScratchFolder scratch_ = ScratchFolder::create().value();
  std::string folder_ = scratch_.path();
  BenchOptions options_;
};

}  // namespace strata::test

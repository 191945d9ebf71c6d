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

#include "measure/npz_write.h"
#include "small_models.h"
#include "strata/measure/bench.h"
#include "strata/zoo/builder.h"

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
    folder_ = (std::filesystem::temp_directory_path() / "strata_bench_XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    zoo::Builder net("Two");
    const zoo::Var x = net.input("x", {2, 3});
    net.output("y", net.relu(net.matmul(x, net.weight("w", {3, 4}))));
    std::ofstream(folder_ + "/two.onnx", std::ios::binary) << test::bytes_of(std::move(net));
    HostTensor input{"x", DType::F32, {2, 3}, std::vector<std::byte>(24)};
    ASSERT_TRUE(write_npz(folder_ + "/x.npz", std::vector<HostTensor>{input}));
    options_.program = STRATA_BINARY;
    options_.max_seconds = 20;
    options_.until = 1e9;  // after the first look
    options_.processes = 2;
    options_.min_blocks = 6;
    options_.block_seconds = 0.005;
    options_.limits.timeout_seconds = 20;
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
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

  std::string folder_;
  BenchOptions options_;
};

}  // namespace strata::test

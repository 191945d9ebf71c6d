// Timing many networks in one process leaves nothing behind: neither memory nor files nor
// threads.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "small_models.h"
#include "strata/data/inputs.h"
#include "strata/measure/memory.h"
#include "strata/measure/timing.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

struct Held {
  std::size_t heap = 0;      // bytes that were allocated and not freed
  std::size_t resident = 0;  // bytes
  std::size_t files = 0, threads = 0;
};

Held held() {
  const auto heap = ::mallinfo2();
  std::size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return {heap.uordblks + heap.hblkhd, resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)),
          entries_of("/proc/self/fd"), entries_of("/proc/self/task")};
}

bool heap_is_seen() {
  constexpr std::size_t kBytes = 1'000'000;
  const std::size_t before = held().heap;
  const std::vector<char> taken(kBytes);
  return held().heap >= before + taken.size();
}

class Leak : public ::testing::TestWithParam<std::string> {};

TEST_P(Leak, NothingStaysOfNetworksThatWereTimed) {
  if (!heap_is_seen()) GTEST_SKIP() << "another malloc than glibc's, as sanitizers have";
  const auto engine = load_engine(GetParam());
  ASSERT_TRUE(engine) << engine.error().message;
  const fs::path scratch =
      fs::path(::testing::TempDir()) / ("strata_leak_test_" + std::to_string(::getpid()));
  fs::create_directories(scratch);
  const char* set_before = std::getenv("TMPDIR");
  const std::string before = set_before != nullptr ? set_before : "";
  ::setenv("TMPDIR", scratch.c_str(), 1);

  struct Network {
    std::string bytes;
    std::vector<HostTensor> inputs;
  };
  std::vector<Network> networks;
  for (const char* name : {"squeezenet1_1?resolution=64", "mobilenet_v2?resolution=32&width=0.5",
                           "shufflenet_v2_x0_5?resolution=64"}) {
    const auto built = zoo::build(name);
    ASSERT_TRUE(built) << built.error().message;
    const auto inputs = random_inputs(built->model, 0);
    ASSERT_TRUE(inputs) << inputs.error().message;
    networks.push_back({test::zoo_bytes(name), *inputs});
  }
  const auto time_all = [&] {
    for (const Network& network : networks) {
      TimingOptions options;
      options.session.threads = 2;
      options.runs = 4;
      options.warmup = 1;
      const ModelSource source{"", ModelBytes{network.bytes}};
      const auto timing = time_model(*engine, source, network.inputs, options);
      ASSERT_TRUE(timing) << timing.error().message;
      const auto memory = trace_memory(*engine, source, network.inputs, options.session);
      const bool told =
          memory || memory.error().message.find("does not report memory") != std::string::npos;
      ASSERT_TRUE(told) << memory.error().message;
    }
  };
  // Anything that is made once and kept is there after the first round.
  time_all();
  const Held first = held();
  for (int round = 0; round < 3; ++round) time_all();
  const Held last = held();
  if (set_before != nullptr)
    ::setenv("TMPDIR", before.c_str(), 1);
  else
    ::unsetenv("TMPDIR");

  // The weights of each network take some MB, and its graph alone takes more than this.
  EXPECT_LT(last.heap, first.heap + 100'000);
  EXPECT_LT(last.resident, first.resident + 50'000'000);
  EXPECT_EQ(last.files, first.files);
  EXPECT_EQ(last.threads, first.threads);
  EXPECT_EQ(entries_of(scratch), 0u);
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(EveryEngine, Leak, ::testing::ValuesIn(test::onnx_engines()),
                         [](const auto& named) { return named.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Leak);

}  // namespace
}  // namespace strata

// Timing many networks in one process leaves nothing behind: neither memory nor files nor
// threads.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "small_models.h"
#include "strata/measure/inputs.h"
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
  std::size_t heap = 0;      // bytes that were taken and not given back
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

class Leak : public ::testing::TestWithParam<std::string> {};

TEST_P(Leak, NothingStaysOfNetworksThatWereTimed) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps what is given back, and looks for leaks itself";
#endif
  const auto engine = load_engine(GetParam());
  ASSERT_TRUE(engine) << engine.error().message;
  const fs::path scratch =
      fs::path(::testing::TempDir()) / ("strata_leak_test_" + std::to_string(::getpid()));
  fs::remove_all(scratch);
  fs::create_directories(scratch);
  const char* set_before = std::getenv("TMPDIR");
  const std::string before = set_before != nullptr ? set_before : "";
  ::setenv("TMPDIR", scratch.c_str(), 1);

  constexpr const char* kNetworks[] = {"squeezenet1_1?resolution=64", "resnet18?resolution=32",
                                       "mobilenet_v2?resolution=32"};
  const auto time_all = [&] {
    for (const char* name : kNetworks) {
      const std::string bytes = test::zoo_bytes(name);
      const auto inputs = random_inputs(zoo::build(name)->model, 0);
      ASSERT_TRUE(inputs) << inputs.error().message;
      TimingOptions options;
      options.session.threads = 2;
      options.runs = 4;
      options.warmup = 1;
      const ModelSource source{"", ModelBytes{bytes}};
      const auto timing = time_model(*engine, source, *inputs, options);
      ASSERT_TRUE(timing) << timing.error().message;
      const auto memory = trace_memory(*engine, source, *inputs, options.session);
      ASSERT_TRUE(memory) << memory.error().message;
    }
  };
  // What is made once and kept is there after the first round.
  time_all();
  const Held first = held();
  for (int round = 0; round < 3; ++round) time_all();
  const Held last = held();
  if (set_before != nullptr)
    ::setenv("TMPDIR", before.c_str(), 1);
  else
    ::unsetenv("TMPDIR");

  // The weights of the smallest network are 5 MB, its graph about 0.1 MB.
  EXPECT_LT(last.heap, first.heap + 100'000);
  EXPECT_LT(last.resident, first.resident + 50'000'000);
  EXPECT_EQ(last.files, first.files);
  EXPECT_EQ(last.threads, first.threads);
  EXPECT_EQ(entries_of(scratch), 0u);
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(EveryEngine, Leak, ::testing::ValuesIn(engine_names()),
                         [](const auto& named) { return named.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Leak);

}  // namespace
}  // namespace strata

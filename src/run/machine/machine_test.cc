#include "strata/machine/machine.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

namespace fs = std::filesystem;

// A small /proc and /sys, removed at the end.
class FakeRoot {
 public:
  FakeRoot()
      : path_(fs::path(testing::TempDir()) /
              ("strata_machine_root_" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
  }
  ~FakeRoot() { fs::remove_all(path_); }
  void write(const std::string& file, const std::string& text) {
    const fs::path full = path_ / file;
    fs::create_directories(full.parent_path());
    std::ofstream(full) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

TEST(Machine, ReadsWhatTheKernelTells) {
  FakeRoot root;
  root.write("proc/cpuinfo",
             "processor\t: 0\nmodel name\t: Acme 9000\ncpu MHz\t\t: 2596.148\n"
             "flags\t\t: fpu sse4_2 avx2 avx512f amx_int8 ht\n\nprocessor\t: 1\n");
  root.write("proc/loadavg", "1.25 0.9 0.5 2/300 777\n");
  root.write("proc/meminfo", "MemTotal:       25165824 kB\n");
  root.write("sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
  root.write("sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
  root.write("sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3700000\n");
  const MachineFacts facts = read_machine(root.path());
  EXPECT_EQ(facts.cpu, "Acme 9000");
  EXPECT_DOUBLE_EQ(facts.mhz, 2596.148);
  EXPECT_THAT(facts.isa, testing::ElementsAre("sse4_2", "avx2", "avx512f", "amx_int8"));
  EXPECT_DOUBLE_EQ(facts.load, 1.25);
  EXPECT_EQ(facts.memory_bytes, 25165824LL * 1024);
  ASSERT_EQ(facts.caches.size(), 1u);
  EXPECT_EQ(facts.caches[0].bytes, 32 * 1024);
  EXPECT_EQ(facts.caches[0].kind, "data");
  EXPECT_EQ(facts.governor, "powersave");
  EXPECT_DOUBLE_EQ(facts.max_mhz, 3700);
}

TEST(Machine, WhatIsNotThereIsNotMadeUp) {
  const FakeRoot root;
  const MachineFacts facts = read_machine(root.path());
  EXPECT_EQ(facts.cpu, "");
  EXPECT_EQ(facts.governor, "");
  EXPECT_DOUBLE_EQ(facts.mhz, -1);
  EXPECT_DOUBLE_EQ(facts.load, -1);
  EXPECT_EQ(facts.memory_bytes, -1);
  EXPECT_THAT(facts.caches, testing::IsEmpty());
}

TEST(Machine, FactsInWordsLeaveOutWhatIsNotKnown) {
  MachineFacts facts;
  EXPECT_THAT(named_facts(facts), testing::IsEmpty());
  facts.cpu = "Abacus 7";
  facts.cores = 2;
  facts.caches = {{1, "data", 32768}, {1, "instruction", 32768}, {2, "unified", 1 << 20}};
  facts.load = 0.256;
  using Fact = std::pair<std::string, std::string>;
  EXPECT_THAT(
      named_facts(facts),
      testing::ElementsAre(Fact("cpu", "Abacus 7"), Fact("cores", "2"), Fact("l1", "32.00 KiB"),
                           Fact("l2", "1.000 MiB"), Fact("load", "0.26")));
}

}  // namespace
}  // namespace strata

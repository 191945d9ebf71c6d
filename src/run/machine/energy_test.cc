#include "machine/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Energy : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const fs::path path = root_ + "/sys/class/powercap/" + file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }
  void add_package(const std::string& folder, const std::string& name, const std::string& uj) {
    write(folder + "/name", name);
    write(folder + "/energy_uj", uj);
    write(folder + "/max_energy_range_uj", "1000000");
  }

  ScratchFolder scratch_ = ScratchFolder::create().value();
  std::string root_ = scratch_.path();
};

// Parts of a package and the platform would count it twice.
TEST_F(Energy, PackagesAddUp) {
  add_package("intel-rapl:0", "package-0", "100000");
  add_package("intel-rapl:0:0", "core", "1");
  add_package("intel-rapl:1", "package-1", "0");
  add_package("intel-rapl:2", "psys", "5");
  auto meter = EnergyMeter::open(root_);
  ASSERT_TRUE(meter) << meter.error().message;
  EXPECT_EQ(meter->source(), "RAPL package-0 + package-1");
  EXPECT_EQ(meter->joules(), 0.0);
  add_package("intel-rapl:0", "package-0", "400000");
  add_package("intel-rapl:1", "package-1", "200000");
  add_package("intel-rapl:0:0", "core", "900000");
  add_package("intel-rapl:2", "psys", "900000");
  EXPECT_DOUBLE_EQ(meter->joules().value_or(-1), 0.5);
}

TEST_F(Energy, CountersThatStartAgainAreFollowed) {
  add_package("intel-rapl:0", "package-0", "900000");
  auto meter = EnergyMeter::open(root_);
  ASSERT_TRUE(meter) << meter.error().message;
  add_package("intel-rapl:0", "package-0", "100000");
  EXPECT_DOUBLE_EQ(meter->joules().value_or(-1), 0.2);
  fs::remove(root_ + "/sys/class/powercap/intel-rapl:0/energy_uj");
  EXPECT_EQ(meter->joules(), std::nullopt);
}

TEST_F(Energy, SaysWhyThereIsNone) {
  const auto none = EnergyMeter::open(root_);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no RAPL counters in"));
  write("intel-rapl:0/name", "package-0");
  const auto closed = EnergyMeter::open(root_);
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message, HasSubstr("energy_uj cannot be read: No such file"));
}

}  // namespace
}  // namespace strata

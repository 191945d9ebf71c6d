#include "strata/task/calibrate_device.h"

#include <fstream>

#include "strata/predict/efficiency.h"
#include "task/test_job.h"

namespace strata {
namespace {

class CalibrateDeviceJob : public test::JobTest {
 protected:
  static CalibrateDeviceRequest request() { return {.engine = fake_engine(), .seconds = 0.1}; }
};

TEST_F(CalibrateDeviceJob, WritesADeviceThatPredictionsUse) {
  CalibrateDeviceRequest asked = request();
  asked.output = file("mine.toml");
  const auto outcome = run_calibrate_device(asked, observer());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->interrupted);
  EXPECT_THAT(stages_, testing::ElementsAre("calibrating"));
  EXPECT_GE(outcome->runs.size(), 10u);
  const auto device = read_device_file(asked.output);
  ASSERT_TRUE(device) << device.error().message;
  ASSERT_TRUE(device->measured);
  EXPECT_THAT(device->measured->engine, testing::StartsWith("fake "));
  EXPECT_LT(device->measured->low, 1);
  EXPECT_GT(device->measured->high, 1);
  const auto efficiency = find_efficiency(*device, Runtime::Engine, "fp32");
  ASSERT_TRUE(efficiency);
  EXPECT_TRUE(efficiency->same_device && efficiency->same_runtime && efficiency->same_precision);
  EXPECT_FALSE(find_efficiency(*device, Runtime::Engine, "int8")->same_precision);
  EXPECT_FALSE(find_efficiency(*device, Runtime::Eager, "fp32")->same_runtime);
  // Its own output may be replaced, a file of somebody else may not.
  std::ofstream(file("other.toml")) << "title = \"mine\"\n";
  asked.output = file("other.toml");
  EXPECT_FALSE(run_calibrate_device(asked, observer()));
}

TEST_F(CalibrateDeviceJob, StoppedItWritesNothing) {
  CalibrateDeviceRequest asked = request();
  asked.output = file("mine.toml");
  const auto outcome = run_calibrate_device(asked, observer("calibrating", 0.2));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_FALSE(std::ifstream(asked.output).good());
}

TEST_F(CalibrateDeviceJob, AnEngineThatDiesIsAnError) {
  CalibrateDeviceRequest asked = request();
  asked.engine.own = {"fail=exit"};
  const auto outcome = run_calibrate_device(asked);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::EngineDied);
}

}  // namespace
}  // namespace strata

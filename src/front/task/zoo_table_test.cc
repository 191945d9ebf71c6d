#include "strata/task/zoo_table.h"

#include "strata/zoo/zoo.h"
#include "task/test_job.h"

namespace strata {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class ZooTableJob : public test::JobTest {
 protected:
  static ZooTableRequest request() {
    ZooTableRequest out;
    out.profile.columns = "params,macs,energy";
    return out;
  }
};

TEST_F(ZooTableJob, EveryNetworkOfTheTableIsARow) {
  const auto table = run_zoo_table(request(), observer());
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(table->missing, SizeIs(0));
  EXPECT_THAT(table->profile.rows, SizeIs(34));  // of the published table
  EXPECT_THAT(stages_, SizeIs(34));
  ASSERT_THAT(table->profile.columns, SizeIs(4));
  EXPECT_EQ(table->profile.columns[0].name, "model");
}

TEST_F(ZooTableJob, TheColumnsAreWhatTheConventionCounts) {
  const auto figure = [](const std::string& convention) {
    ZooTableRequest request;
    request.profile.convention = convention;
    const auto table = run_zoo_table(request);
    return table ? table->profile.columns.at(2).name : table.error().message;
  };
  EXPECT_EQ(figure("strata"), "flops");
  EXPECT_EQ(figure("thop"), "macs");  // which counts nothing else
  EXPECT_EQ(published_counting().convention, "rasp-2020");
}

TEST_F(ZooTableJob, StoppedNetworksAreNamed) {
  Observer stopping = observer();
  stopping.progress = [this](std::string_view stage, double) {
    stages_.emplace(stage);
    if (stage.starts_with("[2/")) stop_ = true;
  };
  ZooTableRequest timed = request();
  timed.time.emplace();
  timed.time->engine = fake_engine();
  timed.time->runs = 2;
  timed.time->warmup = 0;
  const auto table = run_zoo_table(timed, stopping);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(stages_, testing::Contains("[1/34] alexnet: measuring"));
  EXPECT_THAT(table->profile.rows, SizeIs(1));
  EXPECT_THAT(table->missing, SizeIs(33));
  ASSERT_FALSE(table->profile.notes.empty());
  EXPECT_THAT(table->profile.notes.back(), HasSubstr("interrupted after 1 of 34 networks"));
  EXPECT_THAT(table->profile.columns, SizeIs(8));  // including the four for latency
}

}  // namespace
}  // namespace strata

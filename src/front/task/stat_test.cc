#include "strata/task/stat.h"

#include "task/test_job.h"

namespace strata {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class StatJob : public test::JobTest {
 protected:
  static StatRequest request() {
    StatRequest out{small_model()};
    out.profile.rows.report = ReportKind::None;
    return out;
  }
  static StatRequest timed() {
    StatRequest out = request();
    out.time.emplace();
    out.time->engine = fake_engine();
    out.time->runs = 4;
    out.time->warmup = 0;
    return out;
  }
  static bool has_column(const Profile& table, std::string_view name) {
    for (const Column& column : table.columns)
      if (column.name == name) return true;
    return false;
  }
};

// torchvision prints 1,235,496 parameters for its squeezenet1_1.
TEST_F(StatJob, CountsWithoutAnEngine) {
  StatRequest params = request();
  params.profile.columns = "params";
  const auto outcome = run_stat(params);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(outcome->shown);
  EXPECT_FALSE(outcome->full || outcome->interrupted);
  EXPECT_FALSE(outcome->shown->timing);
  ASSERT_EQ(outcome->shown->columns.size(), 1u);
  EXPECT_TRUE(std::get<Expr>(outcome->shown->totals.cells[0].value).is(1'235'496));
}

TEST_F(StatJob, MakesTheTablesThatAreAskedFor) {
  StatRequest both = request();
  both.full = true;
  both.caller.options = {{"--count", "strata"}};
  const auto outcome = run_stat(both);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(outcome->shown && outcome->full);
  EXPECT_GT(outcome->full->columns.size(), outcome->shown->columns.size());
  EXPECT_TRUE(has_column(*outcome->full, "energy"));
  EXPECT_THAT(outcome->full->model.graph_hash, Not(IsEmpty()));
  EXPECT_EQ(outcome->full->options, both.caller.options);
  both.shown = false;
  EXPECT_FALSE(run_stat(both)->shown);
}

TEST_F(StatJob, MeasuresInAProcessOfItsOwn) {
  const auto outcome = run_stat(timed(), observer());
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_TRUE(outcome->shown->timing);
  EXPECT_THAT(outcome->shown->timing->engine, HasSubstr("fake "));
  EXPECT_TRUE(has_column(*outcome->shown, "time"));
  EXPECT_THAT(outcome->shown->machine, Not(IsEmpty()));
  EXPECT_THAT(stages_, Contains("measuring"));
}

TEST_F(StatJob, AStoppedRunHasNoTables) {
  stop_ = true;
  const auto outcome = run_stat(timed(), Observer{.stop = &stop_});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_FALSE(outcome->analysis || outcome->shown || outcome->full);
}

TEST_F(StatJob, AnEngineThatDiesIsAnError) {
  StatRequest request = timed();
  request.time->engine.own = {"fail=crash"};
  const auto outcome = run_stat(request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::EngineDied);
  EXPECT_THAT(outcome.error().message, HasSubstr("engine fake crashed (SIGABRT"));
}

}  // namespace
}  // namespace strata

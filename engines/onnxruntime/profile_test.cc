#include "profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace strata::ort {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Lines as ONNX Runtime 1.27.0 writes them.
std::string kernel(const std::string& name,
                   const std::string& shapes = R"([{"float":[1,32,7,7]}])") {
  return R"({"cat" : "Node","pid" :2942,"tid" :2942,"dur" :423,"ts" :265622,"ph" : "X","name" :")" +
         name +
         R"(_kernel_time","args" : {"thread_scheduling_stats" : "","op_name" : "Conv","input_type_shape" : [{"float":[1,3,14,14]},{"float":[32]}],"node_index" : "187","output_type_shape" : )" +
         shapes + R"(,"provider" : "CPUExecutionProvider","output_size" : "1605632"}},)" + "\n";
}
const char* const kRun =
    R"({"cat" : "Session","pid" :2942,"tid" :2942,"dur" :41656,"ts" :348158,"ph" : "X","name" :"model_run","args" : {}})"
    "\n";

std::vector<ProfileEvent> events_of(const std::string& text) {
  std::vector<ProfileEvent> events;
  read_profile(text, [&](const ProfileEvent& event) { events.push_back(event); });
  return events;
}

TEST(Profile, KernelAndRun) {
  const std::string text = "[\n" + kernel("/features/Conv") + kRun + "]\n";
  const auto events = events_of(text);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].name, "/features/Conv");
  EXPECT_EQ(events[0].op, "Conv");
  EXPECT_EQ(events[0].provider, "CPUExecutionProvider");
  EXPECT_EQ(events[0].start_us, 265622);
  EXPECT_EQ(events[0].duration_us, 423);
  EXPECT_THAT(events[0].output_dims, ElementsAre(ElementsAre(1, 32, 7, 7)));
  EXPECT_FALSE(events[0].is_run);
  EXPECT_TRUE(events[1].is_run);
  EXPECT_EQ(events[1].duration_us, 41656);
}

TEST(Profile, NamesThatBreakJson) {
  for (const std::string name : {R"(a"b)", R"(a\)", R"(","args" : {"op_name" : "Evil"}})", R"()"}) {
    const std::string text = kernel(name);
    const auto events = events_of(text);
    ASSERT_EQ(events.size(), 1u) << name;
    EXPECT_EQ(events[0].name, name);
    EXPECT_EQ(events[0].op, "Conv") << name;
  }
}

TEST(Profile, ScalarsAndSeveralOutputs) {
  const std::string text = kernel("n", R"([{"int64":[]},{"float":[2,0]}])");
  const auto events = events_of(text);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_THAT(events[0].output_dims, ElementsAre(IsEmpty(), ElementsAre(2, 0)));
}

TEST(Profile, SkipsWhatItDoesNotKnow) {
  const std::string whole = kernel("n");
  for (std::size_t length = 0; length + 4 < whole.size(); ++length)
    EXPECT_THAT(events_of(whole.substr(0, length)), IsEmpty()) << length;
  EXPECT_THAT(events_of(R"({"cat" : "Session","pid" :1,"tid" :1,"dur" :2,"ts" :3,"ph" : "X",)"
                        R"("name" :"session_initialization","args" : {}},)"),
              IsEmpty());
}

}  // namespace
}  // namespace strata::ort

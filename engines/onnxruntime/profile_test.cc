#include "profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel_trace.h"

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

// HardSwish is run as a HardSigmoid and a Mul, which the file does not name and ONNX Runtime 1.27
// calls by numbers of its own. The two HardSwish are told by the order in which their kernels run.
TEST(KernelTrace, KernelsWithoutANameAreThoseOfTheFileInOrder) {
  Fusion fusion;
  for (const char* source : {"first", "second"})
    for (const char* op : {"HardSigmoid", "Mul"})
      fusion.kernels.push_back({"", op, STRATA_KERNEL_COMPUTE, {source}, {}});
  KernelTrace trace;
  trace.set_fusion(std::move(fusion));
  std::string text = "[\n";
  for (const char* name : {"HardSigmoid_3", "Mul_4", "HardSigmoid_5", "Mul_6", "Mul_7", "Mul_a"}) {
    const std::string op(name, std::string_view(name).find('_'));
    std::string line = kernel(name);
    line.replace(line.find(R"("Conv")"), 6, '"' + op + '"');
    text += line;
  }
  trace.add(text + kRun, 0,
            {{.number = 0, .profile_start_ns = 0, .profile_end_ns = 1'000'000'000}});
  std::vector<std::string> sources;
  trace.give(&sources, [](void* user, const StrataKernel* kernel) {
    static_cast<std::vector<std::string>*>(user)->push_back(
        kernel->source_count == 0 ? "" : kernel->sources[0]);
    return 0;
  });
  EXPECT_THAT(sources, ElementsAre("first", "first", "second", "second", "", ""));
  EXPECT_THAT(trace.absent(), IsEmpty());
}

}  // namespace
}  // namespace strata::ort

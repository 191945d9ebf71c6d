#include "strata/task/payload.h"

#include <fstream>

#include "graph/text.h"
#include "strata/write/onnx.h"
#include "task/test_job.h"

namespace strata {
namespace {

using testing::HasSubstr;

class PayloadJob : public test::JobTest {
 protected:
  // 2·4·100·10 = 8,000 FLOPs, then 2·4·10·1000 = 80,000: 1,600 bytes go in, 160 are between the two
  // layers, and 16,000 come out.
  ModelRequest narrow_model() const {
    auto model = model_from_text(R"(
        input x f32[4,100]
        weight a f32[100,10]
        weight b f32[10,1000]
        narrow = MatMul(x, a) name="first"
        wide = MatMul(narrow, b) name="second"
        output wide)");
    EXPECT_TRUE(model) << model.error().message;
    EXPECT_TRUE(infer(*model));
    EXPECT_TRUE(write_onnx(*model, file("narrow.onnx"), {}));
    return {file("narrow.onnx")};
  }

  static SplitRequest split() {
    SplitRequest out;
    out.options.link_bytes_per_second = 160;
    out.options.returns_results = false;
    out.edge = {.speed = MachineSpeed{1000, std::nullopt}, .name = "a sensor"};
    out.server = {.speed = MachineSpeed{80'000, std::nullopt}, .name = "a rack"};
    return out;
  }
};

TEST_F(PayloadJob, OnlyWhatIsAskedForIsComputed) {
  PayloadRequest request{narrow_model()};
  request.cuts = false;
  const auto outcome = run_payload(request);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->boundaries);
  EXPECT_FALSE(outcome->cuts);
  EXPECT_FALSE(outcome->split);
  EXPECT_FALSE(outcome->named_split());
  const Document document =
      payload_document(outcome->source(), &*outcome->boundaries, nullptr, nullptr, {});
  ASSERT_EQ(document.tables.size(), 1u);
  EXPECT_FALSE(document.tables[0].rows.empty());
}

// The edge takes 8 s for the first layer, 160 bytes take 1 s, and the server takes 1 s for the
// second. All on the server: 10 s for the input, then 1.1 s. All on the edge: 88 s.
TEST_F(PayloadJob, TheSplitIsWhereItPays) {
  PayloadRequest request{narrow_model()};
  request.split = split();
  auto outcome = run_payload(request);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const PayloadOutcome moved = std::move(*outcome);  // costs still refer to its model
  ASSERT_TRUE(moved.split);
  const Split& found = *moved.split;
  const double link = found.options.link_bytes_per_second;
  EXPECT_DOUBLE_EQ(found.latency(found.best, link), 10);
  EXPECT_DOUBLE_EQ(found.latency(found.all_edge, link), 88);
  EXPECT_DOUBLE_EQ(found.latency(found.all_server, link), 11.1);
  const auto named = moved.named_split();
  ASSERT_TRUE(named);
  EXPECT_EQ(named->edge, "a sensor");
  EXPECT_EQ(named->server, "a rack");
  EXPECT_THAT(split_answer(moved.source(), *named),
              HasSubstr("Best: cut after first, 1.11 times as fast as all on the server: 10.00 s "
                        "instead of 11.10 s. It ships 160 B"));
}

TEST_F(PayloadJob, InputsAreSentAsBytesOrAsJpeg) {
  EXPECT_EQ(*parse_input_bytes("uint8"), 1);
  EXPECT_EQ(*parse_input_bytes("jpeg:0.1"), 0.1);
  for (const char* wrong :
       {"", "jpeg", "jpeg:", "jpeg:0", "jpeg:2", "jpeg:nan", "jpeg:0.1x", "png"})
    EXPECT_EQ(parse_input_bytes(wrong).error().kind, ErrorKind::Usage) << wrong;
}

TEST_F(PayloadJob, ASplitThatNobodyAskedForMayBeMissing) {
  PayloadRequest request{narrow_model()};
  request.split = split();
  request.split->edge = {.profile = file("none.json")};
  request.may_lack_split = true;
  const auto outcome = run_payload(request);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_FALSE(outcome->split);
  EXPECT_THAT(outcome->why_no_split, HasSubstr("none.json"));
}

TEST_F(PayloadJob, AMachineMayBeAProfile) {
  PayloadRequest request{narrow_model()};
  request.split = split();
  request.split->edge = {.profile = file("none.json")};
  const auto missing = run_payload(request);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("none.json"));
}

TEST_F(PayloadJob, AMachineIsASpeedOrAFile) {
  const auto speed = parse_machine("50GFLOP/s,20GB/s");
  ASSERT_TRUE(speed) << speed.error().message;
  ASSERT_TRUE(speed->speed);
  EXPECT_EQ(speed->speed->flops_per_second, 50e9);
  EXPECT_EQ(speed->name, "50GFLOP/s,20GB/s");
  const auto profile = parse_machine("saved.json");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_FALSE(profile->speed);
  EXPECT_EQ(profile->profile, "saved.json");
  EXPECT_EQ(parse_machine("50 horses").error().kind, ErrorKind::Usage);
}

TEST_F(PayloadJob, AModelThatIsNotThereIsAnError) {
  EXPECT_FALSE(run_payload({{file("none.onnx")}}));
}

}  // namespace
}  // namespace strata

#include "strata/task/record.h"

#include <cstring>

#include "task/record_job.h"
#include "task/test_job.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kScript = STRATA_SOURCE_DIR "/tests/models/weights/torchscript.pt";

class RecordJob : public test::JobTest {};

TEST_F(RecordJob, InputsAreTheSameWheneverTheyAreMade) {
  InferOptions sizes;
  sizes.input_shapes = {{"x", {1, 3, 4, 4}}, {"y", {5}}};
  sizes.batch = 2;
  const auto inputs = recorded_inputs(sizes, {}, 7);
  ASSERT_TRUE(inputs) << inputs.error().message;
  ASSERT_THAT(*inputs, SizeIs(2));
  EXPECT_EQ((*inputs)[0].name, "x");
  EXPECT_EQ((*inputs)[0].dtype, DType::F32);
  EXPECT_THAT((*inputs)[0].dims, ElementsAre(2, 3, 4, 4));
  EXPECT_THAT((*inputs)[1].dims, ElementsAre(2));
  EXPECT_EQ((*recorded_inputs(sizes, {}, 7))[0].data, (*inputs)[0].data);
  EXPECT_NE((*recorded_inputs(sizes, {}, 8))[0].data, (*inputs)[0].data);
  EXPECT_THAT(*recorded_inputs({}, {}, 0), IsEmpty());
  EXPECT_FALSE(recorded_inputs({}, {"x=/nowhere.npy"}, 0));
}

// Integers that index nothing that is known are 0 or 1, as random_inputs() has them.
TEST_F(RecordJob, AnInputHasTheTypeThatIsStated) {
  InferOptions sizes;
  sizes.input_shapes = {{"ids", {2, 50}}, {"x", {3}}};
  sizes.element_types = {{"ids", DType::I64}};
  const auto inputs = recorded_inputs(sizes, {}, 0);
  ASSERT_TRUE(inputs) << inputs.error().message;
  ASSERT_THAT(*inputs, SizeIs(2));
  EXPECT_EQ((*inputs)[0].dtype, DType::I64);
  EXPECT_EQ((*inputs)[1].dtype, DType::F32);
  std::vector<std::int64_t> ids(100);
  ASSERT_EQ((*inputs)[0].data.size(), ids.size() * sizeof ids[0]);
  std::memcpy(ids.data(), (*inputs)[0].data.data(), (*inputs)[0].data.size());
  EXPECT_THAT(ids, testing::Each(testing::AnyOf(0, 1)));
  EXPECT_THAT(ids, testing::Contains(1));
}

TEST_F(RecordJob, AnEngineThatIsNotHereIsSaid) {
  RecordRequest request{.model = {kScript}};
  request.engine.engine = "abacus";
  const auto text = run_record_job(request, {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Code::ScriptNeedsEngine);
  EXPECT_THAT(text.error().message, HasSubstr("torchscript.pt is a TorchScript file"));
  EXPECT_THAT(text.error().fields().found, HasSubstr("libstrata_engine_abacus.so"));
}

TEST_F(RecordJob, AnEngineThatRecordsNothingIsSaid) {
  RecordRequest request{.model = small_model()};
  request.engine = fake_engine();
  request.model.sizes.input_shapes = {{"input", {1, 3, 64, 64}}};
  const auto text = run_record_job(request, {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::Model);
}

}  // namespace
}  // namespace strata

#include "strata/task/zoo_export.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "strata/read/read.h"
#include "task/test_job.h"

namespace strata {
namespace {

class ZooExportJob : public test::JobTest {};

// torchvision prints 1,235,496 parameters for its squeezenet1_1.
TEST_F(ZooExportJob, WritesWhatEnginesRun) {
  const auto done = run_zoo_export({"zoo:squeezenet1_1", file("net.onnx"), 7});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->path, file("net.onnx"));
  EXPECT_TRUE(done->params.is(1'235'496));
  EXPECT_EQ(done->bytes, std::filesystem::file_size(file("net.onnx")));
  EXPECT_GT(done->bytes, 4 * 1'235'496u);
  const auto model = read_model(file("net.onnx"));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_TRUE(check_has_weights(*model));
}

TEST_F(ZooExportJob, TheBytesAreThoseOfTheFile) {
  const auto bytes = zoo_export_bytes({"zoo:squeezenet1_1", "", 7});
  ASSERT_TRUE(bytes) << bytes.error().message;
  ASSERT_TRUE(run_zoo_export({"squeezenet1_1", file("net.onnx"), 7}));
  std::ifstream written(file("net.onnx"), std::ios::binary);
  EXPECT_TRUE(*bytes == std::string(std::istreambuf_iterator<char>(written), {}));
}

TEST_F(ZooExportJob, WithoutWeightsThereAreShapesOnly) {
  const auto done = run_zoo_export({"squeezenet1_1", file("net.onnx"), std::nullopt});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_LT(done->bytes, 1'000'000u);
  EXPECT_FALSE(check_has_weights(read_model(file("net.onnx")).value()));
  EXPECT_EQ(run_zoo_export({"no_such_network"}).error().code, Code::NoNetwork);
}

}  // namespace
}  // namespace strata

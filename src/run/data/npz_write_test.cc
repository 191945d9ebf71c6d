#include "data/npz_write.h"

#include <cstring>
#include <filesystem>

#include <gtest/gtest.h>

#include "strata/base/scratch_folder.h"
#include "strata/data/inputs.h"

namespace strata {
namespace {

HostTensor floats(std::string name, std::vector<std::int64_t> dims, std::vector<float> values) {
  HostTensor tensor{std::move(name), DType::F32, std::move(dims), {}};
  tensor.data.resize(values.size() * sizeof(float));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

class NpzWrite : public testing::Test {
 protected:
  ScratchFolder scratch_ = ScratchFolder::create().value();
  std::string folder_ = scratch_.path();
};

TEST_F(NpzWrite, IsReadBackAsItWas) {
  const std::string path = folder_ + "/x.npz";
  HostTensor scalar{"k", DType::I64, {}, std::vector<std::byte>(8, std::byte{1})};
  HostTensor empty{"none/of:it", DType::U8, {0, 3}, {}};
  const std::vector<HostTensor> tensors = {floats("x", {2, 3}, {1, 2, 3, 4, 5, 6}),
                                           floats("list", {1}, {7}), scalar, empty};
  ASSERT_TRUE(write_npz(path, tensors));
  const auto read = read_tensors(path);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ((*read)[i].name, tensors[i].name);
    EXPECT_EQ((*read)[i].dtype, tensors[i].dtype);
    EXPECT_EQ((*read)[i].dims, tensors[i].dims);
    EXPECT_EQ((*read)[i].data, tensors[i].data);
  }
}

TEST_F(NpzWrite, NumpyReadsIt) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "no numpy on this machine";
  const std::string path = folder_ + "/x.npz";
  ASSERT_TRUE(write_npz(path, std::vector<HostTensor>{floats("x", {2, 2}, {1, 2, 3, 4.5})}));
  const std::string command =
      "/usr/bin/python3 -c 'import numpy; x = numpy.load(\"" + path +
      "\")[\"x\"]; assert x.dtype == numpy.float32 and x.tolist() == [[1, 2], [3, 4.5]]'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(NpzWrite, WhatNumpyDoesNotHaveIsNamed) {
  const HostTensor tensor{"x", DType::BF16, {1}, std::vector<std::byte>(2)};
  const auto status = write_npz(folder_ + "/x.npz", std::vector{tensor});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "\"x\" is of type bf16, which .npz files do not have");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/x.npz"));
}

TEST_F(NpzWrite, AFolderThatIsNotThereIsAnError) {
  const auto status =
      write_npz(folder_ + "/none/x.npz", std::vector<HostTensor>{floats("x", {1}, {1})});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("/none/x.npz"), std::string::npos);
}

}  // namespace
}  // namespace strata

// .pte files that cannot be read, and the one sentence that each must get.
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/base/scratch_folder.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class BrokenPte : public testing::Test {
 protected:
  static std::string program(const std::string& name) {
    std::ifstream in(std::string(STRATA_SOURCE_DIR) + "/tests/models/executorch/" + name,
                     std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // The message for a file with this content, without its folder.
  std::string sentence(const std::string& content) {
    const std::string path = scratch_ / "m.pte";
    std::ofstream(path, std::ios::binary) << content;
    auto model = read_model(path);
    if (model) {
      const auto inferred = infer(*model, {});
      return inferred ? "no complaint" : inferred.error().message;
    }
    std::string message = model.error().message;
    const std::string folder = (scratch_ / "");
    for (std::size_t at; (at = message.find(folder)) != std::string::npos;)
      message.erase(at, folder.size());
    return message;
  }
  static std::string with_number(std::string bytes, std::size_t at, std::uint32_t number) {
    std::memcpy(bytes.data() + at, &number, sizeof number);
    return bytes;
  }

  ScratchFolder scratch_ = ScratchFolder::create().value();
};

TEST_F(BrokenPte, OffsetsThatLeadOutside) {
  const std::string whole = program("open_xnnpack.pte");
  EXPECT_EQ(sentence(whole), "no complaint");
  EXPECT_EQ(sentence(with_number(whole, 0, 0xffffffff)),
            "m.pte: it is damaged, or not downloaded to the end: byte 0 refers to bytes that it "
            "does not have");
  EXPECT_EQ(sentence(with_number(whole, 0, 0)),
            "m.pte: it is damaged, or not downloaded to the end: byte 0 refers to bytes that it "
            "does not have");
}

TEST_F(BrokenPte, CutOff) {
  const std::string whole = program("image_xnnpack.pte");
  for (std::size_t size = 16; size + 400 < whole.size(); size += 97)
    EXPECT_THAT(sentence(whole.substr(0, size)), StartsWith("m.pte: it is damaged")) << size;
}

// Counts, offsets and sizes in turn say 2³¹, or lead back by 16 bytes, so that tables are cycles.
TEST_F(BrokenPte, NumbersThatLie) {
  const std::string whole = program("branches_portable.pte");
  int complaints = 0;
  for (std::size_t at = 0; at + 4 <= whole.size(); at += 4) {
    const std::uint32_t number = at % 8 == 0 ? 0x80000000 : 0xfffffff0;
    const std::string said = sentence(with_number(whole, at, number));
    EXPECT_FALSE(said.empty()) << at;
    complaints += said == "no complaint" ? 0 : 1;
  }
  EXPECT_GT(complaints, 100);
}

TEST_F(BrokenPte, ADelegateWhoseGraphIsCut) {
  std::string whole = program("open_xnnpack.pte");
  const std::size_t graph = whole.find("XN01");
  ASSERT_NE(graph, std::string::npos);
  EXPECT_THAT(sentence(with_number(whole, graph - 4, 0x00ffffff)), HasSubstr("it is damaged"));
}

}  // namespace
}  // namespace strata

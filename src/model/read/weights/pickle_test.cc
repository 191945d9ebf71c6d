#include "read/weights/pickle.h"

#include <gtest/gtest.h>

#include "read/weights/test_files.h"

namespace strata::weights {
namespace {

using namespace test;

std::string problem_of(const std::string& operations, const PickleLimits& limits = {}) {
  const auto read = read_pickle(pickle(operations), limits);
  return read ? "no problem" : read.error().message;
}

TEST(Pickle, ValuesThatAStateDictHas) {
  const std::string bytes = pickle(dict({{"w", tensor({})}, {"epoch", number(-3)}}));
  const std::string more = bytes + "more";
  const auto read = read_pickle(more);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->bytes, bytes.size());
  const PickledValue& top = read->at(read->result);
  ASSERT_EQ(top.kind, ValueKind::Dict);
  ASSERT_EQ(top.items.size(), 4u);
  EXPECT_EQ(read->at(top.items[0]).text, "w");
  EXPECT_EQ(read->at(top.items[3]).number, -3);
  ASSERT_EQ(read->tensors.size(), 1u);
  EXPECT_EQ(read->tensors[0].dtype, DType::F32);
  EXPECT_EQ(read->tensors[0].dims, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(read->storages[0].key, "0");
  EXPECT_EQ(read->storages[0].elements, 6u);
}

TEST(Pickle, LongNumbersHaveASign) {
  using namespace std::string_literals;
  const auto number_of = [](const std::string& operations) {
    const auto read = read_pickle(pickle(operations));
    return read ? read->at(read->result).number : 0;
  };
  EXPECT_EQ(number_of("\x8a\x01\xff"), -1);
  EXPECT_EQ(number_of("\x8a\x03\x00\x00\x01"s), 65536);
  EXPECT_EQ(number_of("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"), INT64_MAX);
  EXPECT_EQ(number_of("M\xff\xff"), 65535);
  EXPECT_EQ(number_of("\x88"), 1);
}

TEST(Pickle, ARememberedValueIsTheSame) {
  const auto read = read_pickle(pickle("}q\x01(" + text("a") + "h\x01u"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at(read->result).items[1], read->result);  // a dict that is in itself
}

TEST(Pickle, AttributesOfADictAreLeftOut) {
  EXPECT_EQ(problem_of("}}b"), "no problem");
  EXPECT_EQ(problem_of("]}b"), "its pickle sets attributes of something else than a dict");
}

TEST(Pickle, NothingIsCalledThatIsNotOnTheList) {
  const auto refused = [](const std::string& name) {
    return "it is not a plain state dict: its pickle uses \"" + name +
           "\", which strata does not load; save model.state_dict() alone, or as safetensors";
  };
  EXPECT_EQ(problem_of(global("os", "system") + "(" + text("true") + "tR"), refused("os.system"));
  EXPECT_EQ(problem_of(text("builtins") + text("eval") + "\x93"), refused("builtins.eval"));
  EXPECT_EQ(problem_of(global("numpy.core.multiarray", "scalar")),
            refused("numpy.core.multiarray.scalar"));
  EXPECT_EQ(problem_of(global("torch._utils", "_rebuild_tensor_v2\x1b[31m")),
            refused("torch._utils._rebuild_tensor_v2\\x1b[31m"));
  // INST, OBJ, NEWOBJ and EXT1 make objects in other ways.
  for (const char* code : {"i", "o", "\x81", "\x82"})
    EXPECT_TRUE(problem_of(std::string("(") + code).starts_with("its pickle has the operation 0x"));
}

TEST(Pickle, AllowedNamesAreCalledAsATorchFileCallsThem) {
  EXPECT_EQ(problem_of(text("a") + ")R"), "its pickle calls something that is not a function");
  EXPECT_EQ(problem_of(global("torch", "FloatStorage") + ")R"),
            "its pickle calls torch.FloatStorage in a way that no state dict does");
  EXPECT_EQ(problem_of(global("torch._utils", "_rebuild_tensor_v2") + ")R"),
            "its pickle describes a tensor in no known way");
  const std::string again = global("torch._tensor", "_rebuild_from_type_v2");
  EXPECT_EQ(
      problem_of(again + "(" + again + "N)tR"),
      "its pickle calls torch._tensor._rebuild_from_type_v2 in a way that no state dict does");
  EXPECT_EQ(problem_of("NQ"), "its pickle refers to data in no known way");
}

TEST(Pickle, MalformedOnesGetASentence) {
  EXPECT_EQ(problem_of(""), "its pickle ends without a value");
  EXPECT_EQ(problem_of("0"), "its pickle takes a value that is not there");
  EXPECT_EQ(problem_of("t"), "its pickle takes values that are not there");
  EXPECT_EQ(problem_of("N(\x85"), "its pickle takes a value that is not there");
  EXPECT_EQ(problem_of("h\x07"), "its pickle uses a value before it is made");
  EXPECT_EQ(problem_of("}(Nu"), "its pickle adds items to something that has none");
  EXPECT_EQ(problem_of("N(Ne"), "its pickle adds items to something that has none");
  EXPECT_EQ(problem_of("X\xff\xff\xff\xff"), "its pickle is cut off after 8 bytes");
  EXPECT_EQ(problem_of("cos"), "its pickle is cut off within a name");
  EXPECT_EQ(problem_of("\x80\x09"), "its pickle has protocol 9; strata reads 2 to 5");
}

TEST(Pickle, ValuesAreBounded) {
  const PickleLimits ten{.values = 10};
  const std::string sentence = "its pickle makes more than 10 values, which no state dict does";
  EXPECT_EQ(problem_of(std::string(11, 'N'), ten), sentence);
  EXPECT_EQ(problem_of(std::string(10, 'N'), ten), "no problem");
  EXPECT_EQ(problem_of("N" + std::string(11, '\x94'), ten), sentence);
  // A list of 6 that two calls copy.
  const std::string size = global("torch", "Size");
  EXPECT_EQ(problem_of("(NNtq\x01" + size + "h\x01\x85R", ten), "no problem");
  EXPECT_EQ(
      problem_of("(NN(NNNNNNtq\x01" + size + "h\x01\x85R" + size + "h\x01\x85R", {.values = 12}),
      "its pickle makes more than 12 values, which no state dict does");
}

}  // namespace
}  // namespace strata::weights

// Files of weights that cannot be read, and the one sentence that each must get.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "read/weights/test_files.h"
#include "strata/base/scratch_folder.h"
#include "strata/read/weights.h"

namespace strata::weights {
namespace {

using namespace test;

std::string sentence(const std::string& bytes) {
  const auto read = read_weights(bytes, "m");
  if (read) return "no complaint";
  EXPECT_EQ(read.error().kind, ErrorKind::Model);
  const std::string message = read.error().message;
  EXPECT_TRUE(message.starts_with("m: ")) << message;
  return message.substr(std::min<std::size_t>(message.size(), 3));
}

// ---- safetensors

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& type = "F32") {
  return "\"" + name + R"(":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" +
         offsets + "}";
}

TEST(BrokenSafetensors, FineIsFine) {
  EXPECT_EQ(sentence(safetensors("{" + entry("a", "[2]", "[0,8]") + "}  ", 8)), "no complaint");
  EXPECT_EQ(sentence(safetensors("{}", 0)), "no complaint");
}

TEST(BrokenSafetensors, LyingLengths) {
  std::string file = safetensors("{" + entry("a", "[2]", "[0,8]") + "}", 8);
  EXPECT_EQ(sentence(file.substr(0, 40)),
            "its header is said to have 54 bytes, but the file has 32 after it begins; it was not "
            "downloaded to the end");
  file[4] = 1;  // 2^32 more
  EXPECT_EQ(sentence(file),
            "its header is said to have 4294967350 bytes; the format allows 100000000");
  EXPECT_EQ(
      sentence(safetensors("{" + entry("a", "[2]", "[0,8]") + "}", 4)),
      "its tensor \"a\" is said to be at bytes 0 to 8 of 4 bytes of data; the file is broken, "
      "or was not downloaded to the end");
  EXPECT_EQ(sentence(safetensors("{" + entry("a", "[3]", "[0,8]") + "}", 8)),
            "its tensor \"a\" has 8 bytes, but 3 elements of f32 take 12");
  EXPECT_EQ(sentence(safetensors("{" + entry("a", "[4611686018427387904,8]", "[0,8]") + "}", 8)),
            "its tensor \"a\" would have 2^62 elements or more");
  EXPECT_EQ(
      sentence(safetensors("{" + entry("a", "[2]", "[8,0]") + "}", 8)),
      "its tensor \"a\" is said to be at bytes 8 to 0 of 8 bytes of data; the file is broken, "
      "or was not downloaded to the end");
}

TEST(BrokenSafetensors, OverlapsAndGaps) {
  EXPECT_EQ(sentence(safetensors(
                "{" + entry("a", "[2]", "[0,8]") + "," + entry("b", "[2]", "[4,12]") + "}", 12)),
            "its tensors \"a\" and \"b\" lie over each other");
  EXPECT_EQ(sentence(safetensors("{" + entry("a", "[2]", "[4,12]") + "}", 12)),
            "there are bytes before its tensor \"a\" that belong to no tensor");
  EXPECT_EQ(sentence(safetensors("{" + entry("a", "[2]", "[0,8]") + "}", 12)),
            "its tensors end at 8 of 12 bytes of data");
}

TEST(BrokenSafetensors, Headers) {
  EXPECT_EQ(sentence(safetensors(R"({"a": [}])", 0)),
            "its header has a list in \"a\" where the format has none");
  EXPECT_EQ(sentence(safetensors(R"({"a"; 1})", 0)), "its header is not JSON from byte 5 on");
  EXPECT_EQ(sentence(safetensors(R"({"a":{"b":{"c":1}}})", 0)),
            "it says \"b\" of its tensor \"a\", which the format does not have");
  EXPECT_EQ(sentence(safetensors(R"({"a":{}})", 0)),
            "it does not say the type, the shape and the place of \"a\"");
  EXPECT_EQ(sentence(safetensors("{" + entry("a", "[-1]", "[0,8]") + "}", 8)),
            "its header has a number below 0 in \"a\" where the format has none");
  EXPECT_EQ(sentence(safetensors("{" + entry("a", "[1]", "[0,8]", "Q7") + "}", 8)),
            "its tensor \"a\" has elements of the type \"Q7\", which strata does not know");
  EXPECT_EQ(sentence(safetensors(
                "{" + entry("a", "[0]", "[0,0]") + "," + entry("a", "[0]", "[0,0]") + "}", 0)),
            "it describes \"a\" twice");
  EXPECT_EQ(sentence(safetensors("{\"a\":" + std::string(100'000, '['), 0)),
            "its header has a list in \"a\" where the format has none");
}

class BrokenIndex : public testing::Test {
 protected:
  std::string sentence_of(const std::string& index) {
    const std::string path = scratch_ / "model.safetensors.index.json";
    std::ofstream(path, std::ios::binary) << index;
    const auto read = read_weights(path);
    if (read) return "no complaint";
    std::string message = read.error().message;
    const std::string folder = scratch_.path() + "/";
    for (std::size_t at; (at = message.find(folder)) != message.npos;)
      message.erase(at, folder.size());
    return message;
  }
  void write(const std::string& name, const std::string& bytes) {
    std::ofstream(scratch_ / name, std::ios::binary) << bytes;
  }
  ScratchFolder scratch_ = ScratchFolder::create().value();
};

TEST_F(BrokenIndex, EverySentence) {
  write("a.safetensors", safetensors("{" + entry("a", "[2]", "[0,8]") + "}", 8));
  write("text.txt", "text");
  const std::string name = "model.safetensors.index.json: ";
  EXPECT_EQ(sentence_of(R"({"weight_map": {"a": "a.safetensors"}})"), "no complaint");
  EXPECT_EQ(sentence_of(R"({"weight_map": {"a": "../a.safetensors"}})"),
            name + "the index places the tensor \"a\" in no file of its own folder");
  EXPECT_EQ(sentence_of(R"({"weight_map": {"a": 3}})"),
            name + "the index places the tensor \"a\" in no file of its own folder");
  EXPECT_EQ(sentence_of(R"({"weight_map": {"a": "b.safetensors"}})"),
            "b.safetensors: there is no such file; check the path");
  EXPECT_EQ(sentence_of(R"({"weight_map": {"a": "text.txt"}})"),
            "text.txt is named by an index of safetensors files, but is none");
  EXPECT_EQ(sentence_of(R"({"weight_map": {"b": "a.safetensors"}})"),
            "a.safetensors: it has a tensor \"a\" that the index does not place there");
  EXPECT_EQ(sentence_of(R"({"weight_map": {"a": "a.safetensors", "b": "a.safetensors"}})"),
            "a.safetensors: the index places 2 tensors there, but it has 1");
  EXPECT_EQ(
      sentence_of(R"({"weight_map": {"a": "a.saf)"),
      name + "the index is not JSON from byte 28 on; perhaps it was not downloaded to the end");
  EXPECT_EQ(sentence_of(R"({"weight_map": {}})"),
            name + "the index has no \"weight_map\" with tensors");
  EXPECT_EQ(sentence_of("{\"weight_map\": {}, \"a\":" + std::string(100'000, '[')),
            name + "the index is nested deeper than 16 levels");
}

// ---- State dicts

TEST(BrokenStateDict, FineIsFine) {
  EXPECT_EQ(sentence(state_dict(dict({{"w", tensor({})}}))), "no complaint");
}

TEST(BrokenStateDict, Archives) {
  const std::string fine = state_dict(dict({{"w", tensor({})}}));
  EXPECT_EQ(sentence(fine.substr(0, fine.size() / 2)),
            "the directory at the end of the zip archive is missing; the file was not written or "
            "downloaded to its end");
  EXPECT_EQ(sentence(zip({{"archive/data.pkl", pickle("}") + "rest"}})),
            "there are bytes after the end of its pickle");
  EXPECT_EQ(sentence(zip({{"archive/data.pkl", pickle(dict({{"w", tensor({})}}))}})),
            "its tensor \"w\": the archive does not have its storage \"0\"");
  EXPECT_EQ(sentence(zip({{"a/data.pkl", pickle("}")}, {"a/data.pkl", pickle("}")}})),
            "the archive has two entries \"a/data.pkl\"");
  EXPECT_EQ(
      sentence(zip({{"a/data.pkl", pickle(dict({{"w", tensor({})}}))}, {"a/data/0", "x"}}, 1000)),
      "its tensor \"w\": its storage \"0\" is said to lie outside of the file");
  EXPECT_EQ(sentence(zip({{"a/data.pkl", pickle("}")}}, 2'000'000'000)),
            "its pickle is said to have 2000000000 bytes; strata reads 268435456");
}

TEST(BrokenStateDict, LyingSizes) {
  EXPECT_EQ(sentence(state_dict(dict({{"w", tensor({})}}), 20)),
            "its tensor \"w\": its storage \"0\" is said to have 6 elements, but has 20 bytes");
  EXPECT_EQ(sentence(state_dict(dict({{"w", tensor({.dims = {2, 4}, .strides = {4, 1}})}}))),
            "its tensor \"w\" reaches beyond the 24 bytes of its storage");
  EXPECT_EQ(sentence(state_dict(dict({{"w", tensor({.offset = 1})}}))),
            "its tensor \"w\" reaches beyond the 24 bytes of its storage");
  EXPECT_EQ(sentence(state_dict(dict(
                {{"w", tensor({.dims = {1 << 30, 1 << 30, 1 << 30}, .strides = {0, 0, 0}})}}))),
            "its tensor \"w\" would have 2^62 elements or more");
  EXPECT_EQ(sentence(state_dict(dict({{"w", tensor({})}, {"w", tensor({})}}))),
            "it has two tensors \"w\"");
}

TEST(BrokenStateDict, PicklesThatCallSomething) {
  const std::string call = global("os", "system") + "(" + text("touch /tmp/strata_was_here") + "tR";
  EXPECT_EQ(
      sentence(state_dict(dict({{"w", call}}))),
      "it is not a plain state dict: its pickle uses \"os.system\", which strata does not load; "
      "save model.state_dict() alone, or as safetensors");
  EXPECT_FALSE(std::filesystem::exists("/tmp/strata_was_here"));
}

TEST(BrokenStateDict, ValuesWithoutEnd) {
  EXPECT_EQ(sentence(state_dict("}q\x01(" + text("a") + "h\x01u")),
            "its values are nested deeper than 32 levels");
  // Lists of the same list twice, 30 levels deep: 2^30 ways to the innermost.
  std::string bomb = "]q\x01";
  for (int i = 0; i < 30; ++i) bomb += "0(h\x01h\x01lq\x01";
  EXPECT_EQ(sentence(state_dict(dict({{"a", bomb}}))),
            "its values refer to each other without end");
  EXPECT_EQ(sentence(state_dict(dict({{std::string(1001, 'n'), "N"}}))),
            "a name of its tensors has more than 1000 bytes");
  EXPECT_EQ(sentence(state_dict("}")), "it holds no tensors");
  EXPECT_EQ(sentence(state_dict(tensor({}))), "it holds one tensor and no state dict");
  EXPECT_EQ(sentence(state_dict("N")), "it holds no dict of tensors");
}

TEST(BrokenStateDict, FilesOfTheOldForm) {
  using namespace std::string_literals;
  const std::string magic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."s;
  const std::string version = pickle("M\xe9\x03"), facts = pickle("}");
  const std::string start = magic + version + facts + pickle(dict({{"w", tensor({})}}));
  const std::string names = pickle("](" + text("0") + "e");
  const std::string data = little_endian(std::uint64_t{6}) + std::string(24, '\0');
  EXPECT_EQ(sentence(start + names + data), "no complaint");
  EXPECT_EQ(sentence(start + names + data.substr(1)),
            "it ends within its storage \"0\"; it was not downloaded to the end");
  EXPECT_EQ(sentence(start + names + data + "x"), "it has 1 bytes that belong to no storage");
  EXPECT_EQ(sentence(start + pickle("]")),
            "its tensor \"w\": the file does not have its storage "
            "\"0\"");
  EXPECT_EQ(sentence(start + pickle("](" + text("1") + "e") + data),
            "it names a storage \"1\" that no tensor has");
  EXPECT_EQ(sentence(magic + version + facts), "its pickle is cut off after 0 bytes");
  EXPECT_EQ(sentence(magic + pickle("K\x01") + facts + facts + names),
            "it is a PyTorch file of an unknown version");
}

// ---- GGUF

TEST(BrokenGguf, FineIsFine) {
  EXPECT_EQ(sentence(gguf({}, {gguf_tensor("a", {4}, 0, 0)}, 16)), "no complaint");
}

TEST(BrokenGguf, Headers) {
  EXPECT_EQ(sentence(gguf({}, {}, 0, 1)), "it has version 1 of GGUF; strata reads 2 and 3");
  EXPECT_EQ(sentence(gguf({}, {}, 0, 3u << 24)),
            "it is a big-endian GGUF file; strata reads little-endian ones");
  EXPECT_EQ(
      sentence("GGUF" + little_endian(3u) + std::string(16, '\x7f')),
      "it is said to have 9187201950435737471 tensors and 9187201950435737471 properties, for "
      "which it is too small");
  const std::string fine = gguf({}, {gguf_tensor("abcdefghij", {4}, 0, 0)}, 64);
  EXPECT_EQ(sentence(fine.substr(0, 40)),
            "it ends at byte 40 within its header; it was not downloaded to the end");
  EXPECT_EQ(sentence(gguf({gguf_text("k") + little_endian(77u)}, {}, 64)),
            "a property has the type 77, which GGUF does not have");
  EXPECT_EQ(sentence(gguf({gguf_number("general.alignment", 3)}, {}, 64)),
            "its alignment of 3 bytes is not a power of 2 up to 2^20");
  std::string nested = gguf_text("k") + little_endian(9u);
  for (int i = 0; i < 50; ++i) nested += little_endian(9u) + little_endian(std::uint64_t{1});
  EXPECT_EQ(sentence(gguf({nested}, {}, 64)), "its properties are nested deeper than 4 levels");
  EXPECT_EQ(sentence(gguf({gguf_text("k") + little_endian(9u) + little_endian(4u) +
                           little_endian(std::uint64_t{1} << 61)},
                          {}, 0)),
            "it ends at byte 64 within its header; it was not downloaded to the end");
}

TEST(BrokenGguf, Tensors) {
  EXPECT_EQ(sentence(gguf({}, {gguf_tensor("a", {4}, 0, 0)}, 8)),
            "its tensor \"a\" has 16 bytes from byte 0 of the data on, but there are 8 bytes of "
            "data; the file is broken, or was not downloaded to the end");
  EXPECT_EQ(sentence(gguf({}, {gguf_tensor("a", {4}, 0, 7)}, 64)),
            "its tensor \"a\" begins at byte 7 of the data, which is not a multiple of 32");
  EXPECT_EQ(sentence(gguf({}, {gguf_tensor("a", {16}, 0, 0), gguf_tensor("b", {4}, 0, 32)}, 64)),
            "its tensors \"a\" and \"b\" lie over each other");
  EXPECT_EQ(sentence(gguf({}, {gguf_tensor("a", {4}, 5, 0)}, 64)),
            "its tensor \"a\" has elements of the type 5 of ggml, which strata does not know");
  EXPECT_EQ(sentence(gguf({}, {gguf_tensor("a", {100}, 12, 0)}, 64)),
            "its tensor \"a\" has rows of 100 elements, which blocks of 256 (Q4_K) do not fill");
  EXPECT_EQ(sentence(gguf({}, {gguf_tensor("a", {1, 1, 1, 1, 1}, 0, 0)}, 64)),
            "its tensor \"a\" has 5 axes; ggml has 4 at most");
  EXPECT_EQ(sentence(gguf({}, {gguf_tensor("a", {1ull << 40, 1ull << 40}, 0, 0)}, 64)),
            "its tensor \"a\" would have 2^62 elements or more");
  EXPECT_EQ(sentence(gguf({}, {gguf_tensor("a", {4}, 0, 0), gguf_tensor("a", {4}, 0, 32)}, 64)),
            "it describes \"a\" twice");
}

TEST(BrokenWeights, NoWeightsAtAll) {
  const auto read = read_weights("text", "m");
  ASSERT_FALSE(read);
  EXPECT_EQ(
      read.error().message,
      "m is not a file of weights that strata reads (safetensors, a state dict of PyTorch, GGUF)");
}

}  // namespace
}  // namespace strata::weights

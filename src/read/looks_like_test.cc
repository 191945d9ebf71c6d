#include "read/looks_like.h"

#include <string>

#include <gtest/gtest.h>

#include "base/in_quotes.h"

namespace strata {
namespace {

using namespace std::string_view_literals;

TEST(LooksLike, KnownFiles) {
  EXPECT_EQ(looks_like("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv).what, "a PNG image");
  EXPECT_EQ(looks_like("PK\x03\x04\0\0\x08\x08\0\0resnet/data.pkl"sv).what,
            "a PyTorch file (.pt, .pth)");
  EXPECT_EQ(looks_like("PK\x03\x04\x14\0\0\0photos/1.jpg"sv).what, "a zip archive");
  EXPECT_EQ(looks_like("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"sv).what,
            "a Git LFS pointer, not the file itself");
  EXPECT_EQ(looks_like("\x1c\0\0\0TFL3"sv).what, "a TensorFlow Lite model");
  EXPECT_EQ(looks_like("\x80\x02}q\0"sv).what, "a Python pickle, perhaps PyTorch weights");
  EXPECT_EQ(looks_like("\x40\0\0\0\0\0\0\0{\"w\":{\"dtype\""sv).what,
            "a safetensors file, which holds weights and no network");
  EXPECT_EQ(looks_like("GGUF\x03\0\0\0"sv).what, "a GGUF model");
}

TEST(LooksLike, Texts) {
  EXPECT_EQ(looks_like("\n <!DOCTYPE HTML><html>").what, "a web page");
  EXPECT_EQ(looks_like("<?xml version=\"1.0\"?><net/>").what,
            "an XML file, perhaps an OpenVINO model");
  EXPECT_EQ(looks_like("  {\"layers\": []}").what, "a JSON file");
  EXPECT_EQ(looks_like("hello").what, "a text file");
}

TEST(LooksLike, AnythingElse) { EXPECT_EQ(looks_like("\x01\x02\x03\0"sv).what, ""); }

TEST(InQuotes, KeepsASentenceReadable) {
  EXPECT_EQ(in_quotes("plain"), "\"plain\"");
  EXPECT_EQ(in_quotes("a\nb\x1b[31m\"\\"), "\"a\\x0ab\\x1b[31m\\x22\\x5c\"");
  EXPECT_EQ(in_quotes(std::string(1000, 'n')), "\"" + std::string(100, 'n') + "…\"");
  // The text must not be cut in the middle of a character.
  std::string umlauts = "a";
  for (int i = 0; i < 100; ++i) umlauts += "ü";
  EXPECT_EQ(in_quotes(umlauts).size(), 1 + 99 + std::string("…").size() + 1);
}

}  // namespace
}  // namespace strata

#include "read/onnx/wire.h"

#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

namespace strata::onnx {
namespace {

Source source_of(const std::string& bytes) {
  return Source{.bytes = bytes, .label = "m.onnx", .function = {}};
}

// Returns the exception from reading all fields of these bytes; empty if there is none.
template <class Read>
std::string complaint(const std::string& bytes, Read&& read) {
  Source source = source_of(bytes);
  try {
    for (Fields f(source, bytes); f.next();) read(f);
  } catch (const Broken& broken) {
    return broken.message;
  }
  return {};
}

TEST(Fields, GivesNumbersAndValues) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_int64(1, -5);
  w.add_string(2, "text");
  w.add_float(3, 1.5f);
  w.add_double(4, 2.5);
  w.add_int64(200, 300);
  Source source = source_of(bytes);
  Fields f(source, bytes);
  ASSERT_TRUE(f.next());
  EXPECT_EQ(f.number(), 1u);
  EXPECT_EQ(f.integer(), -5);
  ASSERT_TRUE(f.next());
  EXPECT_EQ(f.bytes(), "text");
  ASSERT_TRUE(f.next());
  EXPECT_EQ(f.real(), 1.5f);
  ASSERT_TRUE(f.next());
  f.skip();
  ASSERT_TRUE(f.next());
  EXPECT_EQ(f.number(), 200u);
  EXPECT_EQ(f.integer(), 300);
  EXPECT_FALSE(f.next());
  EXPECT_EQ(source.steps, 5u);
}

TEST(Fields, TakesPackedAndSingleElementsAlike) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  const std::int64_t packed[] = {1, 300, -1};
  w.add_packed_int64(1, std::begin(packed), std::end(packed));
  w.add_int64(1, 7);
  const float floats[] = {0.5f, 1.0f};
  w.add_packed_float(2, std::begin(floats), std::end(floats));
  w.add_float(2, 2.0f);
  std::vector<std::int64_t> integers;
  std::vector<float> reals;
  EXPECT_EQ(complaint(bytes,
                      [&](Fields& f) {
                        if (f.number() == 1)
                          f.each_integer([&](std::int64_t i) { integers.push_back(i); });
                        else
                          f.each_fixed<float>([&](float r) { reals.push_back(r); });
                      }),
            "");
  EXPECT_EQ(integers, (std::vector<std::int64_t>{1, 300, -1, 7}));
  EXPECT_EQ(reals, (std::vector<float>{0.5f, 1.0f, 2.0f}));
}

TEST(Fields, LengthsHave64Bits) {
  // The length is 2^32 + 2: in 32 bits it would be 2, and pass.
  const std::string bytes(
      "\x0a\x82\x80\x80\x80\x10"
      "ab",
      8);
  EXPECT_EQ(complaint(bytes, [](Fields& f) { f.bytes(); }),
            "m.onnx ends early: at byte 6 it announces 4294967298 more bytes, but only 2 are left; "
            "it was cut off, perhaps while it was copied: get the file again");
}

TEST(Fields, SaysWhereTheFileIsCutOff) {
  EXPECT_EQ(complaint("\x0a", [](Fields& f) { f.bytes(); }),
            "m.onnx ends early: at byte 1 it announces 1 more byte, but none is left; it was cut "
            "off, perhaps while it was copied: get the file again");
  EXPECT_EQ(complaint("\x0d\x01", [](Fields& f) { f.real(); }),
            "m.onnx ends early: at byte 1 it announces 4 more bytes, but one is left; it was cut "
            "off, perhaps while it was copied: get the file again");
}

TEST(Fields, SaysWhichFieldIsWrong) {
  std::string inner;
  protozero::pbf_writer(inner).add_string(3, "abc");
  inner[1] = 9;  // the length of "abc"
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_message(1, inner);
  w.add_string(2, "more");
  Source source = source_of(bytes);
  const auto nested = [&](Fields& f) {
    if (f.number() != 1) return f.skip();
    for (Fields g(source, f.bytes()); g.next();) g.bytes();
  };
  try {
    for (Fields f(source, bytes); f.next();) nested(f);
    FAIL();
  } catch (const Broken& broken) {
    EXPECT_EQ(broken.message,
              "m.onnx is damaged at byte 2: field 3 announces 9 bytes where 3 are "
              "left; get the file again");
  }
}

TEST(Fields, RefusesWrongWireTypes) {
  EXPECT_EQ(complaint("\x08\x01", [](Fields& f) { f.bytes(); }),
            "m.onnx is damaged at byte 0: field 1 holds an integer where text, a list or a message "
            "belongs; get the file again");
  EXPECT_EQ(complaint(std::string("\x0a\0", 2), [](Fields& f) { f.integer(); }),
            "m.onnx is damaged at byte 0: field 1 holds text, a list or a message where an integer "
            "belongs; get the file again");
}

TEST(Fields, RefusesWhatIsNoField) {
  const auto skip = [](Fields& f) { f.skip(); };
  EXPECT_EQ(complaint(std::string("\0\0", 2), skip),
            "m.onnx is damaged at byte 0: a field there has the number 0, which none has; get the "
            "file again");
  EXPECT_EQ(complaint("\x0b", skip),  // a group, which ONNX never had
            "m.onnx is damaged at byte 0: what stands there is no protobuf field; get the file "
            "again");
  EXPECT_EQ(complaint("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01 ", skip),
            "m.onnx is damaged at byte 1: a number there has more than ten bytes; get the file "
            "again");
}

}  // namespace
}  // namespace strata::onnx

#include "base/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace strata {
namespace {

enum class Colour : std::uint8_t { Red, Green };

struct Inner {
  double a = 0;
  std::optional<std::string> b = {};
  bool operator==(const Inner&) const = default;
};

struct Outer {
  std::string text;
  Colour colour = Colour::Red;
  std::vector<Inner> inner = {};
  std::vector<std::int64_t> numbers = {};
  std::vector<bool> flags = {};
  std::vector<std::byte> bytes = {};
  std::map<std::string, Inner> named = {};
  std::pair<int, std::string> pair = {};
  std::optional<Inner> maybe = {}, not_there = {};
  std::shared_ptr<const Inner> shared = {};
  InlineVector<std::int64_t, 2> dims = {};
  bool last = false;
};

// No plain struct, so that it has functions of its own.
class Even {
 public:
  explicit Even(int half = 0) : half_(half) {}
  int value() const { return 2 * half_; }

 private:
  int half_;
};
void put_in(MessageWriter& out, const Even& even) { out.put(even.value()); }
void take_from(MessageReader& in, Even& even) {
  const int value = in.taken<int>();
  if (value % 2 != 0) in.refuse();
  even = Even(value / 2);
}

// The second member has to be given.
struct Exacting {
  struct Given {
    explicit Given(int number = 0) : value(number) {}
    int value;
  };
  std::string first;
  Given second;
  bool third = false;
};

TEST(Members, AreCountedAndVisitedInOrder) {
  static_assert(member_count<Inner>() == 2);
  static_assert(member_count<Exacting>() == 3);
  static_assert(member_count<Outer>() == 13);
  std::vector<std::size_t> sizes;
  const Outer outer;
  each_member(outer, [&](const auto& member) { sizes.push_back(sizeof member); });
  ASSERT_EQ(sizes.size(), 13u);
  EXPECT_EQ(sizes[0], sizeof(std::string));
  EXPECT_EQ(sizes[1], sizeof(Colour));
  EXPECT_EQ(sizes[12], sizeof(bool));
}

TEST(Message, WhatIsPutIsTaken) {
  Outer given;
  given.text = std::string("a\0b", 3);
  given.colour = Colour::Green;
  given.inner = {{0.25, "x"}, {1e-300, std::nullopt}};
  given.numbers = {-7, std::int64_t{1} << 62};
  given.flags = {true, false, true};
  given.bytes = {std::byte{5}, std::byte{255}};
  given.named = {{"one", {1, ""}}, {"two", {2, "zwei"}}};
  given.pair = {3, "three"};
  given.maybe = Inner{4, "four"};
  given.shared = std::make_shared<const Inner>(Inner{5, "five"});
  given.dims = {1, 2, 3};
  given.last = true;
  MessageWriter out;
  out.put(given);
  out.put(Even(21));
  out.put(std::vector<double>{});

  MessageReader in(out.bytes());
  const auto taken = in.taken<Outer>();
  EXPECT_EQ(in.taken<Even>().value(), 42);
  EXPECT_EQ(in.taken<std::vector<double>>(), std::vector<double>());
  ASSERT_TRUE(in.good());
  EXPECT_EQ(in.rest(), "");
  EXPECT_EQ(taken.text, given.text);
  EXPECT_EQ(taken.colour, given.colour);
  EXPECT_EQ(taken.inner, given.inner);
  EXPECT_EQ(taken.numbers, given.numbers);
  EXPECT_EQ(taken.flags, given.flags);
  EXPECT_EQ(taken.bytes, given.bytes);
  EXPECT_EQ(taken.named, given.named);
  EXPECT_EQ(taken.pair, given.pair);
  EXPECT_EQ(taken.maybe, given.maybe);
  EXPECT_EQ(taken.not_there, std::nullopt);
  ASSERT_NE(taken.shared, nullptr);
  EXPECT_EQ(*taken.shared, *given.shared);
  EXPECT_EQ(taken.dims, given.dims);
  EXPECT_TRUE(taken.last);
}

TEST(Message, WhatMakesNoSenseIsRefused) {
  MessageWriter out;
  out.put(3);
  MessageReader in(out.bytes());
  in.taken<Even>();
  EXPECT_FALSE(in.good());
}

TEST(Message, WhatIsCutOffIsFoundOut) {
  MessageWriter out;
  out.put(std::vector<double>(100, 1.5));
  for (std::size_t length = 0; length < out.bytes().size(); ++length) {
    MessageReader in(std::string_view(out.bytes()).substr(0, length));
    std::vector<double> list;
    in.take(list);
    EXPECT_FALSE(in.good()) << length;
  }
  // A length with no data behind it allocates no memory.
  MessageWriter lie;
  lie.put(std::uint64_t{1} << 60);
  MessageReader in(lie.bytes());
  std::string text;
  in.take(text);
  EXPECT_FALSE(in.good());
  MessageReader numbers(lie.bytes());
  EXPECT_THAT(numbers.taken<std::vector<double>>(), testing::IsEmpty());
  EXPECT_FALSE(numbers.good());
}

TEST(Message, FramesThatAreNoneAreRefused) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_TRUE(write_frame(ends[0], "hello"));
  std::string bytes;
  ASSERT_TRUE(read_frame(ends[1], bytes));
  EXPECT_EQ(bytes, "hello");
  ASSERT_EQ(::write(ends[0], "GET / HTTP/1.1\r\n\r\n", 18), 18);
  EXPECT_FALSE(read_frame(ends[1], bytes));
  ::close(ends[1]);
  EXPECT_FALSE(write_frame(ends[0], "nobody is there"));
  ::close(ends[0]);
}

}  // namespace
}  // namespace strata

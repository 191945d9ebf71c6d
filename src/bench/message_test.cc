#include "bench/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace strata {
namespace {

TEST(Message, WhatIsPutIsTaken) {
  Variant variant;
  variant.file = "a.onnx";
  variant.mix = {"b.npz", ""};
  variant.session.threads = 3;
  variant.session.optimization = STRATA_OPT_BASIC;
  variant.session.options = {"spin=0"};
  BlockReport block;
  block.seconds = {0.25, 1e-300};
  block.contention.involuntary = -7;
  HostTensor tensor{"y", DType::BF16, {2, 3}, std::vector<std::byte>(12, std::byte{5})};
  MessageWriter out;
  out.put(variant);
  out.put(block);
  out.put(std::vector<HostTensor>{tensor, HostTensor{}});

  MessageReader in(out.bytes());
  Variant variant_again;
  BlockReport block_again;
  std::vector<HostTensor> tensors;
  in.take(variant_again);
  in.take(block_again);
  in.take(tensors);
  ASSERT_TRUE(in.good());
  EXPECT_EQ(variant_again.file, "a.onnx");
  EXPECT_EQ(variant_again.mix, variant.mix);
  EXPECT_EQ(variant_again.session.threads, 3);
  EXPECT_EQ(variant_again.session.optimization, STRATA_OPT_BASIC);
  EXPECT_EQ(variant_again.session.options, variant.session.options);
  EXPECT_EQ(block_again.seconds, block.seconds);
  EXPECT_EQ(block_again.contention.involuntary, -7);
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].dims, tensor.dims);
  EXPECT_EQ(tensors[0].data, tensor.data);
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

#include "task/job_wishes.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

using testing::HasSubstr;

// A caller whose job may write one file and have outputs judged.
class JobWishesTest : public testing::Test {
 protected:
  JobWishesTest() {
    rights_.outputs = {{folder_ / "out.txt", {FileForm::Text}}};
    rights_.judge = [](const std::string&, const std::string&) { return 2.5; };
    std::filesystem::create_directory(scratch());
  }
  std::string scratch() const { return folder_ / "scratch"; }
  std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  template <class... Parts>
  Outside::Answer ask(OutsideWish wish, const Parts&... parts) {
    MessageWriter out;
    (out.put(parts), ...);
    MessageReader about(out.bytes());
    return wishes_.grant(wish, about);
  }
  static std::string refusal(const Outside::Answer& answer) {
    MessageReader in(answer.bytes);
    return in.taken<bool>() ? "" : in.taken<Error>().message;
  }

  ScratchFolder folder_ = ScratchFolder::create().value();
  JobRights rights_;
  Observer observer_;
  JobWishes wishes_{rights_, observer_, scratch()};
};

TEST_F(JobWishesTest, AnOutputAppearsWhenItIsCommitted) {
  const Outside::Answer made = ask(OutsideWish::CreateFile, folder_ / "out.txt");
  ASSERT_EQ(refusal(made), "");
  ASSERT_EQ(::write(made.descriptor, "text", 4), 4);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.txt"));
  EXPECT_EQ(refusal(ask(OutsideWish::CommitFile, std::uint64_t{1})), "");
  EXPECT_EQ(read("out.txt"), "text");
  EXPECT_THAT(refusal(ask(OutsideWish::CommitFile, std::uint64_t{1})),
              HasSubstr("a file that it did not create"));
}

TEST_F(JobWishesTest, OneThatIsDroppedLeavesNothing) {
  ASSERT_EQ(refusal(ask(OutsideWish::CreateFile, folder_ / "out.txt")), "");
  EXPECT_EQ(refusal(ask(OutsideWish::DropFile, std::uint64_t{1})), "");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()),
                          std::filesystem::directory_iterator()),
            2);  // the scratch folder and the marker
}

TEST_F(JobWishesTest, OtherFilesAreRefused) {
  for (const std::string& path : {folder_ / "other.txt", folder_ / "scratch/../out.txt",
                                  folder_ / "out.txt.partial", std::string("/etc/passwd")})
    EXPECT_THAT(refusal(ask(OutsideWish::CreateFile, path)), HasSubstr("not part of its job"))
        << path;
}

// The kind of an output is the caller's to say, so a job cannot have anything else replaced.
TEST_F(JobWishesTest, AFileOfAnotherKindIsNotReplaced) {
  std::ofstream(folder_ / "out.txt") << "{\"kind\": \"profile\"}";
  EXPECT_THAT(refusal(ask(OutsideWish::CreateFile, folder_ / "out.txt")), HasSubstr("profile"));
}

TEST_F(JobWishesTest, OnlyFilesOfTheJobAreJudged) {
  const std::string one = scratch() + "/one.npz", mine = folder_ / "mine.npz";
  std::ofstream(one) << "1";
  std::ofstream(mine) << "2";
  const Outside::Answer score = ask(OutsideWish::Judge, one, one);
  MessageReader in(score.bytes);
  ASSERT_TRUE(in.taken<bool>());
  EXPECT_EQ(in.taken<double>(), 2.5);
  EXPECT_THAT(refusal(ask(OutsideWish::Judge, one, mine)), HasSubstr("not part of its job"));
  std::filesystem::create_symlink(mine, scratch() + "/link.npz");
  EXPECT_THAT(refusal(ask(OutsideWish::Judge, one, scratch() + "/link.npz")),
              HasSubstr("not part of its job"));
  rights_.judge = {};
  EXPECT_THAT(refusal(ask(OutsideWish::Judge, one, one)), HasSubstr("not part of its job"));
}

TEST_F(JobWishesTest, WhatCannotBeReadIsRefused) {
  for (int wish = 0; wish < 8; ++wish)
    EXPECT_NE(refusal(ask(static_cast<OutsideWish>(wish))),
              wish == static_cast<int>(OutsideWish::DropFile) ? "?" : "")
        << wish;
}

}  // namespace
}  // namespace strata

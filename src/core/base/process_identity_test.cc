#include "base/process_identity.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(ProcessIdentity, IsReadAsItIsWritten) {
  const auto own = this_process();
  ASSERT_TRUE(own);
  EXPECT_EQ(own->process, ::getpid());
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  EXPECT_TRUE(boot.starts_with(own->boot));
  const auto read = ProcessIdentity::from_text(own->text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), own->text());
}

TEST(ProcessIdentity, OtherTextIsNone) {
  for (const char* text : {"", "backup", "123-0", "1a2b3c4d-0-5", "1a2b3c4d-12", "1a2b3c4d-12-",
                           "1a2b3c4d-12-x", "1A2B3C4D-12-5", "1a2b3c4-12-5", "1a2b3c4d--12-5"})
    EXPECT_FALSE(ProcessIdentity::from_text(text)) << text;
}

TEST(ProcessIdentity, KnowsWhetherAProcessHasEnded) {
  const auto own = this_process();
  ASSERT_TRUE(own);
  EXPECT_FALSE(own->has_ended());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = this_process()->text();
    ::_exit(::write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  char buffer[100];
  const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
  ASSERT_GT(got, 0);
  ::waitpid(child, nullptr, 0);
  const auto dead = ProcessIdentity::from_text({buffer, static_cast<std::size_t>(got)});
  ASSERT_TRUE(dead);
  EXPECT_EQ(dead->process, child);
  EXPECT_TRUE(dead->has_ended());

  ProcessIdentity reused = *own;  // the number lives on in another process
  reused.start -= 1;
  EXPECT_TRUE(reused.has_ended());
  ProcessIdentity elsewhere = *dead;  // of another machine, or from before a restart
  elsewhere.boot = elsewhere.boot == "00000000" ? "00000001" : "00000000";
  EXPECT_FALSE(elsewhere.has_ended());
}

}  // namespace
}  // namespace strata

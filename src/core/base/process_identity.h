// The process that made a temporary file or folder, so that only what a dead strata left is
// deleted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// A process number is used again, also after a restart of the machine; the three together are not.
struct ProcessIdentity {
  std::string boot;  // eight hexadecimal digits of the kernel's boot identity
  pid_t process = 0;
  std::uint64_t start =
      0;  // Linux: clock ticks from the start of the machine to that of the process

  // `1a2b3c4d-4711-123456`
  std::string text() const;
  static std::optional<ProcessIdentity> from_text(std::string_view text);

  // True only if the process ran since this machine was started, and has ended. A process of
  // another machine, or of an earlier start of this one, is not known to have ended.
  bool has_ended() const;
};

// Empty if the system does not tell it: then nothing is known of other processes either.
std::optional<ProcessIdentity> this_process();

}  // namespace strata

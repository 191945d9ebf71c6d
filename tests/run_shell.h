// Lines of a shell, run to their end: for tests of whole programs, and for bench/.
#pragma once

#include <sys/wait.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

struct Ran {
  int code = -1;     // -1: it was ended by a signal, or could not be started
  std::string text;  // stdout and stderr
};

inline Ran run_shell(const std::string& line) {
  Ran ran;
  std::FILE* pipe = ::popen(("exec 2>&1; " + line).c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot start a shell"};
  char piece[4096];
  while (const std::size_t got = std::fread(piece, 1, sizeof piece, pipe))
    ran.text.append(piece, got);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

// Instructions that valgrind counts for a command; nullopt if it cannot be run, fails or prints no
// count.
inline std::optional<std::int64_t> instructions_of(const std::string& command) {
  const Ran ran = run_shell("valgrind --tool=callgrind --callgrind-out-file=/dev/null " + command +
                            " 2>&1 >/dev/null");
  constexpr std::string_view kCount = "Collected : ";
  const std::size_t at = ran.text.find(kCount);
  if (ran.code != 0 || at == ran.text.npos) return std::nullopt;
  return std::stoll(ran.text.substr(at + kCount.size()));
}

}  // namespace strata

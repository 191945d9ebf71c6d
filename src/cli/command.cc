#include "cli/command.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace strata::cli {

int exit_code(const Error& error) {
  switch (error.kind) {
    case ErrorKind::Model:
      return kFailed;
    case ErrorKind::Usage:
      return kUsage;
    case ErrorKind::Budget:
      return kBudget;
    case ErrorKind::Bug:
      return kBug;
  }
  return kBug;
}

Status write_output(const std::string& path, const std::string& text) {
  const bool to_stdout = path.empty() || path == "-";
  std::FILE* file = to_stdout ? stdout : std::fopen(path.c_str(), "wb");
  if (file == nullptr)
    return failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = errno;
  const bool flushed = std::fflush(file) == 0;
  if (written && !flushed) error = errno;
  const bool closed = to_stdout || std::fclose(file) == 0;
  if (written && flushed && closed) return {};
  if (to_stdout && error == EPIPE) return {};
  return failure(
      fmt::format("cannot write {}: {}", to_stdout ? "the output" : path, std::strerror(error)));
}

std::string version_text() { return "strata " STRATA_VERSION; }

std::vector<std::pair<std::string, std::string>> given_options(const CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> given;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_name() == "--help") continue;
    given.emplace_back(option->get_name(), CLI::detail::join(option->results(), ","));
  }
  return given;
}

std::size_t terminal_width() {
  if (const char* columns = std::getenv("COLUMNS"))
    if (const long width = std::strtol(columns, nullptr, 10); width > 0)
      return static_cast<std::size_t>(width);
  winsize size{};
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 0;
}

bool wants_color() { return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace strata::cli

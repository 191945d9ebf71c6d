#include "cli/command.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/output_file.h"

namespace strata::cli {

int exit_code(const Error& error) {
  if (error.code == Code::EngineStuck) return kInterrupted;
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

namespace {

// A device or a pipe, which cannot be replaced by a file that is complete.
bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

Status write_stream(std::FILE* file, const std::string& name, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = errno;
  const bool flushed = std::fflush(file) == 0;
  if (written && !flushed) error = errno;
  if ((written && flushed) || error == EPIPE) return {};
  return failure(fmt::format("cannot write {}: {}", name, std::strerror(error)));
}

}  // namespace

Status write_output(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") return write_stream(stdout, "the output", text);
  if (is_special(path)) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr)
      return failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    const Status status = write_stream(file, path, text);
    std::fclose(file);
    return status;
  }
  auto file = OutputFile::create(path);
  if (!file) return failure(file);
  if (Status status = file->write(text); !status) return status;
  return file->commit();
}

Status check_output(const std::string& path) {
  if (path.empty() || path == "-" || is_special(path)) return {};
  if (const auto file = OutputFile::create(path); !file) return failure(file);
  return {};
}

std::string version_text() { return "strata " STRATA_VERSION; }

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

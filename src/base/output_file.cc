#include "base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

namespace strata {

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return failure(S_ISDIR(status.st_mode)
                       ? fmt::format("{} is a directory; name a file inside it", path)
                       : fmt::format("{} is a device or a pipe; name a regular file", path));
  static std::atomic<unsigned> number = 0;
  constexpr int kAttempts = 100;
  std::string temporary;
  int descriptor = -1;
  for (int i = 0; i < kAttempts && descriptor < 0; ++i) {
    temporary = fmt::format("{}.{}-{}.part", path, ::getpid(), number++);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) return failure(fmt::format("{}: cannot be written: {}", path, reason(errno)));
  return OutputFile(path, std::move(temporary), descriptor);
}

OutputFile::OutputFile(std::string path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return problem("cannot be written", errno);
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status OutputFile::pad_to(std::uint64_t size) {
  static constexpr char kZeros[4096] = {};
  while (size_ < size) {
    const std::uint64_t part = std::min<std::uint64_t>(size - size_, sizeof kZeros);
    if (Status status = write({kZeros, static_cast<std::size_t>(part)}); !status) return status;
  }
  return {};
}

// Some file systems report only now that there was no space.
Status OutputFile::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) return problem("cannot be written", errno);
  return {};
}

Status OutputFile::commit() {
  if (descriptor_ >= 0)
    if (Status status = close(); !status) return status;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    return problem("cannot be replaced", errno);
  temporary_.clear();
  return {};
}

tl::unexpected<Error> OutputFile::problem(std::string_view what, int error) const {
  if (error == ENOSPC || error == EDQUOT)
    return failure(
        fmt::format("{}: there is no room left on the disk after {} bytes; free some, "
                    "or write to another one",
                    path_, size_));
  return failure(fmt::format("{}: {}: {}", path_, what, reason(error)));
}

}  // namespace strata

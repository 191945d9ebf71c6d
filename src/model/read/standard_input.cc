#include "read/standard_input.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/system_calls.h"
#include "strata/base/scratch_folder.h"

namespace strata {

namespace {

tl::unexpected<Error> cannot(const char* what) {
  return failure(
      fmt::format("standard input: cannot {}: {}", what, std::generic_category().message(errno)));
}

bool write_all(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(file, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

// Where what came through a pipe is; null until then. Any thread may ask, so that the text is
// written before it can be seen, and never changes or goes.
std::atomic<const std::string*> copied_path = nullptr;

Result<std::string> make_path() {
  static std::optional<ScratchFolder> folder;  // removed when the process ends
  if (std::string own = system_calls::file_at_standard_input(); !own.empty()) return own;
  const auto file = copy_to_memory(STDIN_FILENO, kMostInputBytes);
  if (!file) return failure(file);
  auto made = ScratchFolder::create();
  if (!made) return failure(made);
  folder.emplace(std::move(*made));
  std::string path = *folder / "stdin";
  std::error_code error;
  std::filesystem::create_symlink(system_calls::path_of_descriptor(*file), path, error);
  if (error) return failure(fmt::format("{}: {}", path, error.message()));
  copied_path = new std::string(path);
  return path;
}

}  // namespace

Result<int> copy_to_memory(int descriptor, std::uint64_t most_bytes) {
  const int file = system_calls::make_memory_file("strata");
  if (file < 0) return cannot("be copied");
  std::vector<char> piece(std::size_t{1} << 20);
  std::uint64_t total = 0;
  while (true) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got == 0) return file;
    if (got < 0 && errno == EINTR) continue;
    Status status;
    if (got < 0)
      status = cannot("be read");
    else if ((total += static_cast<std::uint64_t>(got)) > most_bytes)
      status =
          failure(fmt::format("standard input has more than {} bytes; save it to a file, and "
                              "name that",
                              most_bytes));
    else if (!write_all(file, piece.data(), static_cast<std::size_t>(got)))
      status = cannot("be copied");
    if (!status) {
      ::close(file);
      return failure(status);
    }
  }
}

std::string with_standard_input_named(std::string text) {
  const std::string* path = copied_path;
  if (path == nullptr) return text;
  constexpr std::string_view kName = "standard input";
  for (std::size_t at = 0; (at = text.find(*path, at)) != text.npos; at += kName.size())
    text.replace(at, path->size(), kName);
  return text;
}

Result<std::string> standard_input_path() {
  static const Result<std::string> kPath = make_path();
  return kPath;
}

}  // namespace strata

#include "base/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/outside.h"
#include "base/process_identity.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = ".strata-", kEnding = ".part";

std::string reason(int error) { return std::generic_category().message(error); }

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// The writer that `NAME.strata-1a2b3c4d-4711-123456-0.part` names; nullopt if `file` is not a
// temporary name of `name`.
std::optional<ProcessIdentity> writer_of(std::string_view file, std::string_view name) {
  if (!file.starts_with(name) || !file.ends_with(kEnding)) return std::nullopt;
  file.remove_prefix(name.size());
  if (!file.starts_with(kStart)) return std::nullopt;
  file.remove_prefix(kStart.size());
  file.remove_suffix(std::min(kEnding.size(), file.size()));
  const std::size_t number = file.rfind('-');
  if (number == file.npos || number + 1 == file.size() ||
      file.find_first_not_of("0123456789", number + 1) != file.npos)
    return std::nullopt;
  return ProcessIdentity::from_text(file.substr(0, number));
}

// A writer holds a lock on its file; the lock ends with it.
bool is_abandoned(const fs::path& file, const ProcessIdentity& writer) {
  if (!writer.has_ended()) return false;
  const int descriptor =
      ::open(file.string().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return free;
}

void remove_abandoned(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  std::error_code error;
  for (fs::directory_iterator at(folder_of(path), error), end; !error && at != end;
       at.increment(error)) {
    const auto writer = writer_of(at->path().filename().string(), name);
    if (writer && is_abandoned(at->path(), *writer)) ::unlink(at->path().string().c_str());
  }
}

// A new name is safe only once its folder is on the disk.
void sync_folder(const std::string& path) {
  const int descriptor =
      ::open(folder_of(path).string().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

// The parent knows which kind of file each output of its job is.
Result<OutputFile> OutputFile::create_outside(const std::string& path) {
  MessageWriter about;
  about.put(path);
  const Outside::Answer answer = outside()->ask(OutsideWish::CreateFile, about);
  MessageReader in(answer.bytes);
  if (!in.taken<bool>()) return failure(in.taken<Error>());
  const auto number = in.taken<std::uint64_t>();
  OutputFile file(path, path, in.taken<std::string>(), answer.descriptor);
  file.outside_ = number;
  if (!in.good() || answer.descriptor < 0)
    return failure(
        fmt::format("{}: cannot be written: the program that started this job has ended", path));
  return file;
}

Result<OutputFile> OutputFile::create(const std::string& path, const FileKind& kind) {
  if (outside() != nullptr && !outside()->is_inside(path)) return create_outside(path);
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode))
    return failure(S_ISDIR(status.st_mode)
                       ? fmt::format("{} is a directory; name a file inside it", path)
                       : fmt::format("{} is a device or a pipe; name a regular file", path));
  if (exists)
    if (Status replaceable = check_replaceable(path, kind); !replaceable)
      return failure(replaceable);
  // Where the path is a link, the file that it leads to is replaced.
  std::error_code error;
  const fs::path real = exists ? fs::canonical(path, error) : fs::path();
  const std::string target = real.empty() || error ? path : real.string();
  remove_abandoned(target);
  static std::atomic<unsigned> number = 0;
  const std::string writer =
      this_process().value_or(ProcessIdentity{"00000000", ::getpid()}).text();
  constexpr int kAttempts = 100;
  std::string temporary;
  int descriptor = -1;
  for (int i = 0; i < kAttempts && descriptor < 0; ++i) {
    temporary = fmt::format("{}{}{}-{}{}", target, kStart, writer, number++, kEnding);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) return failure(fmt::format("{}: cannot be written: {}", path, reason(errno)));
  (void)::flock(descriptor, LOCK_EX | LOCK_NB);
  if (exists) (void)::fchmod(descriptor, status.st_mode & 07777);
  return OutputFile(path, target, std::move(temporary), descriptor);
}

OutputFile::OutputFile(std::string name, std::string path, std::string temporary, int descriptor)
    : name_(std::move(name)),
      path_(std::move(path)),
      temporary_(std::move(temporary)),
      descriptor_(descriptor) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : name_(std::move(other.name_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      outside_(other.outside_) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  if (outside_ == 0) {
    ::unlink(temporary_.c_str());
  } else if (Outside* parent = outside()) {
    MessageWriter about;
    about.put(outside_);
    parent->ask(OutsideWish::DropFile, about);
  }
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

// Some file systems report only now that there was no space. Without fsync, a machine that stops
// after the rename may leave an empty file under the final name.
Status OutputFile::close() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS)
    return problem("cannot be written", errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) return problem("cannot be written", errno);
  return {};
}

Status OutputFile::commit() {
  if (descriptor_ >= 0)
    if (Status status = close(); !status) return status;
  if (outside_ != 0) {
    MessageWriter about;
    about.put(outside_);
    const Outside::Answer answer = outside()->ask(OutsideWish::CommitFile, about);
    temporary_.clear();  // the parent has renamed or removed it
    MessageReader in(answer.bytes);
    if (!in.taken<bool>()) return failure(in.taken<Error>());
    return {};
  }
  std::error_code error;
  fs::rename(temporary_, path_, error);  // rename() of Windows' C library replaces nothing
  if (error) return problem("cannot be replaced", error.value());
  temporary_.clear();
  sync_folder(path_);
  return {};
}

tl::unexpected<Error> OutputFile::problem(std::string_view what, int error) const {
  if (error == ENOSPC || error == EDQUOT)
    return failure(
        fmt::format("{}: there is no room left on the disk after {} bytes; free some, "
                    "or write to another one",
                    name_, size_));
  return failure(fmt::format("{}: {}: {}", name_, what, reason(error)));
}

Status write_file(const std::string& path, const FileKind& kind, std::string_view bytes) {
  auto file = OutputFile::create(path, kind);
  if (!file) return failure(file);
  if (Status status = file->write(bytes); !status) return status;
  return file->commit();
}

Status check_writable(const std::string& path, const FileKind& kind) {
  if (const auto file = OutputFile::create(path, kind); !file) return failure(file);
  return {};
}

Status remove_output(const std::string& path, const FileKind& kind) {
  if (Status status = check_writable(path, kind); !status) return status;
  // An empty file or a link may be the user's: neither shows who made it.
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error)) || fs::file_size(path, error) == 0)
    return {};
  ::unlink(path.c_str());
  return {};
}

}  // namespace strata

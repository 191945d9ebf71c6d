#include "strata/base/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "base/process_identity.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = "strata.";
constexpr std::size_t kRandom = 6;  // letters that mkdtemp() chooses
constexpr const char* kMarker = ".strata-scratch";

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

// The text of the marker in a folder: who made it, and which folder it was made for. A copy of the
// folder, or a file of that name that somebody else wrote, says something else.
std::string marker_text(const ProcessIdentity& maker, const struct stat& folder) {
  return fmt::format("strata scratch folder\nprocess {}\nfolder {}-{}\n", maker.text(),
                     folder.st_dev, folder.st_ino);
}

std::optional<ProcessIdentity> maker_of(int folder, const struct stat& status) {
  const int file = ::openat(folder, kMarker, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  char buffer[256];
  const ssize_t got = ::read(file, buffer, sizeof buffer);
  ::close(file);
  const std::string_view text(buffer, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  constexpr std::string_view kBefore = "process ";
  const std::size_t at = text.find(kBefore);
  if (at == text.npos) return std::nullopt;
  const std::string_view line = text.substr(at + kBefore.size());
  auto maker = ProcessIdentity::from_text(line.substr(0, line.find('\n')));
  if (!maker || text != marker_text(*maker, status)) return std::nullopt;
  return maker;
}

// True only if strata made this very folder, in a process that has ended, and nobody holds it.
bool is_abandoned(const std::string& path) {
  const int folder = open_folder(path);
  if (folder < 0) return false;
  struct stat status {};
  const bool ours = ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid();
  const auto maker = ours ? maker_of(folder, status) : std::nullopt;
  const bool free = maker && maker->has_ended() && ::flock(folder, LOCK_EX | LOCK_NB) == 0;
  ::close(folder);
  return free;
}

void remove_abandoned(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kStart) || name.size() != kStart.size() + kRandom) continue;
    std::error_code ignored;
    if (is_abandoned(at->path().string())) fs::remove_all(at->path(), ignored);
  }
}

// Without a marker, nobody removes what a killed process leaves in the folder.
void mark(int folder) {
  const auto maker = this_process();
  struct stat status {};
  if (!maker || ::fstat(folder, &status) != 0) return;
  const int file = ::openat(folder, kMarker, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  const std::string text = marker_text(*maker, status);
  [[maybe_unused]] const ssize_t written = ::write(file, text.data(), text.size());
  ::close(file);
}

// The path still leads to the folder that was opened when it was made.
bool is_same(const std::string& path, int folder) {
  struct stat now {
  }, then{};
  return ::lstat(path.c_str(), &now) == 0 && ::fstat(folder, &then) == 0 &&
         now.st_dev == then.st_dev && now.st_ino == then.st_ino;
}

}  // namespace

Result<ScratchFolder> ScratchFolder::create() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error) parent = "/tmp";
  remove_abandoned(parent);
  std::string path = (parent / (std::string(kStart) + std::string(kRandom, 'X'))).string();
  if (::mkdtemp(path.data()) == nullptr)
    return failure("cannot make a folder " + path +
                   "; set TMPDIR to a folder that can be written to");
  const int lock = open_folder(path);
  if (lock < 0) return failure("cannot open the folder " + path + ", which was just made");
  (void)::flock(lock, LOCK_EX | LOCK_NB);
  mark(lock);
  return ScratchFolder(std::move(path), lock);
}

ScratchFolder::~ScratchFolder() {
  if (lock_ < 0) return;
  std::error_code error;
  if (is_same(path_, lock_)) fs::remove_all(path_, error);
  ::close(lock_);
}

}  // namespace strata

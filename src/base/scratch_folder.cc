#include "strata/base/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace strata {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = "strata.";
constexpr std::size_t kRandom = 6;  // letters that mkdtemp() chooses
constexpr std::time_t kOld = 3600;  // seconds

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

// Ours, old, and held by nobody.
bool is_abandoned(const std::string& path) {
  const int folder = open_folder(path);
  if (folder < 0) return false;
  struct stat status {};
  const bool ours = ::fstat(folder, &status) == 0 && status.st_uid == ::geteuid();
  const bool old = std::time(nullptr) - status.st_mtime > kOld;
  const bool free = ours && old && ::flock(folder, LOCK_EX | LOCK_NB) == 0;
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
  if (lock >= 0) (void)::flock(lock, LOCK_EX | LOCK_NB);
  return ScratchFolder(std::move(path), lock);
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace strata

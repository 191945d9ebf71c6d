#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/given_files.h"
#include "base/system_calls.h"

namespace strata {

namespace {

// The start of a file is nearly always needed, so it is requested at once.
constexpr std::size_t kWantedAtOnce = std::size_t{256} << 10;

std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Memory of the caller's, whose pages are not ours to forget.
struct Borrowed {
  std::mutex mutex;
  std::vector<std::string_view> parts;
};

Borrowed& all_borrowed() {
  static Borrowed borrowed;
  return borrowed;
}

bool is_borrowed(std::string_view part) {
  Borrowed& borrowed = all_borrowed();
  const std::lock_guard lock(borrowed.mutex);
  return std::any_of(borrowed.parts.begin(), borrowed.parts.end(), [&](std::string_view whole) {
    return std::less_equal<>()(whole.data(), part.data()) &&
           std::less<>()(part.data(), whole.data() + whole.size());
  });
}

}  // namespace

// Shared memory, since forget() would empty private one.
Result<std::shared_ptr<const MappedFile>> MappedFile::copy(std::string_view bytes) {
  if (bytes.empty()) return std::shared_ptr<const MappedFile>(new MappedFile(bytes));
  void* memory = ::mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | system_calls::kMapFilled, -1, 0);
  if (memory == MAP_FAILED)
    return failure(fmt::format("{} bytes cannot be copied: {}", bytes.size(), reason(errno)));
  std::memcpy(memory, bytes.data(), bytes.size());
  return std::shared_ptr<const MappedFile>(
      new MappedFile(std::string_view(static_cast<const char*>(memory), bytes.size())));
}

std::shared_ptr<const MappedFile> MappedFile::borrow(std::string_view bytes) {
  Borrowed& borrowed = all_borrowed();
  const std::lock_guard lock(borrowed.mutex);
  borrowed.parts.push_back(bytes);
  return std::shared_ptr<const MappedFile>(new MappedFile(bytes, true));
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  if (path.starts_with(kGivenPrefix)) return GivenFiles::find(path);
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) {
    const int error = errno;
    if (error == ENOENT) return failure(Code::FileMissing, {.file = path});
    return failure(Code::FileUnreadable,
                   {.file = path, .wanted = "opened", .detail = reason(error)});
  }
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0)
    return failure(Code::FileUnreadable, {.file = path, .wanted = "read", .detail = reason(errno)});
  if (S_ISDIR(status.st_mode))
    return failure(Code::NotAFile,
                   {.file = path, .found = "a directory; name the model file inside it"});
  if (!S_ISREG(status.st_mode))
    return failure(
        Code::NotAFile,
        {.file = path, .found = "a device or a pipe; save the model to a regular file first"});

  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile(std::string_view()));
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (memory == MAP_FAILED)
    return failure(Code::FileUnreadable,
                   {.file = path, .wanted = "mapped into memory", .detail = reason(errno)});
  // Turn off read-ahead: there are megabytes of weights between one header and the next.
  ::madvise(memory, size, MADV_RANDOM);
  ::madvise(memory, std::min(size, kWantedAtOnce), MADV_WILLNEED);
  return std::shared_ptr<const MappedFile>(
      new MappedFile(std::string_view(static_cast<const char*>(memory), size)));
}

void MappedFile::forget(std::string_view part) {
  static const auto kPage = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t first = (start + kPage - 1) / kPage * kPage;
  const std::uintptr_t last = (start + part.size()) / kPage * kPage;
  if (first >= last || is_borrowed(part)) return;
  ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void MappedFile::want(std::string_view part) {
  static const auto kPage = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t first = start / kPage * kPage;
  if (!part.empty())
    ::madvise(reinterpret_cast<void*>(first), start + part.size() - first, MADV_WILLNEED);
}

MappedFile::~MappedFile() {
  if (borrowed_) {
    Borrowed& borrowed = all_borrowed();
    const std::lock_guard lock(borrowed.mutex);
    const auto own =
        std::find_if(borrowed.parts.begin(), borrowed.parts.end(), [&](std::string_view part) {
          return part.data() == bytes_.data() && part.size() == bytes_.size();
        });
    if (own != borrowed.parts.end()) borrowed.parts.erase(own);
    return;
  }
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace strata

#include "cli/output.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace strata::cli {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

bool is_stdout(const std::string& path) { return path.empty() || path == "-"; }

// A device or a pipe, which cannot be replaced by a file that is complete.
bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

Result<Output> Output::open(const std::string& path, const FileKind& kind) {
  if (is_stdout(path)) return Output("the output", stdout, false);
  if (is_special(path)) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr)
      return failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    return Output(path, file, true);
  }
  auto file = OutputFile::create(path, kind);
  if (!file) return failure(file);
  return Output(std::move(*file));
}

Output::Output(Output&& other) noexcept
    : name_(std::move(other.name_)),
      stream_(other.stream_),
      is_own_(std::exchange(other.is_own_, false)),
      is_closed_(other.is_closed_),
      file_(std::move(other.file_)),
      waiting_(std::move(other.waiting_)) {}

Output::~Output() {
  if (is_own_) std::fclose(stream_);
}

Status Output::problem() const {
  return failure(fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
}

Status Output::write(std::string_view text) {
  if (file_) {
    waiting_ += text;
    return waiting_.size() >= kPiece ? flush() : Status();
  }
  if (is_closed_ || std::fwrite(text.data(), 1, text.size(), stream_) == text.size()) return {};
  is_closed_ = errno == EPIPE;
  return is_closed_ ? Status() : problem();
}

Status Output::flush() {
  const std::string piece = std::exchange(waiting_, {});
  return file_->write(piece);
}

Status Output::finish() {
  if (file_) {
    if (Status status = flush(); !status) return status;
    return file_->commit();
  }
  if (is_closed_ || std::fflush(stream_) == 0 || errno == EPIPE) return {};
  return problem();
}

std::uint64_t most_output_bytes(const std::string& model_path) {
  constexpr std::uint64_t kAtLeast = std::uint64_t{64} << 20, kTimes = 64;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(model_path, error);
  return error ? kAtLeast : kAtLeast + kTimes * size;
}

Status write_output(const std::string& path, const std::string& text, const FileKind& kind) {
  auto output = Output::open(path, kind);
  if (!output) return failure(output);
  if (Status status = output->write(text); !status) return status;
  return output->finish();
}

Status check_output(const std::string& path, const FileKind& kind) {
  if (is_stdout(path) || is_special(path)) return {};
  return check_writable(path, kind);
}

}  // namespace strata::cli

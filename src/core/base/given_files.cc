#include "base/given_files.h"

#include <utility>

#include <fmt/format.h>

namespace strata {

namespace {
thread_local GivenFiles* current_files = nullptr;
}

GivenFiles::GivenFiles() : before_(std::exchange(current_files, this)) {}

GivenFiles::~GivenFiles() { current_files = before_; }

GivenFiles* GivenFiles::here() { return current_files; }

GivenFiles::InThread::InThread(GivenFiles* files) : before_(std::exchange(current_files, files)) {}

GivenFiles::InThread::~InThread() { current_files = before_; }

Status GivenFiles::add(std::string name, std::string_view bytes) {
  auto file = MappedFile::copy(bytes);
  if (!file) return failure(file);
  files_.push_back({std::move(name), std::move(*file)});
  return {};
}

void GivenFiles::borrow(std::string name, std::string_view bytes) {
  files_.push_back({std::move(name), MappedFile::borrow(bytes)});
}

Result<std::shared_ptr<const MappedFile>> GivenFiles::find(const std::string& path) {
  const std::string_view name = std::string_view(path).substr(kGivenPrefix.size());
  if (current_files != nullptr)
    for (const Given& given : current_files->files_)
      if (given.name == name) return given.file;
  return failure(fmt::format("{}: no file of this name was given", name));
}

}  // namespace strata

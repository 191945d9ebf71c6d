// A file that appears only once it is complete.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_form.h"
#include "strata/base/result.h"

namespace strata {

// Writes to a temporary name beside `path`, which commit() renames. Until then, or if that never
// happens, whatever was at `path` stays. All files that strata writes are written by this class;
// only journals that grow line by line are not. In a confined process (base/outside.h), its parent
// creates, renames and removes the file, and this process writes to it.
class OutputFile {
 public:
  // Fails if there is a file that is no earlier output of this kind. Removes temporary files of
  // the same path whose names say that a strata process of this machine made them which has ended.
  static Result<OutputFile> create(const std::string& path, const FileKind& kind);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Status write(std::string_view bytes);
  // Writes zeros up to this size.
  Status pad_to(std::uint64_t size);
  std::uint64_t size() const { return size_; }
  // The path until commit(); complete once it is closed, so it can be inspected before it gets its
  // name.
  const std::string& temporary() const { return temporary_; }
  int descriptor() const { return descriptor_; }
  // Everything is on the disk afterwards; nothing may be written any more.
  Status close();
  Status commit();

 private:
  OutputFile(std::string name, std::string path, std::string temporary, int descriptor);
  static Result<OutputFile> create_outside(const std::string& path);
  tl::unexpected<Error> problem(std::string_view what, int error) const;

  std::string name_;  // as the caller calls it
  std::string path_;
  std::string temporary_;  // empty: committed, or moved away
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t outside_ = 0;  // the parent's number for it; 0: this process made it
};

// Creates, writes and commits.
Status write_file(const std::string& path, const FileKind& kind, std::string_view bytes);
// Checks that the file could be written: call it before the work, not after it.
Status check_writable(const std::string& path, const FileKind& kind);
// Removes an earlier output of this kind, if there is one; fails if another file has the name.
Status remove_output(const std::string& path, const FileKind& kind);

}  // namespace strata

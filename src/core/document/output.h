// Where a document goes: a file, a device, or a stream that the caller has opened.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/output_file.h"
#include "strata/document/render.h"

namespace strata {

// A file is whole at any moment. A full disk is an error, a closed pipe is not.
class Output : public Sink {
 public:
  static Result<Output> open(const std::string& path, const FileKind& kind);
  // A stream stays open; errors call it by this name.
  static Output to_stream(std::FILE* stream, std::string name);
  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output() override;

  Status write(std::string_view text) override;
  // Everything has been written.
  Status finish();

 private:
  Output(std::string name, std::FILE* stream, bool is_own)
      : name_(std::move(name)), stream_(stream), is_own_(is_own) {}
  explicit Output(OutputFile file) : file_(std::move(file)) {}
  Status flush();
  Status problem() const;

  std::string name_;
  std::FILE* stream_ = nullptr;     // the caller's, or a device
  bool is_own_ = false;             // the stream is to be closed
  bool is_closed_ = false;          // nobody reads the pipe any more
  std::optional<OutputFile> file_;  // else
  std::string waiting_;             // for the file: rows are short
};

// Checks that the path could be written: call it before the work, not after it.
Status check_output(const std::string& path, const FileKind& kind);

// Returns the kind of file that a renderer makes of a document of this kind.
FileKind file_kind(const Renderer& renderer, std::string_view document_kind);

// Renders it to its end. More than `most_bytes` are a failure; 0: any number.
Status write_document(const Document& document, const Renderer& renderer, const TableStyle& style,
                      Output output, std::uint64_t most_bytes = 0);

}  // namespace strata

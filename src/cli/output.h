// Where the output of a command goes.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/output_file.h"
#include "strata/document/render.h"

namespace strata::cli {

// Stdout if the path is empty or `-`, a device, or a file, which is whole at any moment. A full
// disk is an error, a closed pipe is not.
class Output : public Sink {
 public:
  static Result<Output> open(const std::string& path, const FileKind& kind);
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
  std::FILE* stream_ = nullptr;     // stdout or a device
  bool is_own_ = false;             // the stream is to be closed
  bool is_closed_ = false;          // nobody reads the pipe any more
  std::optional<OutputFile> file_;  // else
  std::string waiting_;             // for the file: rows are short
};

// A document about a model may have so many bytes. Names of a few bytes can be repeated in every
// row of a large table, so that the output could be thousands of times the file.
std::uint64_t most_output_bytes(const std::string& model_path);

// All of a text.
Status write_output(const std::string& path, const std::string& text,
                    const FileKind& kind = {FileForm::Text});
// Whether it could be written: to be asked before the work, not after it.
Status check_output(const std::string& path, const FileKind& kind);

}  // namespace strata::cli

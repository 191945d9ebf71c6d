#include "document/output.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

// A device or a pipe, which cannot be replaced by a file that is complete.
bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// Leaves out the last rows of long tables.
void keep_first_rows(Document& document, std::size_t most) {
  for (Table& table : document.tables) {
    const std::size_t rows = row_count(table);
    if (rows <= most) continue;
    if (table.source.make) table.source.count = most;
    table.rows.resize(std::min(table.rows.size(), most));
    document.abridged = fmt::format(
        "only the first {} of {} rows are here; CSV and JSON have every row",
        grouped(static_cast<std::int64_t>(most)), grouped(static_cast<std::int64_t>(rows)));
  }
  const Note note(document.abridged, true);
  document.notes.insert(document.notes.begin(), note);
  if (!document.sections.empty()) document.sections.push_back(notes_section({note}));
}

}  // namespace

Result<Output> Output::open(const std::string& path, const FileKind& kind) {
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

Output Output::to_stream(std::FILE* stream, std::string name) {
  return Output(std::move(name), stream, false);
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

Status check_output(const std::string& path, const FileKind& kind) {
  return is_special(path) ? Status() : check_writable(path, kind);
}

FileKind file_kind(const Renderer& renderer, std::string_view document_kind) {
  if (renderer.name == "json") return {FileForm::Json, document_kind};
  if (renderer.name == "png") return {FileForm::Png};
  if (!renderer.mark.empty()) return {FileForm::Marked, renderer.mark};
  return {};
}

Status write_document(const Document& document, const Renderer& renderer, const TableStyle& style,
                      Output output, std::uint64_t most_bytes) {
  LimitedSink limited(output, most_bytes);
  Sink& sink = most_bytes > 0 ? static_cast<Sink&>(limited) : output;
  if (auto status = check_kind(renderer, document.kind); !status) return status;
  const bool holds =
      !renderer.row_by_row && std::any_of(document.tables.begin(), document.tables.end(),
                                          [](const Table& t) { return t.source.make != nullptr; });
  const bool abridges =
      renderer.most_rows > 0 &&
      std::any_of(document.tables.begin(), document.tables.end(),
                  [&](const Table& t) { return row_count(t) > renderer.most_rows; });
  Document held;
  if (holds || abridges) held = document;
  if (abridges) keep_first_rows(held, renderer.most_rows);
  if (holds) hold_rows(held);
  if (auto status = renderer.write(holds || abridges ? held : document, style, sink); !status)
    return status;
  return output.finish();
}

Status save_document(const Document& document, const Renderer& renderer, const std::string& path,
                     const TableStyle& style) {
  auto output = Output::open(path, file_kind(renderer, document.kind));
  if (!output) return failure(output);
  return write_document(document, renderer, style, std::move(*output));
}

}  // namespace strata

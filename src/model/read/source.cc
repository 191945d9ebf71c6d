#include "strata/read/source.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/mapped_file.h"
#include "read/looks_like.h"
#include "read/registry.h"
#include "read/standard_input.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTextLookedAt = std::size_t{1} << 16;

const ModelFormat* format_of_path(const std::string& path) {
  for (const ModelFormat& format : model_formats())
    if (format.recognise_path != nullptr && format.recognise_path(path)) return &format;
  return nullptr;
}

const ModelFormat* format_of_bytes(std::string_view bytes) {
  if (bytes.empty()) return nullptr;
  // Letters can be taken for fields of a model that is damaged.
  const bool is_words = is_text(bytes.substr(0, kTextLookedAt));
  for (const ModelFormat& format : model_formats())
    if (format.recognise != nullptr && format.is_text == is_words && format.recognise(bytes))
      return &format;
  return nullptr;
}

// A file may have such a character in its name.
bool names_several(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ||
         (path.find_first_of("*?") != path.npos && !fs::exists(path, ignored));
}

}  // namespace

struct Source::Opened {
  std::string word;
  std::once_flag once;
  SourceKind kind = SourceKind::Unknown;
  const ModelFormat* format = nullptr;
  std::shared_ptr<const MappedFile> file;
  std::optional<Error> problem;

  // Most are files, which need not be asked about before they are opened.
  void open() {
    if (word.starts_with(kZooPrefix)) return take(format_of_path(word));
    auto mapped = MappedFile::open(word);
    if (mapped) {
      file = std::move(*mapped);
      return take(format_of_bytes(file->bytes()));
    }
    take(format_of_path(word));
    if (format != nullptr) return;
    if (names_several(word)) kind = SourceKind::Several;
    problem = std::move(mapped.error());
  }

 private:
  void take(const ModelFormat* found) {
    format = found;
    if (found != nullptr) kind = found->kind;
  }
};

Source::Source(std::string word) : opened_(std::make_shared<Opened>()) {
  opened_->word = std::move(word);
}
Source::Source(const char* word) : Source(std::string(word)) {}
Source::Source(const fs::path& word) : Source(word.string()) {}

const Source::Opened& Source::opened() const {
  static Opened empty;  // of what was never named
  Opened& opened = opened_ == nullptr ? empty : *opened_;
  std::call_once(opened.once, [&] { opened.open(); });
  return opened;
}

const std::string& Source::word() const {
  static const std::string kEmpty;
  return opened_ == nullptr ? kEmpty : opened_->word;
}

std::string Source::short_name() const {
  return is_zoo() ? word().substr(kZooPrefix.size()) : fs::path(word()).stem().string();
}

SourceKind Source::kind() const { return opened().kind; }
const ModelFormat* Source::format() const { return opened().format; }

bool Source::has_graph() const {
  return kind() == SourceKind::Graph || kind() == SourceKind::Code || kind() == SourceKind::Built;
}

std::string_view Source::engine_format() const {
  return format() == nullptr ? std::string_view() : format()->engine_format;
}

SourceWeights Source::weights() const {
  return format() == nullptr ? SourceWeights::None : format()->weights;
}

Status Source::status() const {
  if (opened().problem) return failure(*opened().problem);
  return {};
}

std::string_view Source::bytes() const {
  return opened().file == nullptr ? std::string_view() : opened().file->bytes();
}

std::shared_ptr<const void> Source::backing() const { return opened().file; }

Result<Source> open_source(std::string word) {
  if (word == "-") {
    auto path = standard_input_path();
    if (!path) return failure(path);
    word = std::move(*path);
  }
  Source source(std::move(word));
  if (source.kind() == SourceKind::Several) return source;
  if (Status status = source.status(); !status) return failure(status);
  return source;
}

}  // namespace strata

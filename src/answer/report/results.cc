#include "strata/report/results.h"

#include <utility>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "strata/document/read_json.h"
#include "strata/profile/profile.h"
#include "strata/report/bench.h"
#include "strata/report/report.h"

namespace strata {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // as of a profile that is read back

Result<Document> read_one(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
  const std::string_view text = (*file)->bytes();
  if (text.size() > kMostBytes)
    return failure(fmt::format("document {}: it has more than 256 MiB", path));
  auto document = document_from_json(text, path);
  if (!document || (document->kind != "bench" && document->kind != "profile")) return document;
  // These have readers of their own, so that people see what their commands print.
  Document shown;
  if (document->kind == "bench") {
    const auto run = bench_from_json(text, path);
    if (!run) return failure(run);
    shown = bench_document(*run);
  } else {
    auto profile = profile_from_json(text, path);
    if (!profile) return failure(profile);
    shown = to_document(std::move(*profile));
  }
  shown.command = std::move(document->command);
  shown.options = std::move(document->options);
  return shown;
}

}  // namespace

Result<std::vector<Document>> read_results(const std::vector<std::string>& files) {
  std::vector<Document> documents;
  for (const std::string& path : files) {
    auto document = read_one(path);
    if (!document) return failure(document);
    documents.push_back(std::move(*document));
  }
  return documents;
}

}  // namespace strata

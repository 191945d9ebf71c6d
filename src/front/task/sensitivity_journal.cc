#include "task/sensitivity_journal.h"

#include <filesystem>

#include "base/mapped_file.h"

namespace strata {

FileKind journal_kind(const SensitivityRequest& request) {
  return request.fresh ? FileKind{FileForm::Json, "sensitivity"} : FileKind{FileForm::Other};
}

std::string partial_journal(const std::string& journal) { return journal + ".partial"; }

std::string unfinished_journal(const SensitivityRequest& request) {
  std::error_code error;
  const std::string partial = partial_journal(request.journal);
  const std::string& decides = request.fresh ? request.journal : partial;
  return std::filesystem::exists(decides, error) ? partial : request.journal;
}

Result<EarlierScores> read_scores(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return failure(file);
  return sensitivity_scores_from_json((*file)->bytes(), path);
}

void remove_partial_journal(const std::string& journal, const std::string& run) {
  std::error_code error;
  const std::string partial = partial_journal(journal);
  if (!std::filesystem::is_regular_file(partial, error)) return;
  const auto scores = read_scores(partial);
  if (scores && scores->run == run) std::filesystem::remove(partial, error);
}

}  // namespace strata

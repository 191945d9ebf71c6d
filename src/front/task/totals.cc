#include "strata/task/totals.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/glob.h"
#include "base/in_quotes.h"
#include "read/looks_like.h"
#include "read/registry.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

// `*.onnx` and `*.pt2`: files that are models by their names.
std::vector<std::string> patterns_in_folders() {
  std::vector<std::string> patterns;
  for (const std::string_view ending : endings_of(SourceKind::Graph))
    patterns.push_back("*" + std::string(ending));
  return patterns;
}

std::vector<std::string> files_in(const fs::path& folder,
                                  const std::vector<std::string>& patterns) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    const bool wanted =
        std::any_of(patterns.begin(), patterns.end(),
                    [&](const std::string& pattern) { return matches_glob(pattern, name); });
    if (wanted && at->is_regular_file(ignored)) found.push_back((folder / name).string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Result<std::vector<Source>> models_at(const std::vector<Source>& given) {
  std::vector<Source> out;
  for (const Source& source : given) {
    if (source.kind() != SourceKind::Several) {
      out.push_back(source);
      continue;
    }
    const fs::path path = source.word();
    std::error_code ignored;
    const bool is_folder = fs::is_directory(path, ignored);
    const auto found = is_folder ? files_in(path, patterns_in_folders())
                                 : files_in(path.parent_path(), {path.filename().string()});
    const Guess guess = is_folder ? looks_like_folder(source.word()) : Guess{};
    if (found.empty() && !guess.what.empty())
      return failure(
          fmt::format("{} is {}; {}", path.string(), guess.what, advice_for(guess, path.string())));
    if (found.empty())
      return failure(is_folder ? fmt::format("the folder {} has no model in it ({})", path.string(),
                                             fmt::join(endings_of(SourceKind::Graph), ", "))
                               : fmt::format("no file matches {}", in_quotes(path.string())));
    out.insert(out.end(), found.begin(), found.end());
  }
  return out;
}

bool TotalsOutcome::has_failed() const {
  return std::any_of(models.begin(), models.end(),
                     [](const compare::ModelTotals& one) { return !one.problem.empty(); });
}

TotalsOutcome run_totals(const TotalsRequest& request, const Observer& observer) {
  TotalsOutcome out;
  StatRequest stat = request.stat;
  stat.profile.rows.report = ReportKind::None;
  stat.profile.columns = compare::side_columns();
  stat.profile.sort.clear();
  stat.shown = true;
  stat.full = false;
  for (const Source& file : request.files) {
    if (observer.stopped()) {
      out.interrupted = true;
      break;
    }
    compare::ModelTotals& one = out.models.emplace_back(compare::ModelTotals{file.word()});
    stat.model.source = file;
    const auto outcome = run_stat(stat, observer);
    if (!outcome) {
      one.problem = observer.phrased(outcome.error());
      continue;
    }
    out.interrupted = out.interrupted || outcome->interrupted;
    if (!outcome->shown) continue;
    out.bytes += outcome->loaded->model.file_bytes;
    one.totals = compare::side_of(*outcome->shown, file.word()).totals;
  }
  return out;
}

}  // namespace strata

#include "strata/task/totals.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/glob.h"
#include "base/in_quotes.h"
#include "strata/zoo/hugging_face.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

// Of models; one of Hugging Face's is a model itself.
bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && !zoo::is_hugging_face(path);
}

// A file may have such a character in its name.
bool is_pattern(const std::string& path) {
  std::error_code ignored;
  return path.find_first_of("*?") != path.npos && !path.starts_with("zoo:") &&
         !fs::exists(path, ignored);
}

std::vector<std::string> files_in(const fs::path& folder,
                                  std::initializer_list<std::string> patterns) {
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

bool names_several(const std::string& path) { return is_folder(path) || is_pattern(path); }

Result<std::vector<std::string>> models_at(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    std::vector<std::string> found = {path};
    if (is_folder(path)) {
      found = files_in(path, {"*.onnx", "*.pt2"});
      if (found.empty())
        return failure(fmt::format("the folder {} has no .onnx or .pt2 file", path));
    } else if (is_pattern(path)) {
      found = files_in(fs::path(path).parent_path(), {fs::path(path).filename().string()});
      if (found.empty()) return failure(fmt::format("no file matches {}", in_quotes(path)));
    }
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
  for (const std::string& file : request.files) {
    if (observer.stopped()) {
      out.interrupted = true;
      break;
    }
    compare::ModelTotals& one = out.models.emplace_back(compare::ModelTotals{file});
    stat.model.path = file;
    const auto outcome = run_stat(stat, observer);
    if (!outcome) {
      one.problem = observer.phrased(outcome.error());
      continue;
    }
    out.interrupted = out.interrupted || outcome->interrupted;
    if (!outcome->shown) continue;
    out.bytes += outcome->loaded->model.file_bytes;
    one.totals = compare::side_of(*outcome->shown, file).totals;
  }
  return out;
}

}  // namespace strata

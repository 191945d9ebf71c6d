// The files in which a sensitivity keeps its scores.
#pragma once

#include <string>

#include "base/file_form.h"
#include "strata/report/sensitivity.h"
#include "strata/task/sensitivity.h"

namespace strata {

// The kind of file that the journal may replace. One that is not written anew is read first, and
// has to be a journal then.
FileKind journal_kind(const SensitivityRequest& request);

// `scores.json.partial`
std::string partial_journal(const std::string& journal);

// The file for scores until they are complete: the journal, or the partial one beside it if the
// journal is to be kept until then.
std::string unfinished_journal(const SensitivityRequest& request);

Result<EarlierScores> read_scores(const std::string& path);

// Removes the partial journal if it holds scores of this run, which are now in the complete one.
void remove_partial_journal(const std::string& journal, const std::string& run);

}  // namespace strata

// Checks of physics and bookkeeping on what a file claims.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/document/document.h"
#include "strata/lint/claims.h"

namespace strata::lint {

struct Finding {
  std::string check;                   // `time_flat`
  std::string table = {};              // its title; empty: the file has one table
  std::string row = {};                // the one that shows it best; empty: the whole table
  std::vector<std::string> rows = {};  // all of them
  std::string evidence = {};           // in numbers, one sentence
  std::string meaning = {};            // what it probably means, one sentence
};

struct CheckRule {
  std::string_view name;
  std::string_view about;  // what it finds, in a few words
  void (*run)(const Claims& claims, std::vector<Finding>& findings);
};
std::span<const CheckRule> checks();
std::vector<Finding> check(const Claims& claims);

struct ClaimFormat {
  std::string_view name;
  std::string_view files;  // what they are
  // True if the content of a file is in this format.
  bool (*recognise)(std::string_view text);
  Result<Claims> (*read)(std::string_view text);
};
std::span<const ClaimFormat> formats();
// Any text gives claims or one sentence. `label` names it in errors.
Result<Claims> claims_from_text(std::string_view text, const std::string& label);
Result<Claims> read_claims(const std::string& path);

// The verdict, then a row for each finding.
Document lint_document(const Claims& claims, std::span<const Finding> findings);

}  // namespace strata::lint

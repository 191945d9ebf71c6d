// Limits on how far a comparison may go: `latency>+5%`, `macs>0`, `peak>+1MB`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/compare/diff.h"

namespace strata::compare {

// A change beyond this is too much.
struct Limit {
  std::string text;  // as it was given
  Measure measure = Measure::Macs;
  bool above = true;      // `>`; else `<`
  bool relative = false;  // to what it was before
  double bound = 0;       // a share (0.05 of `5%`), or in the unit of the measure
};

// Each text may have several, with commas between. The errors say what is accepted.
Result<std::vector<Limit>> parse_limits(std::span<const std::string> texts);

// `320M`, `8MB`, `8MiB`, `10ms`, `0`: an amount of this measure in its own unit (bytes, seconds,
// pieces; energy in picojoules).
Result<double> parse_amount(std::string_view text, Measure measure);

enum class LimitVerdict : std::uint8_t { Kept, Broken, Unknown };
std::string_view name_of(LimitVerdict verdict);

struct JudgedLimit {
  Limit limit;
  std::string where;  // the side, or the row of it where there is no total
  LimitVerdict verdict = LimitVerdict::Kept;
  std::string reason;  // in numbers
};

// A time exceeds a limit only if its whole interval does. An unknown figure fails its limit.
LimitVerdict judge(const Limit& limit, const Change& change);
// Checks totals, or every row if the sides have no totals (benchmarks of several variants). Fails
// if the sides do not have a measure at all.
Result<std::vector<JudgedLimit>> judge_limits(std::span<const Limit> limits,
                                              std::span<const Side> sides,
                                              std::span<const Diff> diffs);

}  // namespace strata::compare

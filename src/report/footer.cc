#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/footer.h"
#include "strata/base/number_text.h"
#include "strata/report/report.h"

namespace strata {

namespace {

constexpr std::size_t kSymbols = 8;      // of the open sizes, how many are named
constexpr std::size_t kPeakTensors = 3;  // of those alive at the peak, how many are named

std::string peak_text(const Profile& profile, bool exact) {
  const Profile::Memory& memory = profile.memory;
  if (memory.peak_layer.empty()) return "";
  std::vector<std::string> largest;
  for (const Profile::AliveTensor& alive : memory.at_peak) {
    if (largest.size() == kPeakTensors) break;
    const std::string& name = alive.layer.empty() ? alive.tensor : alive.layer;
    largest.push_back(fmt::format("{} {}", name, expr_text(alive.bytes, NumberStyle::Bytes, exact)));
  }
  const std::size_t more = memory.at_peak.size() - largest.size();
  std::string tensors = fmt::format("{}", fmt::join(largest, ", "));
  if (more > 0) tensors += fmt::format(" and {} more", more);
  return fmt::format("Peak activations {}{}{} while {} runs: {}\n",
                     memory.certainty == Certainty::Exact ? "" : "≥",
                     expr_text(memory.peak_bytes, NumberStyle::Bytes, exact), exact ? " B" : "",
                     memory.peak_layer, tensors);
}

// What is missing and how to give it.
std::string symbols_text(const Profile& profile) {
  std::string out;
  std::size_t shown = 0;
  for (const auto& symbol : profile.symbols) {
    if (++shown > kSymbols) {
      out += fmt::format("  and {} more (--format json lists them)\n", profile.symbols.size() - kSymbols);
      break;
    }
    if (symbol.needs_data) out += fmt::format("  {}: {}; assume one with --dim {}=…\n", symbol.name, symbol.origin, symbol.name);
    else out += fmt::format("  {}: {}; set it with --dim {}=…\n", symbol.name, symbol.origin, symbol.name);
  }
  return out.empty() ? out : "Open sizes:\n" + out;
}

}  // namespace

std::string footer_text(const Profile& profile, const TableStyle& style) {
  std::string out = peak_text(profile, style.exact);
  out += symbols_text(profile);
  if (!profile.unknown_ops.empty())
    out += fmt::format("Not counted, so totals are lower bounds: {}\n", fmt::join(profile.unknown_ops, ", "));
  for (const std::string& note : profile.notes) out += fmt::format("Note: {}\n", note);
  if (profile.hidden_rows > 0)
    out += fmt::format("{} row{} of constants and views not shown (--all shows them)\n", profile.hidden_rows,
                       profile.hidden_rows == 1 ? "" : "s");
  return out;
}

}  // namespace strata

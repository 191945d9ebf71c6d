// Any text gives claims that can be checked and printed, or one sentence. Every reader gets it,
// also those that would not recognise it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "strata/document/render.h"
#include "strata/lint/lint.h"

namespace {

void look_at(const strata::Result<strata::lint::Claims>& claims) {
  if (!claims) {
    if (claims.error().message.empty()) std::abort();
    return;
  }
  const auto findings = strata::lint::check(*claims);
  for (const strata::lint::Finding& finding : findings)
    if (finding.evidence.empty() || finding.meaning.empty()) std::abort();
  strata::render_table(strata::lint::lint_document(*claims, findings));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  look_at(strata::lint::claims_from_text(text, "fuzz"));
  for (const strata::lint::ClaimFormat& format : strata::lint::formats())
    look_at(format.read(text));
  return 0;
}

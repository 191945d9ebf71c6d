// Any text, read as a saved document, gives a side that can be compared with itself and with
// another one and printed, or one sentence. The fast reader of plain profiles takes nothing that
// the reader of any profile would read otherwise.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compare/plain_profile.h"
#include "strata/compare/document.h"
#include "strata/document/render.h"

namespace compare = strata::compare;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto side = compare::read_side(text, "fuzz");
  if (!side) {
    if (side.error().message.empty()) std::abort();
    return 0;
  }
  if (const auto plain = compare::read_plain_profile(text, "fuzz")) {
    const auto profile = strata::profile_from_json(text, "fuzz");
    if (profile && compare::side_of(*profile, "fuzz").rows.size() != plain->rows.size())
      std::abort();
  }
  compare::Side other = *side;
  for (compare::SideRow& row : other.rows) row.name += "x";
  if (!other.rows.empty()) other.rows.erase(other.rows.begin());
  compare::Comparison comparison{.sides = {*side, *side, other}, .diffs = {}};
  for (std::size_t i = 1; i < comparison.sides.size(); ++i) {
    comparison.diffs.push_back(compare::diff_of(*side, comparison.sides[i]));
    comparison.diffs.back().after = i;
  }
  const strata::Document document = compare::diff_document(comparison, {.all = true});
  if (strata::render_table(document).empty() || strata::render_json(document).empty() ||
      strata::render_markdown(document).empty() || strata::render_page(document).empty())
    std::abort();
  return 0;
}

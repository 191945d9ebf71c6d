// Documents that the caller has as JSON.
#include <new>
#include <stdexcept>

#include "c/document.h"
#include "manual/advice.h"
#include "strata/document/read_json.h"
#include "strata/profile/profile.h"
#include "strata/report/bench.h"
#include "strata/report/report.h"

namespace strata::c {

namespace {

// Kinds that have a reader of their own are shown to people as their command shows them.
Result<Document> read_document(std::string_view json) {
  constexpr std::string_view kLabel = "from memory";
  auto document = document_from_json(json, kLabel);
  if (!document || document->kind != "profile") return document;
  auto profile = profile_from_json(json, kLabel);
  if (!profile) return failure(profile);
  return to_document(std::move(*profile));
}

}  // namespace

}  // namespace strata::c

int strata_read(const char* json, size_t size, strata_document** document) {
  if (document == nullptr || (json == nullptr && size > 0)) return STRATA_CODE_USAGE;
  *document = new (std::nothrow) strata_document;
  if (*document == nullptr) return STRATA_CODE_FAILED;
  return strata::c::guarded(*document, [&] {
    auto read = strata::c::read_document({json, size});
    if (!read) {
      strata::c::set_error(**document, read.error());
      return int{STRATA_CODE_FAILED};
    }
    (*document)->document = std::move(*read);
    (*document)->renderer = &strata::renderers().front();
    (*document)->style.phrase = strata::manual::advised;
    return int{STRATA_CODE_FINE};
  });
}

// Several documents in one page, a tab for each.
#pragma once

#include <span>

#include "strata/document/render.h"

namespace strata {

// One HTML file like that of write_page(). A single document has no tabs.
Status write_pages(std::span<const Document> documents, const TableStyle& style, Sink& sink);

}  // namespace strata

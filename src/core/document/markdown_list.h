// Text as Markdown.
#pragma once

#include <string>
#include <string_view>

namespace strata {

// With a backslash before each character that Markdown or HTML would act on.
std::string markdown_text(std::string_view text);
// Lines as a Markdown list; those set in by two belong to the one before.
std::string markdown_list(std::string_view text);

}  // namespace strata

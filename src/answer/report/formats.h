// The formats of models that strata knows, and the words for them in help.
#pragma once

#include <string>
#include <string_view>

#include "strata/document/document.h"

namespace strata {

// A row for each format.
Document formats_document();

// Help for an argument that names a model: its endings, and the other ways to name one.
// `more` is taken besides.
std::string model_words(bool with_weights, std::string_view more = {});

}  // namespace strata

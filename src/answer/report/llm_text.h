// Figures of language models as people read them.
#pragma once

#include <string>

#include "strata/document/cell.h"
#include "strata/llm/answer.h"

namespace strata {

std::string gib_text(double bytes);                                   // `56.87 GiB`, `281 MiB`
std::string tokens_text(double tokens);                               // `40,960`
std::string range_text(const Estimate& estimate, double factor = 1);  // `650 to 960`
// Seconds turned into how often a second, times `factor`.
Estimate rate_of(const Estimate& seconds, double factor);
std::string seconds_range(const Estimate& seconds);   // `0.10 to 0.14 s`
std::string devices_text(const llm::Answer& answer);  // `one H100`, `8 × H200`

// Facts about the model that stand first in a document.
Members llm_model_facts(const llm::Network& network);

}  // namespace strata

// The frame of every reader: limits in proportion to the file, and one sentence for whatever goes
// wrong.
#pragma once

#include <functional>
#include <string_view>

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata {

// Fills the model. It may fail, or throw torch::Broken; the label stands before either sentence.
using ReadInto = std::function<Status(Model& model, const ReadOptions& limits)>;

Result<Model> model_or_failure(std::string_view bytes, std::string_view label,
                               const ReadOptions& options, const ReadInto& read);

// Calls it, and turns what it throws into a failure.
Status caught(std::string_view label, const std::function<Status()>& read);

}  // namespace strata

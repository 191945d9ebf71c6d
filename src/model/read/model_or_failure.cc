#include "read/model_or_failure.h"

#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "base/formula_scope.h"
#include "read/limits.h"
#include "read/torch/broken.h"

namespace strata {

Status caught(std::string_view label, const std::function<Status()>& read) {
  const auto no_memory = [&] {
    return failure(Code::OutOfMemory, {.file = std::string(label)},
                   fmt::format("{}: there is not enough memory to read it", label));
  };
  try {
    const Status status = read();
    return status ? status : failure_in(label, status);
  } catch (const torch::Broken& broken) {
    return failure(broken.code, {}, fmt::format("{}: {}", label, broken.message));
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::length_error&) {
    return no_memory();
  }
}

Result<Model> model_or_failure(std::string_view bytes, std::string_view label,
                               const ReadOptions& options, const ReadInto& read) {
  const FormulaScope scope(bytes.size(), options.limit);
  Model model;
  model.file_bytes = bytes.size();
  ReadOptions limits = in_proportion(options, bytes.size());
  limits.limit = 1;  // the limits are multiplied by it already
  const Status status = caught(label, [&] { return read(model, limits); });
  if (!status) return failure(status);
  if (scope.is_over_limit()) model.notes.emplace_back(kFormulasOverLimit);
  return model;
}

}  // namespace strata

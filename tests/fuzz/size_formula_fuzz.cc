// Any text, read as a size in PyTorch's notation, gives a formula or nothing, in bounded time.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/formula_scope.h"
#include "read/pt2/size_formula.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const strata::FormulaScope scope(size);
  const strata::Expr formula = strata::pt2::size_formula(text);
  if (formula.text().empty()) std::abort();
  return 0;
}

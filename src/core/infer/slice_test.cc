// Checks the size of a slice of an axis with an open size, at every small size, against counting
// the elements one by one.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ops/example.h"
#include "ops/registry.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

// The size of output 0 along axis 0.
Expr sliced(std::string_view size, int start, int end, int step) {
  const std::string inputs = fmt::format(
      "f32[{}], i64[1]={{{}}}, i64[1]={{{}}}, i64[1]={{0}}, i64[1]={{{}}}", size, start, end, step);
  auto model = example_model(*find_rule("", "Slice", 13), {inputs, "", "f32[?]"});
  if (!model || !infer(*model)) return Expr::unknown();
  const Graph& graph = model->graph();
  const TypeInfo& type = graph.tensors[graph.nodes[0].outputs[0]].type;
  return type.dims.size() == 1 ? type.dims[0] : Expr::unknown();
}

// Follows the definition: negative bounds count from the end, then both are clamped.
int counted(int size, int start, int end, int step) {
  if (start < 0) start += size;
  if (end < 0) end += size;
  start = step > 0 ? std::clamp(start, 0, size) : std::clamp(start, 0, size - 1);
  end = step > 0 ? std::clamp(end, 0, size) : std::clamp(end, -1, size - 1);
  int count = 0;
  for (int at = start; step > 0 ? at < end : at > end; at += step) ++count;
  return count;
}

TEST(Slice, OfAnOpenSizeIsRightAtEverySize) {
  for (const int step : {-3, -2, -1, 1, 2, 3}) {
    for (int start = -7; start <= 7; ++start) {
      for (int end = -7; end <= 7; ++end) {
        const Expr formula = sliced("N", start, end, step);
        for (int size = 1; size <= 6; ++size) {
          const Expr at_size =
              formula.substitute([&](std::string_view) { return std::optional(Expr(size)); });
          ASSERT_EQ(at_size.text(), fmt::format("{}", counted(size, start, end, step)))
              << "N[" << start << ":" << end << ":" << step << "] = " << formula.text()
              << " at N = " << size;
        }
      }
    }
  }
}

TEST(Slice, OfANumberIsRight) {
  for (const int step : {-2, 1, 3}) {
    for (int start = -7; start <= 7; ++start) {
      for (int end = -7; end <= 7; ++end) {
        ASSERT_EQ(sliced("5", start, end, step).text(),
                  fmt::format("{}", counted(5, start, end, step)))
            << start << ":" << end << ":" << step;
      }
    }
  }
}

}  // namespace
}  // namespace strata

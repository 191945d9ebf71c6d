// For any bytes that are an ONNX model, every shape is inferred, every cost counted, every report
// written, and every boundary and cut found, or there is one sentence, in bounded time and memory.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "strata/cost/boundary.h"
#include "strata/cost/cut.h"
#include "strata/profile/profile.h"
#include "strata/read/read.h"
#include "strata/report/report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const strata::ReadOptions limits{
      .max_nodes = 1'000, .max_tensors = 5'000, .max_list_items = 20'000, .max_depth = 8};
  auto model = strata::read_onnx(bytes, "fuzz", limits);
  if (!model) return 0;
  const auto inference = strata::infer(*model);
  if (!inference) {
    if (inference.error().message.empty()) std::abort();
    return 0;
  }
  strata::ProfileOptions options;
  // The last byte chooses among the reports.
  const std::uint8_t choice = size == 0 ? 0 : data[size - 1];
  options.rows.report = static_cast<strata::ReportKind>(choice % 7);
  options.rows.fuse = (choice & 8) != 0;
  options.arena = (choice & 16) != 0;
  options.all_columns = true;
  if ((choice & 32) != 0) options.convention = "rasp";
  const auto profile = strata::make_profile(*model, *inference, options);
  if (!profile) {
    if (profile.error().message.empty()) std::abort();
    return 0;
  }
  if (strata::to_table(*profile).empty() || strata::to_csv(*profile).empty()) std::abort();
  if (strata::profile_to_json(*profile).empty() || strata::to_markdown(*profile).empty())
    std::abort();
  const strata::Costs costs = strata::count(*model);
  const strata::Layers layers = strata::find_layers(*model, costs);
  const strata::Cuts cuts = strata::find_cuts(*model, costs, layers);
  if (strata::find_boundaries(*model, costs, layers).list.empty() || cuts.places.empty())
    std::abort();
  return 0;
}

// ONNX Runtime's profile: a list of events, microseconds. `model_run` is a run, and what is called
// `NODE_kernel_time` a kernel in it; both happen once a run.
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "lint/number.h"
#include "lint/readers.h"
#include "strata/base/text_map.h"

namespace strata::lint {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kDeepest = 8;
constexpr double kMicrosecond = 1e-6;
constexpr std::string_view kKernel = "_kernel_time";
constexpr std::string_view kRun = "model_run";

// `[{"float":[1,32,112,112]},{"int64":[]}]`
std::vector<ClaimShape> shapes_of(const Json& args, const char* key) {
  std::vector<ClaimShape> shapes;
  const auto list = args.find(key);
  if (list == args.end() || !list->is_array()) return shapes;
  for (const Json& tensor : *list) {
    if (!tensor.is_object() || tensor.empty() || !tensor.front().is_array()) return {};
    ClaimShape shape;
    for (const Json& size : tensor.front()) {
      if (!size.is_number_integer() || size.get<std::int64_t>() < 0) return {};
      shape.push_back(size.get<std::int64_t>());
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

// Its time is that of the kernels in it, which are events of their own.
bool has_body(std::string_view type) {
  return type == "If" || type == "Loop" || type == "Scan" || type == "SequenceMap";
}

class ProfileReader {
 public:
  ProfileReader() {
    table_.columns = {
        {.title = "dur", .meaning = Meaning::Seconds, .statistic = Statistic::Mean, .unit = "us"},
        {.title = "runs", .meaning = Meaning::Samples}};
  }

  void event(const Json& item) {
    if (!item.is_object()) return;
    const auto name = item.find("name"), length = item.find("dur");
    if (name == item.end() || !name->is_string() || length == item.end() || !length->is_number())
      return;
    const double seconds = length->get<double>() * kMicrosecond;
    if (!std::isfinite(seconds) || seconds < 0) return;
    std::string text = name->get<std::string>();
    const bool kernel = text.ends_with(kKernel);
    if (!kernel && text != kRun) return;
    if (kernel) text.resize(text.size() - kKernel.size());
    const auto [at, is_new] = rows_.emplace(text, table_.rows.size());
    if (is_new) table_.rows.push_back({.name = text});
    ClaimRow& row = table_.rows[at->second];
    row.samples.push_back(seconds);
    if (!kernel) run_ = at->second;
    const auto args = item.find("args");
    if (!is_new || !kernel || args == item.end() || !args->is_object()) return;
    if (const auto op = args->find("op_name"); op != args->end() && op->is_string())
      row.type = op->get<std::string>();
    row.inputs = shapes_of(*args, "input_type_shape");
    row.outputs = shapes_of(*args, "output_type_shape");
  }

  Result<Claims> finish() {
    if (table_.rows.empty()) return failure("it has no run and no kernel");
    const std::size_t runs = run_ ? table_.rows[*run_].samples.size() : 0;
    for (std::size_t r = 0; r < table_.rows.size(); ++r) {
      ClaimRow& row = table_.rows[r];
      double sum = 0;
      for (double seconds : row.samples) sum += seconds;
      // A kernel in a loop runs several times a run.
      const double count = static_cast<double>(runs > 0 ? runs : row.samples.size());
      // Whole microseconds are written: half of one for each call.
      const double rounding = 0.5 * kMicrosecond * static_cast<double>(row.samples.size()) / count;
      row.numbers = {ClaimNumber{sum / count, rounding}, ClaimNumber{count, 0}};
      if (run_ && r != *run_) row.parent = run_;
      if (has_body(row.type)) row.numbers.front().reset();
    }
    Claims claims;
    claims.tables.push_back(std::move(table_));
    return claims;
  }

 private:
  ClaimTable table_;
  TextMap<std::string, std::size_t> rows_;
  std::optional<std::size_t> run_;
};

}  // namespace

bool looks_like_onnxruntime(std::string_view text) {
  const std::string_view start = text.substr(0, std::size_t{1} << 16);
  return trimmed(start).starts_with('[') &&
         (start.find("_kernel_time") != start.npos || start.find("\"model_run\"") != start.npos ||
          start.find("\"model_loading_") != start.npos);
}

Result<Claims> read_onnxruntime(std::string_view text) {
  const Json json = json_from_text(text, kDeepest);
  if (!json.is_array()) return failure("it is not JSON, or no list");
  ProfileReader reader;
  for (const Json& item : json) reader.event(item);
  return reader.finish();
}

}  // namespace strata::lint

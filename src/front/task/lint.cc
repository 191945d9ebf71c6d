#include "strata/task/lint.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "lint/join.h"
#include "ops/tflite_table.h"
#include "ops/tflm.h"
#include "read/tflite/reader.h"
#include "strata/profile/analysis.h"
#include "strata/profile/rows.h"

namespace strata {

namespace {

Status join(lint::Claims& claims, const ModelRequest& request) {
  const auto loaded = load_model(request);
  if (!loaded) return failure(loaded);
  const auto analysis =
      analyse(loaded->model, loaded->inference, {.device_memory = {}, .limit = request.limit});
  if (!analysis) return failure(analysis);
  const Rows rows = make_rows(*analysis);
  lint::join_costs(claims, rows.list);
  return {};
}

// Names the kernel that TensorFlow Lite for Microcontrollers lacks for a node; empty: none.
std::string lacking(const Graph& graph, const Node& node) {
  if (node.domain != kTflite || !has_tflm_kernel(node.op)) return std::string(node.op);
  for (const TensorId id : node.inputs) {
    const TensorData* data = id == kNone ? nullptr : graph.tensors[id].data;
    if (data == nullptr) continue;
    if (data->dtype == DType::F16) return "DEQUANTIZE of float16 weights";
    if (data->store == TensorData::Store::Sparse) return "DENSIFY of sparse weights";
  }
  return {};
}

// A network that microcontrollers may run claims nothing in numbers, but that its operators have
// kernels.
Result<LintOutcome> lint_tflite(const std::string& path) {
  const auto loaded = load_model({.source = path});
  if (!loaded) return failure(loaded);
  LintOutcome out;
  out.claims.file = path;
  out.claims.format = "tflite";
  lint::ClaimTable& table = out.claims.tables.emplace_back();
  std::map<std::string, std::vector<std::string>> layers;  // by what is lacking
  for (const Graph& graph : loaded->model.graphs)
    for (const Node& node : graph.nodes) {
      table.rows.push_back({.name = std::string(node.name)});
      if (const std::string what = lacking(graph, node); !what.empty())
        layers[what].emplace_back(node.name);
    }
  for (const auto& [what, names] : layers)
    out.findings.push_back(
        {.check = "tflm_kernel",
         .row = names.front(),
         .rows = names,
         .evidence = fmt::format("TFLite Micro has no kernel for {}", what),
         .meaning = "the network does not run on a microcontroller as it is; convert it without "
                    "this operator, or write the kernel"});
  return out;
}

bool is_tflite(const std::string& path) {
  const auto file = MappedFile::open(path);
  return file && tflite::looks_like_model((*file)->bytes());
}

}  // namespace

Result<LintOutcome> run_lint(const LintRequest& request, const Observer&) {
  if (is_tflite(request.file)) return lint_tflite(request.file);
  auto claims = lint::read_claims(request.file);
  if (!claims) return failure(claims);
  if (request.peak_flops_per_s) claims->peak_flops_per_s = request.peak_flops_per_s;
  if (request.peak_bytes_per_s) claims->peak_bytes_per_s = request.peak_bytes_per_s;
  if (request.samples) claims->samples = request.samples;
  if (request.model)
    if (Status status = join(*claims, *request.model); !status) return failure(status);
  auto findings = lint::check(*claims);
  return LintOutcome{std::move(*claims), std::move(findings)};
}

}  // namespace strata

#include "strata/task/lint.h"

#include "lint/join.h"
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

}  // namespace

Result<LintOutcome> run_lint(const LintRequest& request, const Observer&) {
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

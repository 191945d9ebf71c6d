#include "strata/task/diff.h"

#include <fmt/format.h>

#include "task/side.h"

namespace strata {

namespace {

// Models and profiles count layers, benchmarks time variants, sensitivities judge answers, files of
// weights have tensors.
std::string_view matter_of(const compare::Side& side) {
  return side.kind == "model" ? "profile" : std::string_view(side.kind);
}

std::string with_article(const compare::Side& side) {
  return side.kind == "weights" ? "a file of weights" : "a " + side.kind;
}

Status check_comparable(const std::vector<compare::Side>& sides) {
  for (const compare::Side& side : sides)
    if (matter_of(side) != matter_of(sides.front()))
      return failure(
          fmt::format("{} is {} and {} {}: they have nothing in common", sides.front().label,
                      with_article(sides.front()), side.label, with_article(side)),
          ErrorKind::Usage);
  return {};
}

}  // namespace

Result<DiffOutcome> run_diff(const DiffRequest& request, const Observer&) {
  if (request.files.size() < 2) return failure("a comparison needs two files", ErrorKind::Usage);
  const auto limits = compare::parse_limits(request.limits);
  if (!limits) return failure(limits);
  DiffOutcome out;
  std::vector<compare::Side>& sides = out.comparison.sides;
  auto loaded =
      load_sides(request.files, {.model = request.model, .convention = request.convention});
  if (!loaded) return failure(loaded);
  for (LoadedSide& one : *loaded) {
    sides.push_back(std::move(one.side));
    out.bytes += one.bytes;
  }
  if (Status status = check_comparable(sides); !status) return failure(status);
  for (std::size_t i = 1; i < sides.size(); ++i) {
    out.comparison.diffs.push_back(compare::diff_of(sides.front(), sides[i]));
    out.comparison.diffs.back().after = i;
  }
  auto judged = compare::judge_limits(*limits, sides, out.comparison.diffs);
  if (!judged) return failure(judged);
  out.comparison.limits = std::move(*judged);
  return out;
}

}  // namespace strata

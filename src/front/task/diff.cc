#include "strata/task/diff.h"

#include <fmt/format.h>

#include "read/registry.h"
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

// One sentence about two files of the same network with weights of different types; else empty.
std::string same_but_types(const compare::Side& before, const compare::Side& after) {
  const auto total = [](const compare::Side& side, compare::Measure measure) {
    return compare::at(side.totals, measure).number();
  };
  const auto parameters = total(before, compare::Measure::Params);
  const auto was = total(before, compare::Measure::ParamBytes);
  const auto is = total(after, compare::Measure::ParamBytes);
  if (before.kind != "model" || after.kind != "model" || !parameters || *parameters <= 0 || !was ||
      !is || *was == *is || total(after, compare::Measure::Params) != parameters ||
      !total(before, compare::Measure::Macs) ||
      total(before, compare::Measure::Macs) != total(after, compare::Measure::Macs))
    return {};
  return fmt::format("the same network, with {:.2f} bits per weight before and {:.2f} after",
                     *was * 8 / *parameters, *is * 8 / *parameters);
}

bool is_gguf(const Source& source) {
  return source.format() != nullptr && source.format()->name == "GGUF";
}

}  // namespace

Result<DiffOutcome> run_diff(const DiffRequest& request, const Observer&) {
  if (request.files.size() < 2) return failure("a comparison needs two files", ErrorKind::Usage);
  const auto limits = compare::parse_limits(request.limits);
  if (!limits) return failure(limits);
  DiffOutcome out;
  std::vector<compare::Side>& sides = out.comparison.sides;
  auto loaded = load_sides(
      request.files,
      {.model = request.model, .convention = request.convention, .as_stored = request.as_stored});
  if (!loaded) return failure(loaded);
  for (LoadedSide& one : *loaded) {
    sides.push_back(std::move(one.side));
    out.bytes += one.bytes;
  }
  if (Status status = check_comparable(sides); !status) return failure(status);
  for (std::size_t i = 1; i < sides.size(); ++i) {
    out.comparison.diffs.push_back(compare::diff_of(sides.front(), sides[i]));
    compare::Diff& diff = out.comparison.diffs.back();
    diff.after = i;
    if (!is_gguf(request.files.front()) && !is_gguf(request.files[i])) continue;
    diff.same = same_but_types(sides.front(), sides[i]);
  }
  auto judged = compare::judge_limits(*limits, sides, out.comparison.diffs);
  if (!judged) return failure(judged);
  out.comparison.limits = std::move(*judged);
  return out;
}

}  // namespace strata

#include "strata/task/payload.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/formula_scope.h"
#include "report/payload_text.h"

namespace strata {

namespace {

Result<LayerTimes> times_on(const MachineRequest& machine, const PayloadSource& source) {
  if (machine.speed)
    return times_from_speed(source.model, source.costs, source.layers, *machine.speed);
  auto profile = read_profile(machine.profile);
  if (!profile) return failure(profile);
  return times_from_profile(source.model, source.costs, source.layers, *profile, machine.profile);
}

Result<Split> split_of(const SplitRequest& request, const PayloadSource& source) {
  auto edge = times_on(request.edge, source);
  if (!edge) return failure(edge);
  auto server = times_on(request.server, source);
  if (!server) return failure(server);
  return find_split(source.model, source.costs, source.layers, *edge, *server, request.options);
}

// Tensors in a list of every place to cut may be as many as the square of the nodes.
Status check_lists(const PayloadRequest& request, const PayloadOutcome& out) {
  constexpr double kBase = 100e3, kPerByte = 1;
  const double limit =
      (kBase + kPerByte * static_cast<double>(out.loaded.model.file_bytes)) * request.model.limit;
  std::uint64_t listed = out.boundaries ? out.boundaries->tensors.size() : 0;
  if (out.cuts)
    for (const std::uint32_t place : shown_places(*out.cuts, request.all_places))
      listed += out.cuts->places[place].tensors;
  if (static_cast<double>(listed) <= limit) return {};
  return failure(Code::OverLimit, {},
                 fmt::format("{}: the list of what crosses has {} tensors, and the limit for a "
                             "file of its size is {:.0f}",
                             request.model.path, listed, limit));
}

}  // namespace

Result<MachineRequest> parse_machine(const std::string& text) {
  MachineRequest out{.profile = text, .name = text};
  std::error_code error;
  if (std::filesystem::exists(text, error) || text.empty() || text[0] < '0' || text[0] > '9')
    return out;
  const auto speed = parse_machine_speed(text);
  if (!speed) return failure(speed.error().message, ErrorKind::Usage);
  out.speed = *speed;
  return out;
}

std::optional<NamedSplit> PayloadOutcome::named_split() const {
  if (!split) return std::nullopt;
  return NamedSplit{*split, edge, server};
}

Result<PayloadOutcome> run_payload(const PayloadRequest& request, const Observer&) {
  auto loaded = load_model(request.model);
  if (!loaded) return failure(loaded);
  PayloadOutcome out;
  out.loaded = std::move(*loaded);
  const FormulaScope scope(out.loaded.model.file_bytes, request.model.limit);
  out.costs = count(out.loaded.model);
  out.layers = find_layers(out.loaded.model, out.costs);
  if (request.boundaries) out.boundaries = find_boundaries(out.loaded.model, out.costs, out.layers);
  if (request.cuts) out.cuts = find_cuts(out.loaded.model, out.costs, out.layers);
  if (auto status = check_lists(request, out); !status) return failure(status);
  if (request.split) {
    auto split = split_of(*request.split, out.source());
    if (!split) return failure(split);
    out.split = std::move(*split);
    const auto called = [](const MachineRequest& machine) {
      return machine.name.empty() ? machine.profile : machine.name;
    };
    out.edge = called(request.split->edge);
    out.server = called(request.split->server);
  }
  std::vector<std::string>& notes = out.loaded.inference.notes;
  if (scope.is_over_limit() && notes.empty()) notes.emplace_back(kFormulasOverLimit);
  return out;
}

}  // namespace strata

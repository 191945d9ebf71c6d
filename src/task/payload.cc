#include "strata/task/payload.h"

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

}  // namespace

std::optional<NamedSplit> PayloadOutcome::named_split() const {
  if (!split) return std::nullopt;
  return NamedSplit{*split, edge, server};
}

Result<PayloadOutcome> run_payload(const PayloadRequest& request, const Observer&) {
  auto loaded = load_model(request.model);
  if (!loaded) return failure(loaded);
  PayloadOutcome out;
  out.loaded = std::move(*loaded);
  out.costs = count(out.loaded.model);
  out.layers = find_layers(out.loaded.model, out.costs);
  if (request.boundaries) out.boundaries = find_boundaries(out.loaded.model, out.costs, out.layers);
  if (request.cuts) out.cuts = find_cuts(out.loaded.model, out.costs, out.layers);
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
  return out;
}

}  // namespace strata

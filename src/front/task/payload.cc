#include "strata/task/payload.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/formula_scope.h"
#include "base/in_quotes.h"
#include "predict/layer_seconds.h"
#include "report/payload_text.h"

namespace strata {

namespace {

Result<LayerTimes> times_on(const MachineRequest& machine, const PayloadSource& source) {
  if (machine.speed)
    return times_from_speed(source.model, source.costs, source.layers, *machine.speed);
  if (machine.device)
    return times_on_device(source.model, source.costs, source.layers, *machine.device);
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
                             request.model.source.word(), listed, limit));
}

constexpr std::size_t kMaxSplitUnasked = 20'000;  // layers: it takes more than linear time

// Says what the times of the two machines are worth.
std::string how_sure(const MachineRequest& edge, const MachineRequest& server) {
  if (edge.device || server.device)
    return "Not sure: times are predicted; measured profiles of both machines make it so";
  if (edge.speed || server.speed) return "Not sure: few layers reach the stated speeds";
  return "Sure as far as the two profiles are: their times were measured";
}

}  // namespace

Result<double> parse_input_bytes(std::string_view text) {
  if (text == "uint8") return 1;
  constexpr std::string_view kJpeg = "jpeg:";
  if (text.starts_with(kJpeg)) {
    const std::string share(text.substr(kJpeg.size()));
    char* end = nullptr;
    const double value = std::strtod(share.c_str(), &end);
    if (end == share.c_str() + share.size() && !share.empty() && value > 0 && value <= 1)
      return value;
  }
  return failure(fmt::format("{} is no way to send inputs: write uint8, or jpeg:0.1 for a tenth of "
                             "the bytes of uint8",
                             in_quotes(text)),
                 ErrorKind::Usage);
}

Result<MachineRequest> parse_machine(const std::string& text) {
  MachineRequest out{.profile = text, .name = text};
  std::error_code error;
  if (std::filesystem::exists(text, error) || text.empty()) return out;
  if (text[0] < '0' || text[0] > '9') {
    auto device = find_device(text);
    // A name without a dot or a slash is not a file that is missing.
    if (!device && text.find_first_of("./") == text.npos) return failure(device);
    if (device) out.device = std::move(*device);
    return out;
  }
  const auto speed = parse_machine_speed(text);
  if (!speed) return failure(speed.error().message, ErrorKind::Usage);
  out.speed = *speed;
  return out;
}

std::optional<NamedSplit> PayloadOutcome::named_split() const {
  if (!split) return std::nullopt;
  return NamedSplit{*split, edge, server, how_sure};
}

Result<PayloadOutcome> run_payload(const PayloadRequest& request, const Observer&) {
  auto loaded = load_model(request.model);
  if (!loaded) return failure(loaded);
  PayloadOutcome out;
  out.loaded = std::move(*loaded);
  const FormulaScope scope(out.loaded.model.file_bytes, request.model.limit);
  out.costs = count(out.loaded.model, {.as_stored = request.as_stored});
  out.layers = find_layers(out.loaded.model, out.costs);
  if (request.boundaries) out.boundaries = find_boundaries(out.loaded.model, out.costs, out.layers);
  if (request.cuts) out.cuts = find_cuts(out.loaded.model, out.costs, out.layers);
  if (auto status = check_lists(request, out); !status) return failure(status);
  if (request.split && request.may_lack_split && out.layers.list.size() > kMaxSplitUnasked) {
    out.why_no_split = "the network has too many layers to look for a split unasked";
  } else if (request.split) {
    auto split = split_of(*request.split, out.source());
    if (!split && !request.may_lack_split) return failure(split);
    if (split)
      out.split = std::move(*split);
    else
      out.why_no_split = split.error().message;
    out.how_sure = how_sure(request.split->edge, request.split->server);
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

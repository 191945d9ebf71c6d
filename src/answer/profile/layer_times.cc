// The time of each layer on a machine.
#include <algorithm>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quantity.h"
#include "profile/open_sizes.h"
#include "strata/profile/split.h"

namespace strata {

namespace {

constexpr std::size_t kShown = 3;  // of the layers that do not match

bool computes(const Costs& costs, const Layers& layers, const Layer& layer) {
  const auto nodes = layers.nodes_of(layer);
  return std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t node) {
    return !costs.nodes[node].cost->view && !costs.nodes[node].cost->folded;
  });
}

struct ProfileColumns {
  std::optional<std::size_t> layer, call, calls, time, in_kernel_of;
};

ProfileColumns find_columns(const Profile& profile) {
  ProfileColumns found;
  for (std::size_t c = 0; c < profile.columns.size(); ++c) {
    const Column& column = profile.columns[c];
    if (column.name == "layer" && column.unit == Unit::Text) found.layer = c;
    if (column.name == "call" && column.unit == Unit::Count) found.call = c;
    if (column.name == "calls" && column.unit == Unit::Count) found.calls = c;
    if (column.name == "time" && column.unit == Unit::Seconds) found.time = c;
    if (column.name == "in_kernel_of" && column.unit == Unit::Text) found.in_kernel_of = c;
  }
  return found;
}

std::optional<double> number_in(const Cell& cell) {
  if (const auto* real = std::get_if<double>(&cell.value)) return *real;
  if (const auto* exact = std::get_if<Expr>(&cell.value); exact != nullptr && exact->is_number())
    return static_cast<double>(exact->value());
  return std::nullopt;
}

std::string call_name(const std::string& layer, std::int64_t call) {
  return call == 0 ? layer : fmt::format("{}#{}", layer, call + 1);
}

std::string list_of(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kShown);
  std::string text = fmt::format("{}", fmt::join(std::span(names).first(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// Rows that stand for one call each, by layer and call, which is counted from 0 here. Operations
// may share a name: theirs are taken in order.
using TimesByCall = std::map<std::pair<std::string, std::int64_t>, std::vector<double>>;

Result<TimesByCall> times_by_call(const Profile& profile, std::string_view label) {
  const ProfileColumns columns = find_columns(profile);
  if (!columns.time) return failure(Code::NoTimes, {.file = std::string(label)});
  if (profile.report != ReportKind::Tape || !columns.layer || !columns.call)
    return failure(Code::NoCalls, {.file = std::string(label)});
  TimesByCall times;
  for (const ProfileRow& row : profile.rows) {
    // Work beside the layers (changes of layout, the engine itself) belongs to no call.
    if (columns.calls && number_in(row.cells[*columns.calls]) == 0) continue;
    const auto* layer = std::get_if<std::string>(&row.cells[*columns.layer].value);
    const auto call = number_in(row.cells[*columns.call]);
    if (layer == nullptr || !call)
      return failure(fmt::format("profile {} has a row without a layer and a call", label));
    auto seconds = number_in(row.cells[*columns.time]);
    // Its work is part of another row's time, or is not done at all.
    if (!seconds && columns.in_kernel_of) {
      const auto* instead = std::get_if<std::string>(&row.cells[*columns.in_kernel_of].value);
      if (instead != nullptr && !instead->empty()) seconds = 0;
    }
    if (!seconds || !(*seconds >= 0) || *seconds > kLongestSeconds)
      return failure(fmt::format("profile {}: {} has no time that can be used", label,
                                 call_name(*layer, static_cast<std::int64_t>(*call) - 1)));
    times[{*layer, static_cast<std::int64_t>(*call) - 1}].push_back(*seconds);
  }
  for (auto& [call, seconds] : times) std::reverse(seconds.begin(), seconds.end());
  return times;
}

}  // namespace

Result<MachineSpeed> parse_machine_speed(std::string_view text) {
  MachineSpeed speed;
  const std::size_t comma = std::min(text.find(','), text.size());
  auto flops = parse_quantity(text.substr(0, comma), Quantity::FlopsPerSecond);
  if (!flops) return failure(flops);
  speed.flops_per_second = *flops;
  if (comma == text.size()) return speed;
  auto bytes = parse_quantity(text.substr(comma + 1), Quantity::BytesPerSecond);
  if (!bytes) return failure(bytes);
  speed.bytes_per_second = *bytes;
  return speed;
}

Result<LayerTimes> times_from_speed(const Model& model, const Costs& costs, const Layers& layers,
                                    const MachineSpeed& speed) {
  LayerTimes times;
  OpenSizes open;
  std::vector<std::string> uncounted;
  for (const Layer& layer : layers.list) {
    double flops = 0, moved = 0;
    bool is_counted = true;
    const auto add = [&](double& sum, const Expr& amount) {
      // Amounts that nobody can tell are left out.
      if (OpenSizes::has_number(amount) || OpenSizes::depends_on_inputs(model.graph(), amount))
        sum += open.number(amount);
      else
        is_counted = false;
    };
    for (std::uint32_t index : layers.nodes_of(layer)) {
      const Executed& node = costs.nodes[index];
      if (node.times.is(0)) continue;
      is_counted = is_counted && node.cost->certainty == Certainty::Exact;
      if (node.cost->certainty != Certainty::Unknown) add(flops, node.cost->flops() * node.times);
      if (!speed.bytes_per_second) continue;
      is_counted = is_counted && node.cost->bytes_certainty == Certainty::Exact;
      if (node.cost->bytes_certainty != Certainty::Unknown)
        add(moved, (node.cost->read_bytes + node.cost->write_bytes) * node.times);
    }
    if (!is_counted) uncounted.push_back(layer_path(model, costs, layer));
    times.seconds.push_back(
        std::max(flops / speed.flops_per_second, moved / speed.bytes_per_second.value_or(1)));
  }
  if (auto status = open.status("the work of its layers"); !status) return failure(status);
  open.add_note(times.notes);
  if (!uncounted.empty())
    times.notes.push_back(
        fmt::format("not all work of {} layer{} could be counted, so times are at least what is "
                    "shown: {}",
                    uncounted.size(), uncounted.size() == 1 ? "" : "s", list_of(uncounted)));
  return times;
}

Result<LayerTimes> times_from_profile(const Model& model, const Costs& costs, const Layers& layers,
                                      const Profile& profile, std::string_view label) {
  auto times = times_by_call(profile, label);
  if (!times) return failure(times);
  LayerTimes result;
  std::vector<std::string> missing;
  for (const Layer& layer : layers.list) {
    const std::string path = layer_path(model, costs, layer);
    const auto found = times->find({path, layer.call});
    const bool is_there = found != times->end() && !found->second.empty();
    result.seconds.push_back(is_there ? found->second.back() : 0);
    if (is_there)
      found->second.pop_back();
    else if (computes(costs, layers, layer))
      missing.push_back(call_name(path, layer.call));
  }
  std::vector<std::string> left_over;
  for (const auto& [call, seconds] : *times)
    for (std::size_t i = 0; i < seconds.size(); ++i)
      left_over.push_back(call_name(call.first, call.second));
  if (missing.empty() && left_over.empty()) return result;
  std::string message = fmt::format("profile {} is of another network:", label);
  if (!missing.empty())
    message += fmt::format(" {} layer{} of the model {} not in it ({})", missing.size(),
                           missing.size() == 1 ? "" : "s", missing.size() == 1 ? "is" : "are",
                           list_of(missing));
  if (!left_over.empty())
    message +=
        fmt::format("{} {} of its rows {} not in the model ({})", missing.empty() ? "" : ", and",
                    left_over.size(), left_over.size() == 1 ? "is" : "are", list_of(left_over));
  return failure(message);
}

}  // namespace strata

#include "measure/trtexec.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "strata/base/number_text.h"
#include "strata/base/text_map.h"
#include "strata/engine/engine.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kDeepestExport = 8;
constexpr std::size_t kMaxKernels = 1'000'000;

// Nodes of the network by the names that TensorRT's parser gives to its layers.
class ParserNames {
 public:
  explicit ParserNames(const Model& model) : keys_(node_keys(model)) {
    const Graph& graph = model.graph();
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      const Node node = graph.nodes[i];
      if (!node.name.empty()) nodes_.emplace(node.name, i);
      for (const TensorId id : node.outputs)
        if (id != kNone && node.name.empty())
          nodes_.emplace(fmt::format("node_of_{}", graph.tensors[id].name), i);
      // A range may begin with the name of a weight.
      for (const TensorId id : node.inputs)
        if (id != kNone && graph.tensors[id].role == Role::Initializer)
          readers_.emplace(graph.tensors[id].name, i);
    }
  }

  std::optional<std::uint32_t> node(std::string_view name) const { return found(nodes_, name); }
  std::optional<std::uint32_t> node_or_reader(std::string_view name) const {
    const auto own = node(name);
    return own ? own : found(readers_, name);
  }
  const std::string& key(std::uint32_t node) const { return keys_[node]; }

 private:
  using Numbers = TextMap<std::string, std::uint32_t>;
  static std::optional<std::uint32_t> found(const Numbers& numbers, std::string_view name) {
    const auto at = numbers.find(name);
    return at == numbers.end() ? std::nullopt : std::optional(at->second);
  }
  std::vector<std::string> keys_;  // the network's own nodes come first
  Numbers nodes_, readers_;
};

// Splits a text at one of these separators, outside of brackets.
std::vector<std::string_view> split_outside(std::string_view text,
                                            std::initializer_list<std::string_view> separators) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
    if (depth > 0) continue;
    for (const std::string_view separator : separators)
      if (text.substr(i).starts_with(separator)) {
        parts.push_back(text.substr(start, i - start));
        start = i + separator.size();
        i = start - 1;
        break;
      }
  }
  parts.push_back(text.substr(start));
  return parts;
}

struct KernelNodes {
  std::vector<std::uint32_t> nodes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;  // first and last node
};

// The nodes that the name of a kernel names.
void read_kernel_name(std::string_view name, const ParserNames& names, KernelNodes& out,
                      int depth = 0) {
  constexpr int kDeepestName = 32;
  if (depth > kDeepestName) return;
  const auto parts = split_outside(name, {" + ", " || ", ", "});
  if (parts.size() > 1) {
    for (const std::string_view part : parts) read_kernel_name(part, names, out, depth + 1);
    return;
  }
  constexpr std::string_view kPointwise = "PWN(", kForeign = "{ForeignNode[", kDots = "...";
  if (const auto node = names.node(name)) {
    out.nodes.push_back(*node);
  } else if (name.starts_with(kPointwise) && name.ends_with(')')) {
    name.remove_prefix(kPointwise.size());
    name.remove_suffix(1);
    read_kernel_name(name, names, out, depth + 1);
  } else if (name.starts_with(kForeign) && name.ends_with("]}")) {
    name.remove_prefix(kForeign.size());
    name.remove_suffix(2);
    const std::size_t dots = name.find(kDots);
    const auto first = names.node_or_reader(name.substr(0, dots));
    const auto last =
        dots == name.npos ? first : names.node_or_reader(name.substr(dots + kDots.size()));
    if (first && last) out.ranges.emplace_back(std::min(*first, *last), std::max(*first, *last));
  }
}

// `[ONNX Layer: a]` and `[ONNX Layer: b]`, whatever stands between them.
void read_metadata(std::string_view text, const ParserNames& names, KernelNodes& out) {
  constexpr std::string_view kStart = "[ONNX Layer: ";
  for (std::size_t at = 0; (at = text.find(kStart, at)) != text.npos;) {
    at += kStart.size();
    const std::size_t next = text.find(kStart, at);
    std::string_view name = text.substr(at, next == text.npos ? next : next - at);
    name = name.substr(0, name.rfind(']'));
    if (const auto node = names.node(name)) out.nodes.push_back(*node);
  }
}

std::string text_at(const Json& item, const char* key) {
  const auto found = item.find(key);
  return found != item.end() && found->is_string() ? found->get<std::string>() : "";
}
double number_at(const Json& item, const char* key) {
  const auto found = item.find(key);
  return found != item.end() && found->is_number() ? found->get<double>() : -1;
}

TextMap<std::string, std::string> metadata_of(const Json& json) {
  TextMap<std::string, std::string> all;
  const auto layers = json.is_object() ? json.find("Layers") : json.end();
  if (!json.is_object() || layers == json.end()) return all;
  for (const Json& layer : *layers)
    if (layer.is_object()) all.emplace(text_at(layer, "Name"), text_at(layer, "Metadata"));
  return all;
}

constexpr std::string_view kReformat = "Reformatting CopyNode for ";
constexpr std::string_view kReformatOp = "Reformat";

// Kernels in the order of the profile, with their nodes.
class Assignment {
 public:
  Assignment(const Model& model, const Json& layers)
      : names_(model), metadata_(metadata_of(layers)), taken_(model.graph().nodes.size(), false) {}

  void add(std::string name, double seconds) {
    KernelTimes times;
    KernelNodes nodes;
    times.kernel.name = std::move(name);
    const std::string_view text = times.kernel.name;
    times.kernel.op = text.starts_with(kReformat) ? kReformatOp : "";
    if (times.kernel.op.empty()) {
      const auto stated = metadata_.find(text);
      if (stated != metadata_.end()) read_metadata(stated->second, names_, nodes);
      if (nodes.nodes.empty()) read_kernel_name(text, names_, nodes);
    }
    times.kernel.start_ns = static_cast<std::int64_t>(kernels_.size());
    times.seconds = {seconds};
    for (const std::uint32_t node : nodes.nodes) taken_[node] = true;
    kernels_.push_back(std::move(times));
    nodes_.push_back(std::move(nodes));
  }

  // A range takes the nodes between its ends that no other kernel names.
  std::vector<KernelTimes> finish() {
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      std::vector<std::uint32_t>& nodes = nodes_[i].nodes;
      for (const auto& [first, last] : nodes_[i].ranges)
        for (std::uint32_t node = first; node <= last; ++node)
          if (!taken_[node]) taken_[node] = true, nodes.push_back(node);
      ranges += nodes_[i].ranges.empty() ? 0 : 1;
      std::sort(nodes.begin(), nodes.end());
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      for (const std::uint32_t node : nodes) kernels_[i].kernel.sources.push_back(names_.key(node));
    }
    return std::move(kernels_);
  }

  int ranges = 0;  // kernels that name only the ends of a range

 private:
  const ParserNames names_;
  const TextMap<std::string, std::string> metadata_;
  std::vector<bool> taken_;
  std::vector<KernelTimes> kernels_;
  std::vector<KernelNodes> nodes_;
};

std::string kernels_text(std::size_t count) {
  return fmt::format("{} kernel{}", count, count == 1 ? "" : "s");
}

void add_notes(const Assignment& assignment, double runs, TrtexecTiming& out) {
  double all = 0, lost = 0, reformatting = 0;
  std::size_t without = 0, reformats = 0, assigned = 0;
  for (const KernelTimes& times : out.timing.kernels) {
    const double seconds = times.seconds[0];
    all += seconds;
    if (!times.kernel.sources.empty())
      ++assigned;
    else if (times.kernel.op == kReformatOp)
      ++reformats, reformatting += seconds;
    else
      ++without, lost += seconds;
  }
  const auto share = [&](double seconds) { return all > 0 ? 100 * seconds / all : 0; };
  out.notes.push_back(fmt::format(
      "TensorRT: {} {} nodes of this file; times are averages{}", kernels_text(assigned),
      assigned == 1 ? "runs" : "run",
      runs > 0 ? fmt::format(" of {} runs", grouped(static_cast<std::int64_t>(runs))) : ""));
  if (without > 0)
    out.notes.push_back(fmt::format(
        "{} with {:.1f} % of the time could not be assigned, since no node has {} name; trtexec's "
        "export of layers, of an engine built with detailed profiling verbosity, says more",
        kernels_text(without), share(lost), without == 1 ? "its" : "their"));
  if (reformats > 0)
    out.notes.push_back(
        fmt::format("{} with {:.1f} % of the time only change the layout of tensors",
                    kernels_text(reformats), share(reformatting)));
  if (assignment.ranges > 0)
    out.notes.push_back(fmt::format(
        "{} name{} only the first and the last of many nodes; the nodes between them in the file "
        "count as theirs",
        kernels_text(static_cast<std::size_t>(assignment.ranges)),
        assignment.ranges == 1 ? "s" : ""));
}

}  // namespace

bool looks_like_trtexec_profile(std::string_view text) {
  const std::string_view start = text.substr(0, 65536);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  return first != start.npos && start[first] == '[' && start.find("\"averageMs\"") != start.npos;
}

bool looks_like_trtexec_layers(std::string_view text) {
  const std::string_view start = text.substr(0, 4096);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  return first != start.npos && start[first] == '{' && start.find("\"Layers\"") != start.npos;
}

Result<TrtexecTiming> read_trtexec_timing(std::string_view profile, std::string_view layers,
                                          const Model& model) {
  const Json json = json_from_text(profile, kDeepestExport);
  if (!json.is_array())
    return failure("it is not a profile of trtexec: it is not JSON, or no list");
  Json others;
  if (!layers.empty()) others = json_from_text(layers, kDeepestExport);
  if (!layers.empty() && !others.is_object())
    return failure(
        "the other file is not an export of layers: it is not JSON, or has no \"Layers\"");
  Assignment assignment(model, others);
  double runs = -1, total = 0;
  std::size_t kernels = 0;
  for (const Json& item : json) {
    if (!item.is_object()) continue;
    if (const double count = number_at(item, "count"); count > 0 && count < 1e15) runs = count;
    std::string name = text_at(item, "name");
    const double milliseconds = number_at(item, "averageMs");
    if (name.empty() || !std::isfinite(milliseconds) || milliseconds < 0) continue;
    if (++kernels > kMaxKernels)
      return failure(fmt::format("it has more than {} kernels", kMaxKernels));
    total += milliseconds * 1e-3;
    assignment.add(std::move(name), milliseconds * 1e-3);
  }
  if (kernels == 0) return failure("it has no kernel with a name and its averageMs");
  TrtexecTiming out;
  Timing& timing = out.timing;
  timing.kernels = assignment.finish();
  timing.open_seconds = timing.first_seconds = -1;  // it says nothing about these
  timing.contention.cpu_seconds = -1;
  timing.contention.involuntary = -1;
  timing.runs = timing.recorded = {total};
  timing.sessions = timing.recorded_sessions = {1};
  timing.center.value = total;
  timing.center.withheld = "trtexec states averages, and not the times of runs";
  add_notes(assignment, runs, out);
  return out;
}

}  // namespace strata

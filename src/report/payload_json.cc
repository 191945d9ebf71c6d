// Keys are documented in docs/json-schema.md and change only with its schema.
#include <nlohmann/json.hpp>

#include "profile/hash.h"
#include "report/payload_text.h"
#include "report/split_curve.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

// A number where it is one; else the formula, and its upper bound if it has one.
Json bytes_json(const Expr& bytes) {
  if (bytes.is_unknown()) return nullptr;
  if (bytes.is_number()) return bytes.value();
  Json out{{"formula", bytes.text()}};
  if (const auto bound = upper_bound(bytes)) out["at_most"] = *bound;
  return out;
}

Json tensor_json(const Tensor& tensor) {
  return {{"tensor", tensor.name},
          {"dtype", name(tensor.type.dtype)},
          {"shape", tensor.type.ranked ? text(tensor.type.dims) : "?"},
          {"bytes", bytes_json(tensor_bytes(tensor.type))}};
}

class Writer {
 public:
  explicit Writer(const PayloadSource& source) : source_(source) {}

  Json boundaries(const Boundaries& found, const PayloadOptions& options) const {
    Json list = Json::array();
    for (const Boundary& boundary : found.list) {
      if (!is_shown(boundary, options)) continue;
      const Scope& scope = source_.model.scopes[boundary.scope];
      Json inputs = Json::array(), outputs = Json::array();
      for (const auto& tensor : found.inputs_of(boundary))
        inputs.push_back(tensor_json(tensor.get()));
      for (const auto& tensor : found.outputs_of(boundary))
        outputs.push_back(tensor_json(tensor.get()));
      list.push_back(
          {{"layer", boundary.scope == 0 && !boundary.is_operation
                         ? std::string()
                         : boundary_name(source_, boundary)},
           {"call", scope.call},
           {"type", boundary.layer == kNone ? std::string(scope.cls)
                                            : layer_type(source_.model, source_.costs,
                                                         source_.layers.list[boundary.layer])},
           {"kind", kind_name(boundary)},
           {"depth", boundary.depth},
           {"inputs", inputs},
           {"input_bytes", bytes_json(bytes_of(found.inputs_of(boundary)))},
           {"outputs", outputs},
           {"output_bytes", bytes_json(bytes_of(found.outputs_of(boundary)))}});
    }
    return list;
  }

  Json cuts(const Cuts& found, const PayloadOptions& options) const {
    const auto places = shown_places(found, options.all);
    const auto sets = crossing(found, places);
    Json list = Json::array();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const CutPlace& place = found.places[places[i]];
      Json tensors = Json::array();
      for (std::uint32_t t : sets[i])
        tensors.push_back(shipped_json(found.tensors[t].tensor, found.tensors[t].layer,
                                       all_bytes(found.tensors[t].bytes, false)));
      Json out = layer_json(place.layer);
      out["minimum"] = place.is_minimum;
      out["least_so_far"] = place.is_least_so_far;
      out["bytes"] = all_bytes(place.bytes, place.unknown > 0);
      out["tensors"] = tensors;
      list.push_back(std::move(out));
    }
    return list;
  }

  Json split(const NamedSplit& named) const {
    const Split& split = named.split;
    const SplitOptions& options = split.options;
    Json pieces = Json::array(), curve = Json::array();
    for (std::size_t i = split.pieces.size(); i-- > 0;)
      pieces.push_back({{"from_bytes_per_second", 1 / split.pieces[i].to},
                        {"to_bytes_per_second", 1 / split.pieces[i].from},
                        {"choice", describe_choice(split, split.pieces[i].best)}});
    for (const CurvePoint& point : split_curve(split)) {
      const double link = point.link_bytes_per_second;
      curve.push_back({{"link_bytes_per_second", link},
                       {"best_seconds", point.best_seconds},
                       {"all_edge_seconds", split.latency(split.all_edge, link)},
                       {"all_server_seconds", split.latency(split.all_server, link)},
                       {"choice", describe_choice(split, split.pieces[point.piece].best)}});
    }
    Json best = choice(split, split.best);
    best["edge_layers"] = Json::array();
    for (std::size_t s = 0; s < split.flow.steps.size(); ++s)
      if (split.best.on_edge[s] && split.flow.steps[s].computes)
        best["edge_layers"].push_back(layer_json(split.flow.steps[s].layer));
    return {{"edge", named.edge},
            {"server", named.server},
            {"link_bytes_per_second", options.link_bytes_per_second},
            {"round_trip_seconds", options.round_trip_seconds},
            {"precision", name(options.precision)},
            {"returns_results", options.returns_results},
            {"pays", !split.best.is_all_edge() && !split.best.is_all_server()},
            {"best", best},
            {"all_edge", choice(split, split.all_edge)},
            {"all_server", choice(split, split.all_server)},
            {"by_link", pieces},
            {"curve", curve},
            {"notes", split.notes}};
  }

 private:
  // Path and call; nulls for the network's inputs.
  Json layer_json(std::uint32_t layer) const {
    if (layer == kNone) return {{"layer", nullptr}, {"call", nullptr}};
    const Layer& facts = source_.layers.list[layer];
    return {{"layer", layer_path(source_.model, source_.costs, facts)}, {"call", facts.call}};
  }

  Json shipped_json(TensorId id, std::uint32_t layer, Json bytes) const {
    Json out = tensor_json(source_.model.graph().tensors[id]);
    out["bytes"] = std::move(bytes);
    const Json maker = layer_json(layer);
    out["layer"] = maker["layer"];
    out["call"] = maker["call"];
    return out;
  }

  static Json all_bytes(const ShippedBytes& bytes, bool lower_bound) {
    Json out = Json::object();
    for (std::size_t p = 0; p < kPrecisions; ++p) {
      Json number = bytes_json(bytes[p]);
      if (lower_bound) number = Json{{"at_least", number}};
      out[std::string(name(static_cast<Precision>(p)))] = number;
    }
    return out;
  }

  std::string describe_choice(const Split& split, const Partition& partition) const {
    return describe(source_.model, source_.costs, source_.layers, split, partition);
  }

  Json choice(const Split& split, const Partition& partition) const {
    const double link = split.options.link_bytes_per_second;
    Json tensors = Json::array();
    for (std::uint32_t t : partition.shipped) {
      const Buffer& buffer = split.flow.buffers[t];
      const std::uint32_t layer =
          buffer.maker == kNone ? kNone : split.flow.steps[buffer.maker].layer;
      tensors.push_back(shipped_json(buffer.tensor, layer,
                                     static_cast<std::int64_t>(split.problem.tensors[t].bytes)));
    }
    return {{"choice", describe_choice(split, partition)},
            {"seconds", split.latency(partition, link)},
            {"edge_seconds", partition.edge_seconds},
            {"up_seconds", partition.up_bytes / link},
            {"server_seconds", partition.server_seconds},
            {"down_seconds", partition.down_bytes / link},
            {"round_trip_seconds", partition.round_trip_seconds},
            {"up_bytes", static_cast<std::int64_t>(partition.up_bytes)},
            {"down_bytes", static_cast<std::int64_t>(partition.down_bytes)},
            {"tensors", tensors}};
  }

  const PayloadSource& source_;
};

}  // namespace

std::string payload_to_json(const PayloadSource& source, const Boundaries* boundaries,
                            const Cuts* cuts, const NamedSplit* split,
                            const PayloadOptions& options) {
  const Writer writer(source);
  Json out;
  out["schema"] = Profile::kSchema;
  out["tool"] = "strata " STRATA_VERSION;
  out["model"] = {{"path", source.model.path}, {"graph_hash", graph_hash(source.model)}};
  if (boundaries != nullptr) out["boundaries"] = writer.boundaries(*boundaries, options);
  if (cuts != nullptr) out["cuts"] = writer.cuts(*cuts, options);
  if (split != nullptr) out["split"] = writer.split(*split);
  out["symbols"] = Json::array();
  for (const auto& symbol : source.inference.symbols)
    out["symbols"].push_back(
        {{"name", symbol.name}, {"origin", symbol.origin}, {"needs_data", symbol.needs_data}});
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata

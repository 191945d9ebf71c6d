#include "read/pt2/weights.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/torch/unread.h"

namespace strata::pt2 {

namespace {

// A TensorMeta; false for a tensor without memory. All of those have the same file, an empty one.
bool read_offset(JsonText& json, std::int64_t& offset) {
  bool is_stored = true;
  for (JsonObject member(json); member.next();) {
    if (member.key() == "device") {
      for (JsonObject part(json); part.next();) {
        if (part.key() == "type")
          is_stored = json.string() != "meta";
        else
          json.skip();
      }
    } else if (member.key() == "storage_offset") {
      read_union(json, [&](std::string_view kind) {
        if (kind == "as_int") offset = json.integer();
        return kind == "as_int";
      });
    } else {
      json.skip();
    }
  }
  return is_stored;
}

// {"path_name": "weight_3", "is_param": true, "tensor_meta": {…}, …}; `meta` is the text of the
// last.
WeightPlaces::Place read_place(JsonText& json, std::string_view& meta) {
  WeightPlaces::Place place;
  for (JsonObject member(json); member.next();) {
    if (member.key() == "path_name")
      place.file = json.string();
    else if (member.key() == "tensor_meta")
      meta = json.skip();
    else
      json.skip();
  }
  return place;
}

// True for each tensor that a node reads, also one in a body.
std::vector<bool> read_tensors(const Model& model) {
  const Graph& network = model.graph();
  std::vector<bool> read(network.tensors.size());
  // Bodies follow the graphs around them, so that from the last one on, all readers are known.
  std::map<const Graph*, std::vector<bool>> inside;
  for (auto graph = model.graphs.rbegin(); graph != model.graphs.rend(); ++graph) {
    std::vector<bool>& own = &*graph == &network ? read : inside[&*graph];
    own.resize(graph->tensors.size());
    for (const Node& node : graph->nodes)
      for (const TensorId id : node.inputs)
        if (id != kNone) own[id] = true;
    for (const TensorId id : graph->outputs) own[id] = true;
    if (graph->parent == nullptr) continue;
    std::vector<bool>& outer = graph->parent == &network ? read : inside[graph->parent];
    outer.resize(graph->parent->tensors.size());
    for (TensorId id = 0; id < graph->tensors.size(); ++id)
      if (const Tensor& tensor = graph->tensors[id];
          tensor.role == Role::Captured && own[id] && tensor.outer != kNone)
        outer[tensor.outer] = true;
  }
  return read;
}

}  // namespace

void WeightPlaces::read(Loading& loading, JsonText& json) {
  known_ = true;
  const std::size_t first = places_.size();
  std::vector<std::string_view> metas;  // by place, from the first on
  NameTable files;                      // how many weights each has
  for (JsonObject member(json); member.next();) {
    if (member.key() != "config") {
      json.skip();
      continue;
    }
    for (JsonObject entry(json); entry.next();) {
      loading.count_entry();
      numbers_.insert(entry.key(), static_cast<std::uint32_t>(places_.size()));
      places_.push_back(read_place(json, metas.emplace_back()));
      const auto file = files.insert(places_.back().file, 1);
      if (!file.is_new) ++files.value(file.number);
    }
  }
  // Where a weight begins matters only in a file that has others, too.
  for (std::size_t i = 0; i < metas.size(); ++i) {
    Place& place = places_[first + i];
    if (metas[i].empty() || *files.find(place.file) == 1) continue;
    JsonText meta = json.at(metas[i]);
    if (!read_offset(meta, place.offset)) place = {};
  }
}

WeightPlaces::Place WeightPlaces::place_of(std::string_view name) const {
  const std::uint32_t* number = numbers_.find(name);
  return number == nullptr ? Place() : places_[*number];
}

void Signature::read(Loading& loading, JsonText& json) {
  // The name of the stored tensor is in a member that is called after its kind.
  const auto read_spec = [&](std::string_view name_of, Learned learned) {
    loading.count_entry();
    Stored spec{{}, {}, learned};
    for (JsonObject member(json); member.next();) {
      if (member.key() == "arg") {
        for (JsonObject argument(json); argument.next();) {
          if (argument.key() == "name")
            spec.argument = json.string();
          else
            json.skip();
        }
      } else if (member.key() == name_of) {
        spec.name = json.string();
      } else {
        json.skip();
      }
    }
    stored_.push_back(spec);
  };
  for (JsonObject part(json); part.next();) {
    if (part.key() != "input_specs") {
      json.skip();
      continue;
    }
    for (JsonArray item(json); item.next();)
      read_union(json, [&](std::string_view kind) {
        if (kind == "parameter")
          read_spec("parameter_name", Learned::Yes);
        else if (kind == "buffer")
          read_spec("buffer_name", Learned::No);
        else if (kind == "tensor_constant")
          read_spec("tensor_constant_name", Learned::No);
        else
          return false;
        return true;
      });
  }
}

void Signature::apply(GraphReader& network, const WeightPlaces& places) const {
  Model& model = network.loading().model;
  Graph& graph = network.graph();
  // Tensors that are the same memory, seen in the same way, are one.
  std::map<std::pair<WeightPlaces::Place, std::vector<std::int64_t>>, const TensorData*> by_place;
  std::vector<TensorId> parameters;
  for (const Stored& spec : stored_) {
    const TensorId id = network.find(spec.argument);
    if (id == kNone || graph.tensors[id].role != Role::Input) continue;
    Tensor& tensor = graph.tensors[id];
    tensor.role = Role::Initializer;
    if (!spec.name.empty()) tensor.name = spec.name;
    std::vector<std::int64_t> dims;
    for (const Expr& size : tensor.type->dims) {
      if (!size.is_number() || size.value() < 0)
        throw Broken{fmt::format("the stored tensor {} has a size that is not a number",
                                 in_quotes(tensor.name))};
      dims.push_back(size.value());
    }
    const WeightPlaces::Place place = places.place_of(tensor.name);
    const TensorData** shared = place.file.empty() ? nullptr : &by_place[{place, dims}];
    if (shared != nullptr && *shared != nullptr && (*shared)->dtype == tensor.type->dtype) {
      tensor.data = *shared;
    } else {
      TensorData& data = model.stored.emplace_back();
      data.name = tensor.name;
      data.dtype = tensor.type->dtype;
      data.learned = spec.learned;
      data.dims = model.keep(std::span<const std::int64_t>(dims));
      tensor.data = &data;
      if (shared != nullptr) *shared = &data;
    }
    if (spec.learned == Learned::Yes) parameters.push_back(id);
  }
  std::erase_if(graph.inputs, [&](TensorId id) { return graph.tensors[id].role != Role::Input; });

  const std::vector<bool> read = read_tensors(model);
  std::vector<const TensorData*> counted;
  for (const TensorId id : parameters)
    if (read[id]) counted.push_back(graph.tensors[id].data);
  std::sort(counted.begin(), counted.end());
  // Older archives do not say which weights are the same. PyTorch's graphs read only one of them.
  const auto form_of = [](const TensorData& data) {
    return std::pair(data.dtype, std::vector<std::int64_t>(data.dims.begin(), data.dims.end()));
  };
  std::set<std::pair<DType, std::vector<std::int64_t>>> forms;
  for (const TensorData* data : counted)
    if (!places.known() && data->dims.size() > 1) forms.insert(form_of(*data));
  std::vector<TensorId> unread;
  for (const TensorId id : parameters) {
    const TensorData* data = graph.tensors[id].data;
    if (read[id] || std::binary_search(counted.begin(), counted.end(), data)) continue;
    if (forms.contains(form_of(*data))) {
      network.loading().note(fmt::format(
          "no node reads {}; it is taken for the same weight as another one of its shape, since "
          "archives of PyTorch before 2.9 do not say which weights are shared",
          in_quotes(data->name)));
      continue;
    }
    unread.push_back(id);
  }
  torch::hold_unread(network.loading(), network.loading().modules, graph, unread);
}

}  // namespace strata::pt2

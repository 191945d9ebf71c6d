#include "read/recording/reader.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "read/model_or_failure.h"
#include "read/recording/calls.h"
#include "read/recording/memory.h"
#include "read/recording/tables.h"
#include "read/torch/unread.h"

namespace strata::recording {

namespace {

using torch::Broken;

constexpr std::int64_t kFormat = 2;  // the newest; format 1 has no kinds and no patterns
constexpr std::string_view kMark = "strata_recording";

// The members that are read after all of them are found, since each needs those before it.
enum Member : std::size_t {
  kModules,
  kKinds,
  kTensors,
  kParameters,
  kBuffers,
  kInputs,
  kLeaves,
  kPatterns,
  kCalls,
  kOutputs,
  kStorages,
  kFrees,
  kSaved,
  kGradients,
  kOptimizer,
  kLarger,
  kMembers
};
constexpr std::array<std::string_view, kMembers> kNames = {
    "modules", "kinds",   "tensors",  "parameters", "buffers", "inputs",    "leaves",    "patterns",
    "calls",   "outputs", "storages", "frees",      "saved",   "gradients", "optimizer", "larger"};

class Recording {
 public:
  Recording(Loading& loading, JsonText& json) : loading_(loading), json_(json) {}

  void read() {
    find_members();
    const auto in = [&](Member member, const auto& take) {
      if (places_[member].empty()) return;
      JsonText text = json_.at(places_[member]);
      take(text);
    };
    in(kModules, [&](JsonText& text) { read_modules(loading_, text); });
    in(kKinds, [&](JsonText& text) { read_kinds(loading_, text); });
    in(kTensors, [&](JsonText& text) { read_tensors(loading_, text); });
    std::vector<TensorId> parameters, others, given, returned;
    in(kParameters, [&](JsonText& text) { read_stored(loading_, text, parameters); });
    in(kBuffers, [&](JsonText& text) { read_stored(loading_, text, others); });
    in(kInputs, [&](JsonText& text) { read_given(loading_, text, given); });
    take_inputs(given);
    std::vector<Leaf> leaves;
    in(kLeaves, [&](JsonText& text) { leaves = read_leaves(loading_, text); });
    CallReader calls(loading_, std::move(leaves));
    in(kPatterns, [&](JsonText& text) { calls.read_patterns(text); });
    in(kCalls, [&](JsonText& text) { calls.read(text); });
    calls.finish();
    in(kOutputs, [&](JsonText& text) { read_given(loading_, text, returned); });
    for (const TensorId id : returned)
      if (id != kNone) loading_.graph().outputs.push_back(calls.now(id));
    const bool trains = !places_[kSaved].empty();
    const auto run = std::make_shared<RecordedRun>();
    loading_.model.recorded = run;
    run->trains = trains;
    run->peaks_at_least = peaks_at_least_;
    in(kLarger, [&](JsonText& text) { read_larger(text, *run); });
    if ((trains || loading_.options.memory) && !places_[kStorages].empty()) {
      MemoryReader memory(loading_, calls, run);
      in(kStorages, [&](JsonText& text) { memory.read_storages(text); });
      in(kFrees, [&](JsonText& text) { memory.read_frees(text); });
      memory.use(RecordedStorage::Use::Activations, given);
      in(kSaved, [&](JsonText& text) { memory.read_saved(text); });
      in(kOptimizer, [&](JsonText& text) { memory.read_optimizer(text); });
      in(kGradients, [&](JsonText& text) { memory.read_gradients(text); });
      memory.use(RecordedStorage::Use::Weights, parameters);
      memory.use(RecordedStorage::Use::Weights, others);
      memory.finish();
    }
    keep_constants(others);
    store(loading_, parameters, others);
    hold_unread(parameters);
  }

 private:
  void find_members() {
    bool has_format = false;
    for (JsonObject member(json_); member.next();) {
      const std::string_view key = member.key();
      if (key == kMark) {
        const std::int64_t format = json_.integer();
        if (format < 1 || format > kFormat)
          throw Broken{fmt::format(
              "it is a recording of format {}, and this strata reads formats 1 to {}; record the "
              "model again with the Python package of this strata",
              format, kFormat)};
        has_format = true;
      } else if (key == "source") {
        take_source(json_.string());
      } else if (key == "notes") {
        for (JsonArray note(json_); note.next();) loading_.note(std::string(json_.string()));
      } else if (key == "name") {
        loading_.graph().name = json_.string();
      } else if (key == "sizes") {
        reserve();
      } else if (key == "peaks_at_least") {
        peaks_at_least_ = json_.boolean();
      } else {
        const auto known = std::find(kNames.begin(), kNames.end(), key);
        const std::string_view value = json_.skip();
        if (known != kNames.end())
          places_[static_cast<std::size_t>(known - kNames.begin())] = value;
      }
    }
    json_.expect_end();
    if (!has_format) throw Broken{"its JSON is not a recording of strata"};
    for (const Member needed : {kTensors, kCalls})
      if (places_[needed].empty())
        throw Broken{fmt::format("the recording has no \"{}\"", kNames[needed])};
  }

  // Reserves room for the tensors and calls that follow, so that lists need not grow. They take
  // more than this many bytes.
  void reserve() {
    constexpr std::uint64_t kBytesOfTensor = 6, kBytesOfCall = 12;
    Row row(json_);
    const auto at_most = [&](std::uint64_t bytes) {
      const auto stated =
          row.next() ? static_cast<std::uint64_t>(std::max<std::int64_t>(0, json_.integer())) : 0;
      return std::min(stated, loading_.model.file_bytes / bytes);
    };
    const std::uint64_t tensors = at_most(kBytesOfTensor);
    loading_.graph().tensors.reserve(tensors);
    loading_.places.reserve(tensors);
    loading_.graph().nodes.reserve(at_most(kBytesOfCall));
    row.skip_rest();
  }

  void read_larger(JsonText& json, RecordedRun& run) {
    for (JsonArray item(json); item.next();) {
      Row row(json);
      const TensorId id = row.next() ? take_tensor(loading_, json) : kNone;
      const std::int64_t bytes = row.next() ? json.integer() : 0;
      row.skip_rest();
      if (id != kNone) run.larger.emplace_back(id, bytes);
    }
    std::sort(run.larger.begin(), run.larger.end());
  }

  // `torch 2.13.0`
  void take_source(std::string_view source) {
    const std::size_t space = source.find(' ');
    loading_.model.producer = source.substr(0, space);
    if (space != std::string_view::npos) loading_.model.producer_version = source.substr(space + 1);
  }

  void take_inputs(const std::vector<TensorId>& given) {
    for (const TensorId id : given) {
      if (id == kNone || loading_.graph().tensors[id].role != Role::Activation) continue;
      loading_.graph().tensors[id].role = Role::Input;
      loading_.graph().inputs.push_back(id);
    }
  }

  // Tensors that are read but neither made nor given were there before, such as a tensor in a
  // closure.
  void keep_constants(std::vector<TensorId>& others) {
    Graph& graph = loading_.graph();
    const auto look = [&](TensorId id) {
      if (id == kNone) return;
      Tensor& tensor = graph.tensors[id];
      if (tensor.role != Role::Activation || tensor.producer != kNone) return;
      tensor.role = Role::Initializer;
      if (tensor.name.empty()) tensor.name = loading_.model.keep(fmt::format("constant_{}", id));
      others.push_back(id);
    };
    for (const Node& node : graph.nodes)
      for (const TensorId id : node.inputs) look(id);
    for (const TensorId id : graph.outputs) look(id);
  }

  void hold_unread(const std::vector<TensorId>& parameters) {
    Graph& graph = loading_.graph();
    std::vector<bool> read(graph.tensors.size());
    for (const Node& node : graph.nodes)
      for (const TensorId id : node.inputs)
        if (id != kNone) read[id] = true;
    std::vector<const TensorData*> counted;
    for (const TensorId id : parameters)
      if (read[id]) counted.push_back(graph.tensors[id].data);
    std::sort(counted.begin(), counted.end());
    std::vector<TensorId> unread;
    for (const TensorId id : parameters)
      if (!read[id] && !std::binary_search(counted.begin(), counted.end(), graph.tensors[id].data))
        unread.push_back(id);
    torch::hold_unread(loading_, loading_.modules, graph, unread);
  }

  Loading& loading_;
  JsonText& json_;
  std::array<std::string_view, kMembers> places_;
  bool peaks_at_least_ = false;
};

}  // namespace

bool looks_like_recording(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 4096;  // for the member, which is the first one as a rule
  const std::string_view start = bytes.substr(0, kLookedAt);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && start[first] == '{' &&
         start.find(fmt::format("\"{}\"", kMark)) != std::string_view::npos;
}

Result<Model> read(std::string_view bytes, std::string_view label, const ReadOptions& options) {
  return model_or_failure(bytes, label, options, [&](Model& model, const ReadOptions&) -> Status {
    model.states_types = true;
    model.ir_version = kFormat;
    Loading loading{{model, options}, torch::Modules(model), {}, {}, {}};
    JsonText json(model, bytes, "its JSON");
    Recording(loading, json).read();
    return {};
  });
}

}  // namespace strata::recording

#include "read/ncnn/graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "ops/ncnn_table.h"
#include "read/ncnn/attributes.h"

namespace strata::ncnn {

namespace {

constexpr std::string_view kSizeNames[] = {"channels", "depth", "height", "width"};

// The sizes that an Input or MemoryData states, from the outermost axis, with a batch of one in
// front; empty if it states none. 0 is an open size.
std::vector<std::int64_t> stated_sizes(const Line& line) {
  const std::int64_t width = std::max<std::int64_t>(0, line.whole(0, 0));
  const std::int64_t height = std::max<std::int64_t>(0, line.whole(1, 0));
  const std::int64_t depth = std::max<std::int64_t>(0, line.whole(11, 0));
  const std::int64_t channels = std::max<std::int64_t>(0, line.whole(2, 0));
  if (depth != 0) return {1, channels, depth, height, width};
  if (channels != 0) return {1, channels, height, width};
  if (height != 0) return {1, height, width};
  if (width != 0) return {1, width};
  return {};
}

TypeInfo open_type(std::span<const std::int64_t> sizes, const std::string& suffix) {
  TypeInfo type = TypeInfo::tensor(DType::F32, {});
  const std::size_t axes = sizes.size() - 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::string_view name = kSizeNames[std::min<std::size_t>(3, 4 - axes + i - 1)];
    if (i > 0 && axes == 3) name = i == 1 ? kSizeNames[0] : kSizeNames[i];
    type.dims.push_back(sizes[i] > 0 ? Expr(sizes[i]) : Expr::symbol(std::string(name) + suffix));
  }
  return type;
}

// Layers whose output has as many channels as their input.
bool keeps_channels(std::string_view type) {
  constexpr std::string_view kTypes[] = {
      "AbsVal",       "BatchNorm", "Bias",  "BinaryOp", "Cast",      "Clip",        "Crop",
      "Dropout",      "Eltwise",   "ELU",   "GELU",     "GroupNorm", "HardSigmoid", "HardSwish",
      "InstanceNorm", "Interp",    "LRN",   "Mish",     "MVN",       "Noop",        "Normalize",
      "Packing",      "Padding",   "Power", "PReLU",    "ReLU",      "Scale",       "SELU",
      "Sigmoid",      "Split",     "Swish", "TanH",     "UnaryOp",   "LayerNorm",   "RMSNorm"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

// Names with slashes are paths that the network had elsewhere. Any other name is the path of a
// module that is this layer alone.
std::string_view scope_name(Loading& loading, const Line& line) {
  if (line.name.find('/') != line.name.npos || line.name.empty()) return line.name;
  loading.count_text(line.name.size() + line.type.size() + 1);
  return loading.model.keep(fmt::format("{}/{}", line.name, line.type));
}

}  // namespace

TensorId GraphReader::blob(std::string_view name, const Line& line) const {
  const auto found = blobs_.find(name);
  if (found == blobs_.end())
    throw Broken{fmt::format("it is damaged: layer {} reads blob {}, which nothing before it makes",
                             in_quotes(line.name), in_quotes(name))};
  return found->second;
}

void GraphReader::call(std::string_view name, TensorId id, const Line& line) {
  if (!blobs_.try_emplace(name, id).second)
    throw Broken{fmt::format("it is damaged: layer {} makes blob {}, which is there already",
                             in_quotes(line.name), in_quotes(name))};
}

TensorId GraphReader::make(std::string_view name, const Line& line) {
  loading_.count_tensor();
  const auto id = static_cast<TensorId>(graph_.tensors.size());
  call(name, id, line);
  Tensor tensor;
  tensor.name = name;
  tensor.type = TypeInfo::unranked(DType::F32);
  graph_.tensors.push_back(std::move(tensor));
  is_read_.push_back(false);
  return id;
}

TensorId GraphReader::stored_tensor(std::string_view name, std::span<const std::int64_t> dims,
                                    DType dtype, bool has_tag) {
  loading_.count_tensor();
  TensorData data;
  data.name = name;
  data.dtype = dtype;
  data.dims = loading_.model.keep(dims);
  const TensorData* kept = &loading_.model.stored.emplace_back(data);
  loading_.stored.push_back({kept, kept->elements().number().value_or(0), has_tag});
  Tensor tensor;
  tensor.name = name;
  tensor.role = Role::Initializer;
  tensor.data = kept;
  Dims sizes;
  for (const std::int64_t size : dims) sizes.push_back(size);
  tensor.type = TypeInfo::tensor(dtype, std::move(sizes));
  graph_.tensors.push_back(std::move(tensor));
  is_read_.push_back(true);
  return static_cast<TensorId>(graph_.tensors.size() - 1);
}

void GraphReader::read_input(const Line& line) {
  for (const std::string_view name : line.outputs) {
    const TensorId id = make(name, line);
    Tensor& tensor = graph_.tensors[id];
    tensor.role = Role::Input;
    graph_.inputs.push_back(id);
    const auto sizes = stated_sizes(line);
    const std::string suffix = ++inputs_ == 1 ? std::string() : fmt::format("_{}", inputs_);
    if (sizes.empty()) {
      constexpr std::int64_t kImage[] = {1, 0, 0, 0};
      tensor.type = open_type(kImage, suffix);
      open_.push_back({id, {id}});
    } else {
      tensor.type = open_type(sizes, suffix);
    }
  }
}

void GraphReader::read_constant(const Line& line) {
  std::vector<std::int64_t> sizes = stated_sizes(line);
  if (sizes.empty()) sizes = {1, 1};
  std::int64_t all = 1;
  for (std::int64_t& size : sizes) {
    size = std::max<std::int64_t>(1, size);
    if (__builtin_mul_overflow(all, size, &all) || all > std::int64_t{1} << 40)
      throw damaged_layer(line, "sizes that no constant has");
  }
  // 0 says that the elements begin with a tag, 1 that they do not.
  const bool has_tag = line.whole(21, 1) == 0;
  for (const std::string_view name : line.outputs) {
    const TensorId id = stored_tensor(line.name, sizes, DType::F32, has_tag);
    call(name, id, line);
  }
}

void GraphReader::read_copies(const Line& line) {
  for (std::size_t i = 0; i < line.outputs.size(); ++i) {
    if (line.inputs.empty()) throw damaged_layer(line, "no input");
    // Noop has as many inputs as outputs; Split has one.
    const std::size_t from = line.type == "Split" ? 0 : std::min(i, line.inputs.size() - 1);
    call(line.outputs[i], blob(line.inputs[from], line), line);
  }
}

void GraphReader::give_sizes(const Line& line, TensorId input, const std::vector<Weight>& weights) {
  const auto& dims = weights[0].dims;
  std::vector<std::int64_t> sizes;
  if (const std::size_t axes = window_axes(line.type); axes > 0) {
    const bool transposed = line.type.starts_with("Deconv");
    const std::int64_t group = line.type.find("DepthWise") == line.type.npos ? 1 : line.whole(7, 1);
    sizes.assign(axes + 2, 0);
    sizes[0] = 1;
    if (__builtin_mul_overflow(dims[1], group, &sizes[1]) || transposed) sizes[1] = dims[0];
  } else if (line.type == "InnerProduct") {
    sizes = {1, dims[1]};
  } else if (line.type == "Embed") {
    sizes = {1, 0};
  } else {
    sizes = {1, 0, dims.back()};  // steps of a recurrent layer, or rows of a matrix
  }
  Tensor& tensor = graph_.tensors[input];
  const auto place = std::find(graph_.inputs.begin(), graph_.inputs.end(), input);
  const auto number = place - graph_.inputs.begin() + 1;
  tensor.type = open_type(sizes, number == 1 ? std::string() : fmt::format("_{}", number));
}

void GraphReader::watch_inputs(const Line& line, const std::vector<Weight>& weights) {
  for (std::size_t i = 0; i < open_.size(); ++i) {
    Open& open = open_[i];
    if (line.inputs.empty()) return;
    const TensorId first = blob(line.inputs[0], line);
    if (std::find(open.like.begin(), open.like.end(), first) == open.like.end()) continue;
    const bool says = !weights.empty() && weights[0].dims.size() > 1 && weights[0].has_tag;
    if (says) {
      give_sizes(line, open.input, weights);
    } else if (keeps_channels(line.type) && open.like.size() < 100) {
      for (const std::string_view name : line.outputs) open.like.push_back(blob(name, line));
      continue;
    }
    if (!says) continue;
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i--));
  }
}

void GraphReader::read_node(const Line& line) {
  loading_.count_node();
  const std::vector<Weight> weights = weights_of(line);
  std::vector<TensorId> inputs;
  for (const std::string_view name : line.inputs) {
    inputs.push_back(blob(name, line));
    is_read_[inputs.back()] = true;
  }
  // Attention whose last input is a mask may leave out keys and values.
  if (line.type == "MultiHeadAttention" && line.whole(5, 0) != 0 && inputs.size() > 1 &&
      inputs.size() < 4)
    inputs.insert(inputs.end() - 1, 4 - inputs.size(), kNone);
  for (const Weight& weight : weights) {
    if (!weight.is_input) {
      loading_.stored.push_back({nullptr, weight.dims[0], weight.has_tag});
      continue;
    }
    loading_.count_text(line.name.size() + weight.name.size() + 1);
    const auto name = loading_.model.keep(fmt::format("{}.{}", line.name, weight.name));
    const TensorId id = stored_tensor(name, weight.dims, weight.dtype, weight.has_tag);
    if (inputs.size() <= weight.slot) inputs.resize(weight.slot + 1, kNone);
    inputs[weight.slot] = id;
  }
  const auto id = static_cast<NodeId>(graph_.nodes.size());
  std::vector<TensorId> outputs;
  for (const std::string_view name : line.outputs) {
    outputs.push_back(make(name, line));
    graph_.tensors[outputs.back()].producer = id;
  }
  watch_inputs(line, weights);
  const std::vector<Attribute> attributes = attributes_of(loading_, line);
  Node node;
  node.op = line.type;
  node.domain = kNcnn;
  node.opset = 1;
  node.name = line.name;
  node.inputs = loading_.model.keep(std::span<const TensorId>(inputs));
  node.outputs = loading_.model.keep(std::span<const TensorId>(outputs));
  node.attributes = loading_.model.keep(std::span<const Attribute>(attributes));
  onnx::NodeText text;
  text.name = scope_name(loading_, line);
  node.scope = scopes_.place(onnx::ScopeTree::kRoot, text);
  graph_.nodes.push_back(node);
}

void GraphReader::read_layer(const Line& line) {
  if (line.type == "Input")
    read_input(line);
  else if (line.type == "MemoryData")
    read_constant(line);
  else if (line.type == "Split" || line.type == "Noop")
    read_copies(line);
  else
    read_node(line);
}

void GraphReader::read(std::string_view bytes) {
  Text text(bytes);
  for (Line line; text.next(line);) read_layer(line);
  for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
    if (!is_read_[i] && graph_.tensors[i].role == Role::Activation)
      graph_.outputs.push_back(static_cast<TensorId>(i));
  scopes_.finish();
}

}  // namespace strata::ncnn

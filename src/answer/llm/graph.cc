#include "strata/llm/graph.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "llm/graph_maker.h"
#include "strata/base/number_text.h"
#include "strata/llm/count.h"

namespace strata::llm {

namespace {

constexpr std::string_view kPacked = "packed";  // the name of a tensor of bytes

// `Llama` of `LlamaForCausalLM`; a GGUF file's `llama` stays.
std::string base_of(const std::string& architecture) {
  for (const std::string_view end :
       {"ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "Model"})
    if (architecture.size() > end.size() && architecture.ends_with(end))
      return architecture.substr(0, architecture.size() - end.size());
  return architecture;
}

// Vectors of a norm before and after each part of a layer, in place of a LayerNorm's two.
bool has_norms_after(const std::string& architecture) {
  return architecture.starts_with("Gemma") || architecture.starts_with("gemma") ||
         architecture == "Glm4ForCausalLM";
}

// The builder makes stored tensors of the network's own type; packed ones are bytes.
void set_packed_types(Model& model) {
  const auto is_packed = [](std::string_view name) {
    return name.substr(name.rfind('.') + 1).starts_with(kPacked);
  };
  for (TensorData& data : model.stored)
    if (is_packed(data.name)) data.dtype = DType::U8, data.learned = Learned::Yes;
  for (Tensor& tensor : model.graph().tensors)
    if (tensor.role == Role::Initializer && is_packed(tensor.name))
      tensor.type.edit().dtype = DType::U8;
}

DType type_of(const WeightScheme& scheme, const Network& network) {
  if (scheme.vectors == 32) return DType::F32;  // llama.cpp's activations are, too
  return scheme.name == "f16" || network.weights == "f16" ? DType::F16 : DType::BF16;
}

}  // namespace

GraphMaker::GraphMaker(const Network& network, const WeightScheme& scheme, const GraphSizes& sizes,
                       DType type)
    : network_(network),
      scheme_(scheme),
      sizes_(sizes),
      is_cached_(!sizes.past.is(0)),
      base_(base_of(network.architecture)),
      net_(network.architecture, type) {}

std::string GraphMaker::numbered(std::string_view name) const {
  return fmt::format("{}.{}", name, index_);
}

const Matrix& GraphMaker::matrix(std::string_view name, Part part) const {
  static const Matrix kNone;
  for (const Matrix& one : matrices_)
    if (one.name == name && one.part == part) return one;
  return kNone;
}

bool GraphMaker::is_plain(const Matrix& matrix) const {
  const double bits = bits_of(network_, scheme_, matrix, index_);
  return bits == (net_.dtype() == DType::F32 ? 32 : 16);
}

std::int64_t GraphMaker::bytes_of(const Matrix& matrix) const {
  const double bits = bits_of(network_, scheme_, matrix, index_);
  return std::max<std::int64_t>(std::llround(static_cast<double>(matrix.elements()) * bits / 8), 1);
}

build::Var GraphMaker::stored(const Matrix& matrix, std::initializer_list<std::int64_t> dims) {
  if (is_plain(matrix)) return net_.weight("weight", dims);
  return net_.weight(kPacked, {bytes_of(matrix)});
}

build::Var GraphMaker::linear(std::string_view name, Var x, Part part) {
  const Matrix& m = matrix(name, part);
  if (is_plain(m)) return net_.linear(name, x, m.outputs, m.bias);
  const auto leaf = net_.module(name, "Linear");
  const Var weight = stored(m, {});
  if (!m.bias) return net_.op("strata.PackedLinear", {x, weight}, {{"outputs", m.outputs}});
  return net_.op("strata.PackedLinear", {x, weight, vector("bias", m.outputs)},
                 {{"outputs", m.outputs}});
}

build::Var GraphMaker::resident(std::string_view name, const Matrix& m) {
  const auto leaf = net_.module(name, "Linear");
  const Var weight = stored(m, {m.outputs, m.inputs});
  if (m.bias) net_.op("strata.Resident", {vector("bias", m.outputs)});
  return net_.op("strata.Resident", {weight}, {{"elements", m.elements()}});
}

build::Var GraphMaker::norm(std::string_view name, Var x, std::int64_t vectors) {
  if (vectors <= 0) return x;
  if (vectors == 1) return net_.rms_norm(name, x, {.cls = "RMSNorm"});
  x = net_.layer_norm(name, x, {});
  return norm(fmt::format("{}_{}", name, vectors), x, vectors - 2);
}

build::Var GraphMaker::head_norm(std::string_view name, Var x, std::int64_t head, bool has_bias) {
  const std::int64_t width = net_.number(x, -1);
  const Expr batch = net_.size(x, 0), length = net_.size(x, 1);
  if (width == head) return norm(name, x, has_bias ? 2 : 1);
  x = net_.reshape(x, {batch, length, width / head, head});
  x = norm(name, x, has_bias ? 2 : 1);
  return net_.reshape(x, {batch, length, width});
}

build::Var GraphMaker::with_cache(std::string_view name, std::initializer_list<Var> added,
                                  std::int64_t width, Var otherwise) {
  if (!is_cached_) return otherwise;
  const Layer& l = current();
  Expr kept = sizes_.past;
  if (l.window > 0) kept = l.is_chunked ? mod(kept, l.window) : min(kept, Expr(l.window));
  const Var cache = net_.input(fmt::format("past_{}", numbered(name)), {sizes_.batch, kept, width});
  std::vector<Var> inputs{cache};
  inputs.insert(inputs.end(), added.begin(), added.end());
  const Var grown = net_.op("strata.AppendToCache", inputs, {});
  outputs_.emplace_back(fmt::format("present_{}", numbered(name)), grown);
  return grown;
}

build::Var GraphMaker::embed(Var ids) {
  Var x, table;
  const Matrix entries = outer_matrices_of(network_).front();
  {
    const auto leaf = net_.module("embed_tokens", "Embedding");
    table = stored(entries, {network_.vocab, network_.hidden});
    if (is_plain(entries))
      x = net_.gather(table, ids, 0);
    else
      x = net_.op("strata.PackedEmbedding", {table, ids, net_.number(0)},
                  {{"entries", network_.vocab}, {"width", network_.hidden}});
  }
  embedding_ = table;
  if (network_.side_vocab > 0) {
    const auto leaf = net_.module("side_embedding", "Embedding");
    const Matrix side = outer_matrices_of(network_)[network_.positions > 0 ? 2 : 1];
    const Var entry = stored(side, {side.outputs, side.inputs});
    const Var row = is_plain(side) ? net_.gather(entry, ids, 0)
                                   : net_.op("strata.PackedEmbedding", {entry, ids, net_.number(0)},
                                             {{"entries", side.outputs}, {"width", side.inputs}});
    sides_ = net_.split(row, -1, static_cast<int>(network_.layers.size()));
    net_.op("strata.Resident", {vector("norm", network_.layers.front().side_input)});
  }
  if (network_.positions > 0) {
    const Var end = net_.add(net_.length(ids, 1), net_.integers({0}));
    const Var places = net_.op("Range", {net_.integer(0), net_.squeeze(end, {0}), net_.integer(1)});
    x = net_.add(x, net_.embedding("embed_positions", places, network_.positions, network_.hidden));
  }
  return norm("embed_norm", x, network_.embedding_norms);
}

build::Var GraphMaker::layer(std::size_t index, Var x) {
  index_ = index;
  const Layer& l = current();
  matrices_ = matrices_of(l, network_.hidden);
  const auto module = net_.module(static_cast<std::int64_t>(index), cls("DecoderLayer"));
  struct Block {
    const char* norm;
    Var (GraphMaker::*build)(Var);
  };
  std::vector<Block> blocks;
  if (l.mixer != Mixer::None) blocks.push_back({"input_norm", &GraphMaker::mix});
  if (l.cross_tokens > 0) blocks.push_back({"cross_norm", &GraphMaker::cross_attention});
  if (l.mlp != Mlp::None) blocks.push_back({"mlp_norm", &GraphMaker::mlp});
  const auto count = static_cast<std::int64_t>(blocks.size());
  const bool norms_after = has_norms_after(network_.architecture);
  Var normed = x;
  for (std::int64_t i = 0; i < count; ++i) {
    const Block& block = blocks[static_cast<std::size_t>(i)];
    const std::int64_t vectors = l.norms / count + (i < l.norms % count ? 1 : 0);
    const bool is_sandwich = norms_after && vectors == 2;
    // A block without a norm of its own runs beside the one before it.
    if (vectors > 0) normed = norm(block.norm, x, is_sandwich ? 1 : vectors);
    if (l.norms == 0) normed = x;
    Var y = (this->*block.build)(normed);
    if (is_sandwich) y = norm(fmt::format("post_{}", block.norm), y, 1);
    x = net_.add(x, y);
  }
  return side_paths(x);
}

// The paths of Gemma 3n and 4 beside attention and the MLP.
build::Var GraphMaker::side_paths(Var x) {
  const Layer& l = current();
  const std::int64_t n = l.streams;
  if (l.extra_norms > 0)
    net_.op("strata.Resident", {vector("norms", l.extra_norms * network_.hidden)});
  if (l.router_scales)
    net_.op("strata.Resident", {vector("router_scales", network_.hidden + l.experts)});
  if (n > 0) net_.op("strata.Resident", {vector("stream_coefficients", n * n + n * n * n)});
  if (l.low_rank > 0)
    x = net_.add(x, linear("low_rank_out", linear("low_rank_in", x, Part::Mlp), Part::Mlp));
  if (n > 0)
    x = net_.mul(x, net_.split(linear("stream_router", x, Part::Mlp), -1, static_cast<int>(n))[0]);
  if (l.stream_matrices > 0)
    x = net_.add(x, net_.split(linear("stream_proj", x, Part::Mlp), -1,
                               static_cast<int>(l.stream_matrices))[0]);
  if (l.side_input == 0) return x;
  const Var gate = net_.gelu_tanh("side_act", linear("side_gate", x, Part::Mlp));
  const Var side = net_.add(sides_[index_], linear("side_model_proj", embedded_, Part::Mlp));
  return net_.add(x, linear("side_proj", net_.mul(gate, side), Part::Mlp));
}

void GraphMaker::finish_with_head(Var x, Var embedding) {
  if (!network_.has_head) return net_.output("last_hidden_state", x);
  const Matrix head = outer_matrices_of(network_).back();
  const auto leaf = net_.module("lm_head", "Linear");
  const Var weight = network_.tied ? embedding : stored(head, {network_.vocab, network_.hidden});
  std::vector<Var> inputs{x, weight};
  if (network_.head_bias) inputs.push_back(vector("bias", network_.vocab));
  const build::Setting settings[] = {{"entries", network_.vocab}};
  net_.output("logits", net_.op("strata.TokenLogits", inputs, settings));
}

void GraphMaker::add_towers() {
  for (const Tower& tower : network_.towers) {
    if (tower.parameters < 1) continue;
    std::string name = tower.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    const auto leaf = net_.module(name, "Module");
    net_.op("strata.Resident", {vector("weights", tower.parameters)});
  }
}

Result<build::Network> GraphMaker::make() && {
  const Var ids = net_.input("input_ids", DType::I64, {sizes_.batch, sizes_.sequence});
  Var x;
  {
    const auto model = net_.module("model", cls("Model"));
    x = embedded_ = embed(ids);
    {
      const auto list = net_.module("layers", "ModuleList");
      for (std::size_t i = 0; i < network_.layers.size() && !net_.failed(); ++i) x = layer(i, x);
    }
    x = norm("norm", x, network_.final_norms);
  }
  finish_with_head(x, embedding_);
  add_towers();
  for (const auto& [name, value] : outputs_) net_.output(name, value);
  auto out = std::move(net_).finish();
  if (!out) return out;
  set_packed_types(out->model);
  return out;
}

Result<build::Network> build_graph(const Network& network, const GraphSizes& sizes,
                                   std::string_view weights) {
  const auto scheme = weight_scheme_of(network, weights);
  if (!scheme) return failure(scheme);
  auto out = GraphMaker(network, *scheme, sizes, type_of(*scheme, network)).make();
  if (!out) return failure(fmt::format("{}: {}", network.name, out.error().message));
  out->model.notes = network.notes;
  return out;
}

std::string served_note(const Network& network, double past, double tokens) {
  const auto matrices = static_cast<double>(linear_macs(network));
  const auto head = static_cast<double>(head_macs(network));
  const PairMacs pairs = pair_macs(network);
  // A cross attention sees the same tokens either way.
  const double cross = static_cast<double>(pairs.cross) * tokens;
  const double square = static_cast<double>(pairs.full + pairs.windowed) * tokens * (past + tokens);
  double eager = matrices * tokens + square + cross;
  const double served =
      (matrices - head) * tokens + head + attention_macs(network, past, tokens, tokens == 1);
  for (const Layer& layer : network.layers)
    if (layer.mixer == Mixer::Latent)
      eager += past * static_cast<double>(layer.kv_rank * layer.heads *
                                          (layer.key - layer.rope + layer.value));
  const std::string what =
      past > 0 ? fmt::format("{} after {}", tokens == 1 ? "one token" : human(tokens) + " tokens",
                             grouped(static_cast<std::int64_t>(past)))
               : fmt::format("a prompt of {}", grouped(static_cast<std::int64_t>(tokens)));
  const double ratio = eager / served;
  const std::string more = ratio >= 2 ? fmt::format("{:.3g} times as many as", ratio)
                                      : fmt::format("{:.0f} % more than", 100 * (ratio - 1));
  return fmt::format(
      "{}: transformers computes {} MACs (all pairs, all logits), {} an engine, {} (causal pairs, "
      "windows, the last token's logits); the convention \"eager\" counts the first, \"served\" "
      "the "
      "second",
      what, human(eager), more, human(served));
}

}  // namespace strata::llm

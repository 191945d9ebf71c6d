// The formulas behind the figures of `strata llm`, with their numbers.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "report/llm_text.h"
#include "strata/base/number_text.h"
#include "strata/llm/matrix.h"
#include "strata/llm/speed_table.h"
#include "strata/report/llm.h"

namespace strata {

namespace {

using llm::Answer;
using llm::Layer;
using llm::Network;

struct Kind {
  Layer layer;
  std::int64_t count = 0;
  std::size_t first = 0;
};

// Different layers with how often they occur, in order of their first.
std::vector<Kind> kinds_of(const Network& network) {
  std::vector<Kind> out;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const auto known =
        std::find_if(out.begin(), out.end(), [&](const Kind& kind) { return kind.layer == layer; });
    if (known == out.end())
      out.push_back({layer, 1, i});
    else
      ++known->count;
  }
  return out;
}

std::string explain_kv(const Network& network, const Answer& answer) {
  std::string out =
      "bytes = layers × elements per token × bytes per element × tokens × sequences\n";
  double sum = 0;
  for (const Kind& kind : kinds_of(network)) {
    const Layer& l = kind.layer;
    const std::int64_t elements = cache_elements(l);
    const double state = state_bytes(l, {}) * static_cast<double>(kind.count) * answer.batch;
    if (state > 0) {
      out += fmt::format("  {} layers of {}: a state of {} each × {} = {}\n", kind.count,
                         name_of(l.mixer), human_bytes(state_bytes(l, {})),
                         tokens_text(answer.batch), gib_text(state));
      sum += state;
    }
    if (elements == 0) continue;
    const double tokens =
        (l.window > 0 ? std::min(answer.context, static_cast<double>(l.window)) : answer.context) +
        static_cast<double>(l.cross_tokens);
    const double bytes = static_cast<double>(kind.count * elements) * answer.cache_element_bytes *
                         tokens * answer.batch;
    sum += bytes;
    const std::string made =
        l.mixer == llm::Mixer::Latent
            ? fmt::format("({} latent + {} rotated{})", l.kv_rank, l.rope,
                          l.index_head > 0 ? fmt::format(" + {} of the indexer", l.index_head) : "")
            : fmt::format("{} heads × ({} + {})", l.kv_heads, l.key, l.value);
    out += fmt::format("  {} × {} × {:g} B × {}{} × {} = {}\n", kind.count, made,
                       answer.cache_element_bytes, tokens_text(tokens),
                       l.window > 0 ? (l.is_chunked ? " (chunk)" : " (window)") : "",
                       tokens_text(answer.batch), gib_text(bytes));
  }
  out += fmt::format("  together {}\n", gib_text(sum));
  if (answer.count > 1)
    out += fmt::format(
        "on each device: {}, where tensor parallelism divides heads of keys and "
        "values down to one and copies a latent\n",
        gib_text(answer.memory.cache + answer.memory.states));
  return out;
}

std::string explain_weights(const Network& network, const Answer& answer) {
  std::string out = "bytes = layers × inputs × outputs × copies × bits / 8\n";
  const auto line = [&](const llm::Matrix& matrix, std::int64_t count, std::size_t layer) {
    const double bits = bits_of(network, answer.weights, matrix, layer);
    const double bytes = static_cast<double>(count * matrix.elements()) * bits / 8;
    out += fmt::format("  {:20} {:>3} × {} × {}{} × {:g} bits = {}\n", matrix.name, count,
                       matrix.inputs, matrix.outputs,
                       matrix.copies > 1 ? fmt::format(" × {}", matrix.copies) : "", bits,
                       gib_text(bytes));
  };
  for (const llm::Matrix& matrix : outer_matrices_of(network)) line(matrix, 1, 0);
  for (const Kind& kind : kinds_of(network))
    for (const llm::Matrix& matrix : matrices_of(kind.layer, network.hidden))
      line(matrix, kind.count, kind.first);
  if (answer.weights.is_stored)
    out += "  each line shows the bits of its first layer; others may be stored in other types\n";
  if (answer.weights.is_mixture)
    out +=
        "  llama.cpp gives some layers more bits in this mixture; each line shows those of its "
        "first layer\n";
  out += fmt::format("on {}: {}\n", answer.count > 1 ? "the device with the most" : "the device",
                     gib_text(answer.memory.weights.all()));
  return out;
}

std::string explain_macs(const Network& network, const Answer& answer) {
  const llm::PairMacs pairs = pair_macs(network);
  const std::int64_t linear = linear_macs(network), head = head_macs(network);
  const double s = answer.context;
  const double served = static_cast<double>(linear - head) * s + static_cast<double>(head) +
                        attention_macs(network, 0, s, false);
  const double eager =
      static_cast<double>(linear) * s + static_cast<double>(pairs.full + pairs.windowed) * s * s;
  std::string out = fmt::format(
      "matrices: {} per token, of which the head has {}\n"
      "attention: {} per pair of a query and a key in layers that see everything, {} in windows\n"
      "prompt of {} tokens as it is served (causal pairs, windows, logits of the last token): {}\n"
      "the same computed eagerly (all pairs, all logits): {}, {:.0f} % more\n",
      grouped(linear), grouped(head), grouped(pairs.full), grouped(pairs.windowed), tokens_text(s),
      human(served), human(eager), 100 * (eager / served - 1));
  out += fmt::format("one more token after {}: {}\n", tokens_text(s - 1),
                     human(static_cast<double>(linear) + attention_macs(network, s - 1, 1, true)));
  return out;
}

std::string explain_decode(const Network&, const Answer& answer) {
  if (!answer.decode) return "the device states no peaks, so that no time can be told\n";
  const llm::Work& work = answer.decode_work;
  const llm::StepTime& time = *answer.decode;
  std::string out = fmt::format(
      "time of a step = sum over kernels of max(bytes / (share × bandwidth), 2 × MACs / (share × "
      "peak)) + overhead + traffic; shares and overheads are medians of data/llm/speed.json\n"
      "  matrices   {} and {}MACs: {}\n",
      gib_text(work.matrix_bytes), human(work.matrix_macs), human_seconds(time.matrices_s));
  if (work.expert_layers > 0)
    out += fmt::format(
        "  experts    {} to {} and {}MACs: {}\n", gib_text(work.expert_bytes * work.least_experts),
        gib_text(work.expert_bytes), human(work.expert_macs), human_seconds(time.experts_s));
  out += fmt::format("  attention  {} of cache and {}MACs: {}\n", gib_text(work.cache_bytes),
                     human(work.attention_macs), human_seconds(time.attention_s));
  out += fmt::format("  overhead   {:.0f} layers with {}: {}\n", work.layers, answer.engine,
                     human_seconds(time.overhead_s));
  if (time.traffic_s > 0)
    out += fmt::format("  traffic    {:.0f} all-reduces of {}: {}\n", work.all_reduces,
                       human_bytes(work.reduced_bytes), human_seconds(time.traffic_s));
  out += fmt::format("together {}, likely {}, at least {}\n", human_seconds(time.likely_s.value),
                     seconds_range(time.likely_s), human_seconds(time.bound_s));
  return out;
}

// The table of rotations that vLLM keeps beside the weights; 0: the model has learned positions.
double rotation_bytes(const Network& network) {
  std::int64_t widest = 0;
  for (const Layer& l : network.layers) {
    if (l.mixer == llm::Mixer::Attention) widest = std::max(widest, l.key);
    if (l.mixer == llm::Mixer::Latent) widest = std::max(widest, l.rope);
  }
  return network.positions > 0 ? 0 : static_cast<double>(network.max_context * widest) * 2;
}

std::string mib(double bytes) { return fmt::format("{:.2f} MiB", bytes / (1024 * 1024)); }
std::string gib(double bytes) { return fmt::format("{:.4f} GiB", bytes / (1024.0 * 1024 * 1024)); }

std::string explain_vllm(const Network& network, const Answer& answer) {
  const llm::Memory& memory = answer.memory;
  const double table = rotation_bytes(network), loaded = memory.weights.all() + table;
  const double left = memory.usable - loaded - memory.activations - memory.reserve;
  std::string out = fmt::format(
      "vLLM prints, on each device:\n"
      "  Model loading took {}: weights of {}, a table of rotations of {} if whole heads are "
      "rotated, "
      "and a few MiB that PyTorch's allocator cannot use\n"
      "  Available KV cache memory: {} = {} of {} − {} − activations of {} − {} for graphs and the "
      "context (assumed)\n",
      gib(loaded), gib(memory.weights.all()), mib(table), gib(std::max(left, 0.0)),
      gib(memory.usable), gib(memory.device), gib(loaded), gib(memory.activations),
      gib(memory.reserve));
  const double tokens =
      answer.context * std::ceil(answer.batch / static_cast<double>(answer.division.replicas()));
  const llm::CachePerToken cache = cache_of(network, answer.cache_element_bytes);
  if (left <= 0 || memory.cache <= 0 || cache.windowed > 0 || cache.state > 0) return out;
  constexpr double kBlock = 16;
  const double each =
      memory.cache / (std::ceil(answer.context / kBlock) * kBlock * tokens / answer.context);
  const double blocks = std::floor(left / (each * kBlock));
  out += fmt::format(
      "  GPU KV cache size: {} tokens = {} blocks of 16 × {}\n"
      "  Maximum concurrency for {} tokens per request: {:.2f}x\n",
      tokens_text(blocks * kBlock), tokens_text(blocks), human_bytes(each * kBlock),
      tokens_text(answer.context), blocks * kBlock / answer.context);
  return out;
}

std::string explain_llama(const Network& network, const Answer& answer) {
  const llm::WeightBytes& weights = answer.memory.weights;
  std::int64_t keys = 0, all = 0;
  for (const Layer& l : network.layers) {
    if (cache_elements(l) == 0) continue;
    all += cache_elements(l);
    keys += l.mixer == llm::Mixer::Attention ? l.kv_heads * l.key : cache_elements(l);
  }
  const double share = all > 0 ? static_cast<double>(keys) / static_cast<double>(all) : 0;
  const double cache = answer.memory.cache;
  std::string out = fmt::format(
      "{} prints, with all layers on the device:\n"
      "  model size = {:.2f} GiB ({:.2f} BPW)\n"
      "  CPU model buffer size = {} (the embedding); device: {}\n"
      "  KV buffer size = {}, K {}, V {}\n",
      answer.engine, weights.all() / (1024.0 * 1024 * 1024),
      weights.all() * 8 / static_cast<double>(parameters_of(network).all), mib(weights.embedding),
      mib(weights.all() - (network.tied ? 0 : weights.embedding)), mib(cache), mib(cache * share),
      mib(cache * (1 - share)));
  if (answer.memory.states > 0)
    out += fmt::format("  RS buffer size = {}\n", mib(answer.memory.states));
  return out + fmt::format(
                   "  compute buffer size = {} with flash attention: {} tokens × ({} logits "
                   "+ {}) × 4 B\n",
                   mib(answer.memory.activations),
                   tokens_text(std::min(512.0, answer.context * answer.batch)),
                   grouped(network.vocab), grouped(network.hidden));
}

std::string explain_engine(const Network& network, const Answer& answer) {
  if (answer.engine == "vllm") return explain_vllm(network, answer);
  const auto& engines = llm::speed_table().engines;
  const auto own = std::find_if(engines.begin(), engines.end(), [&](const llm::Engine& engine) {
    return engine.name == answer.engine;
  });
  if (own != engines.end() && own->keeps_logits) return explain_llama(network, answer);
  return fmt::format("strata knows the prints of vllm and llama.cpp, not those of {}\n",
                     answer.engine);
}

struct Explained {
  std::string_view name;
  std::string (*explain)(const Network&, const Answer&);
};
constexpr Explained kExplained[] = {{"kv", explain_kv},
                                    {"weights", explain_weights},
                                    {"macs", explain_macs},
                                    {"decode", explain_decode},
                                    {"engine", explain_engine}};

}  // namespace

Result<std::string> explain_llm(const Network& network, const Answer& answer,
                                std::string_view figure) {
  for (const Explained& one : kExplained)
    if (one.name == figure) return one.explain(network, answer);
  return failure(fmt::format("{} has no formula; kv, weights, macs, decode and engine have one",
                             in_quotes(figure)),
                 ErrorKind::Usage);
}

}  // namespace strata

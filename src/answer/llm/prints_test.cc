// Sizes that llama.cpp and vLLM print for published models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "strata/llm/count.h"
#include "strata/llm/read.h"
#include "strata/llm/step.h"
#include "strata/llm/weights.h"

namespace strata::llm {
namespace {

constexpr double kMi = 1024.0 * 1024, kGi = kMi * 1024;

Network zoo(const std::string& name) {
  auto network = read_network("zoo:" + name);
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}
WeightScheme scheme(const char* name) { return *find_weight_scheme(name); }
double gib(const Network& network, const char* type) {
  return weight_bytes(network, scheme(type)).all() / kGi;
}
double bits_per_weight(const Network& network, const char* type) {
  return weight_bytes(network, scheme(type)).all() * 8 /
         static_cast<double>(parameters_of(network).all);
}
std::string two(double number) { return fmt::format("{:.2f}", number); }

// `llama_kv_cache: size = 1024.00 MiB (8192 cells, 32 layers)`.
TEST(Prints, CachesOfLlamaCpp) {
  EXPECT_EQ(two(cache_bytes(zoo("llama-3-8b"), 8192, 2) / kMi), "1024.00");
  EXPECT_EQ(two(cache_bytes(zoo("llama-2-7b"), 2048, 2) / kMi), "1024.00");
}

// Qwen3.6-27B: 16 layers of attention with 4 heads of 256, and 48 with 48 heads of values and 16 of
// keys, of 128. `16384.00 MiB` of 262,144 cells, `R 5.62 MiB, S 144.00 MiB` per sequence.
TEST(Prints, StatesOfLlamaCpp) {
  const auto network = read_config(
      R"({"architectures": ["Qwen3_5ForCausalLM"], "hidden_size": 5120, "intermediate_size": 17408,
          "num_hidden_layers": 64, "num_attention_heads": 24, "num_key_value_heads": 4,
          "head_dim": 256, "vocab_size": 248320, "linear_num_key_heads": 16,
          "linear_num_value_heads": 48, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
          "linear_conv_kernel_dim": 4, "full_attention_interval": 4,
          "max_position_embeddings": 262144})",
      "config.json");
  ASSERT_TRUE(network) << network.error().message;
  const CachePerToken cache = cache_of(*network, 2, {.conv_bytes = 4});
  EXPECT_EQ(two(cache.full * 262144 / kMi), "16384.00");
  EXPECT_EQ(fmt::format("{:.3f}", cache.state / kMi), "149.625");
  const CachePerToken without = cache_of(*network, 2, {.conv_bytes = 0});
  EXPECT_EQ(two(without.state / kMi), "144.00");
}

// `model size = 4.58 GiB (4.89 BPW)`.
TEST(Prints, SizesOfLlamaCpp) {
  EXPECT_EQ(two(gib(zoo("llama-3-8b"), "q4_k_m")), "4.58");
  EXPECT_EQ(two(bits_per_weight(zoo("llama-3-8b"), "q4_k_m")), "4.89");
  EXPECT_EQ(two(gib(zoo("llama-2-7b"), "q4_k_m")), "3.80");
  EXPECT_EQ(two(bits_per_weight(zoo("llama-2-7b"), "q4_k_m")), "4.84");
  EXPECT_EQ(two(gib(zoo("llama-3-8b"), "q5_k_m")), "5.33");  // the list of llama-quantize
  EXPECT_EQ(two(gib(zoo("llama-3.1-70b"), "q4_0")), "37.22");
  EXPECT_EQ(two(bits_per_weight(zoo("llama-3.1-70b"), "q4_0")), "4.53");
  EXPECT_EQ(two(gib(zoo("qwen3-30b-a3b"), "q8_0")), "30.25");
  EXPECT_EQ(two(gib(zoo("qwen3-30b-a3b"), "q4_k_m")), "17.28");
  EXPECT_EQ(two(bits_per_weight(zoo("qwen3-30b-a3b"), "q4_k_m")), "4.86");
  EXPECT_EQ(two(gib(zoo("gpt-oss-120b"), "mxfp4_moe")), "59.02");
  const auto smaller = read_network(STRATA_SOURCE_DIR "/tests/llm/configs/gpt-oss-20b.json");
  ASSERT_TRUE(smaller) << smaller.error().message;
  EXPECT_EQ(two(gib(*smaller, "mxfp4_moe")), "11.27");
}

// The list of llama.cpp's tools/quantize/README.md, which is of Llama-3.1-8B.
TEST(Prints, BitsOfAllMixturesOfLlamaCpp) {
  const std::pair<const char*, const char*> listed[] = {
      {"iq1_s", "2.0042"},  {"iq1_m", "2.1460"},  {"iq2_xxs", "2.3824"}, {"iq2_xs", "2.5882"},
      {"iq2_s", "2.7403"},  {"iq2_m", "2.9294"},  {"iq3_xxs", "3.2548"}, {"iq3_xs", "3.4977"},
      {"iq3_s", "3.6606"},  {"iq3_m", "3.7628"},  {"iq4_xs", "4.4597"},  {"iq4_nl", "4.6818"},
      {"q2_k_s", "2.9697"}, {"q2_k", "3.1593"},   {"q3_k_s", "3.6429"},  {"q3_k_m", "3.9960"},
      {"q3_k_l", "4.2979"}, {"q4_k_s", "4.6672"}, {"q4_k_m", "4.8944"},  {"q5_k_s", "5.5704"},
      {"q5_k_m", "5.7036"}, {"q6_k", "6.5633"},   {"q8_0", "8.5008"}};
  for (const auto& [name, bits] : listed)
    EXPECT_EQ(fmt::format("{:.4f}", bits_per_weight(zoo("llama-3-8b"), name)), bits) << name;
  // Tied embeddings have the head's type, the values of 70B more bits: sizes that llama-bench
  // prints.
  EXPECT_EQ(two(gib(zoo("llama-3.2-1b"), "q4_0") * 1024), "727.75");
  EXPECT_EQ(two(gib(zoo("llama-3.2-1b"), "q4_k_m") * 1024), "762.81");
  EXPECT_EQ(two(gib(zoo("llama-3.1-70b"), "q4_k_m")), "39.59");
}

// With all layers on the GPU, llama.cpp leaves the embedding on the CPU: `CPU 281.81 MiB, CUDA0
// 4403.49 MiB`. Rotation factors, 64 floats, are in Llama-3.1's file and in no matrix.
TEST(Prints, BuffersOfLlamaCpp) {
  const WeightBytes bytes = weight_bytes(zoo("llama-3-8b"), scheme("q4_k_m"));
  EXPECT_EQ(two(bytes.embedding / kMi), "281.81");
  EXPECT_EQ(two((bytes.all() - bytes.embedding) / kMi), "4403.49");
}

// `Model loading took 14.2474 GiB` on each of four devices (vLLM 0.8.5). It also counts a table of
// rotations of 40,960 positions and 128 numbers in bf16, which is not a weight, and what PyTorch's
// allocator holds beyond what was asked for. It splits a large block only if more than 1 MiB is
// left: two of the temporary f32 tensors of 10 MiB, of which that table was made, are later filled
// with q, k and v (5 MiB) and o_proj (4 MiB), and so with 1 MiB of nothing each. Small tensors take
// 512 bytes: in each layer three scales, two norms of 256 bytes and at least two ranges.
TEST(Prints, ShardsOfVllm) {
  const double weights = weight_bytes(zoo("qwen3-30b-a3b"), scheme("bf16"), {.tensor = 4}).all();
  const double table = 40960 * 128 * 2, blocks = 2 * kMi, small = 48 * (5 * 512 + 2 * 256);
  EXPECT_EQ(fmt::format("{:.4f}", (weights + table + blocks + small) / kGi), "14.2474");
}

// `Loading model weights took 57.7520 GB` on each of eight devices (vLLM, issue 6746) for the first
// release of Llama-3.1-405B in FP8, which had 16 heads of keys and values and quantized the MLPs of
// all layers but the first and the last. The rest, 35 MiB, is the table of rotations (32 MiB) and
// rounding.
TEST(Prints, ShardsOfFp8) {
  std::string kept;
  for (int i = 0; i < 126; ++i) kept += fmt::format(R"("model.layers.{}.self_attn", )", i);
  const auto network = read_config(
      R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 16384, "num_hidden_layers": 126,
          "num_attention_heads": 128, "num_key_value_heads": 16, "intermediate_size": 53248,
          "vocab_size": 128256, "max_position_embeddings": 131072, "torch_dtype": "bfloat16",
          "quantization_config": {"quant_method": "fbgemm_fp8", "modules_to_not_convert": [)" +
          kept + R"("model.layers.0.mlp", "model.layers.125.mlp"]}})",
      "config.json");
  ASSERT_TRUE(network) << network.error().message;
  const double bytes = weight_bytes(*network, *weight_scheme_of(*network, ""), {.tensor = 8}).all();
  // A scale in f32 for each output of a quantized matrix.
  const double scales = 124.0 * (2 * 53248 / 8 + 16384) * 4;
  EXPECT_NEAR((bytes + scales + 131072 * 128 * 2) / kGi, 57.7520, 5.5 / 1024);
}

// MiB of a network with these widths.
std::string compute_buffer(int hidden, int vocab, double context) {
  const auto network = read_config(
      fmt::format(R"({{"architectures": ["LlamaForCausalLM"], "hidden_size": {}, "vocab_size": {},
                      "num_hidden_layers": 30, "num_attention_heads": 16,
                      "intermediate_size": 9216, "torch_dtype": "float16"}})",
                  hidden, vocab),
      "config.json");
  EXPECT_TRUE(network) << network.error().message;
  const auto device = find_device("rtx-4080");
  EXPECT_TRUE(device);
  const Setup setup{
      .network = *network, .weights = scheme("f16"), .device = *device, .engine = "llama.cpp"};
  return two(memory_of(setup, 1, context).activations / kMi);
}

// llama.cpp's `CUDA0 compute buffer size` with flash attention: Qwen2.5-3B (LLamaSharp, issue 1099)
// and TriLM-4B (llamafile, pull request 552).
TEST(Prints, ComputeBuffersOfLlamaCpp) {
  EXPECT_EQ(compute_buffer(2048, 151936, 4096), "300.75");
  EXPECT_EQ(compute_buffer(3072, 50688, 512), "105.00");
}

// DeepSeek-R1 in llama.cpp before and after MLA: n_embd_k_gqa 24576, n_embd_v_gqa 16384.
TEST(Prints, LatentCache) {
  const Network network = zoo("deepseek-v3");
  EXPECT_EQ(cache_of(network, 2).full, 70272);
  const Layer& layer = network.layers.front();
  EXPECT_EQ(layer.heads * layer.key, 24576);
  EXPECT_EQ(layer.heads * layer.value, 16384);
}

// Llama-3-70B on 16 devices has the cache of 8: each head of keys and values is there twice.
TEST(Prints, MoreDevicesThanHeadsHoldCopies) {
  const Network network = zoo("llama-3.1-70b");
  EXPECT_EQ(cache_share(network.layers.front(), 16), cache_share(network.layers.front(), 8));
  EXPECT_FALSE(check_division(network, {.tensor = 3}));
  EXPECT_TRUE(check_division(network, {.tensor = 16}));
}

// Llama-3-8B, 2048 tokens: 16,469,052,096,512 eagerly; 14.844 T as it is served, 11 % less.
TEST(Prints, EagerAndServedPrompts) {
  const Network network = zoo("llama-3-8b");
  const double s = 2048;
  const auto linear = static_cast<double>(linear_macs(network));
  EXPECT_EQ(linear * s + static_cast<double>(pair_macs(network).full) * s * s, 16469052096512.0);
  const auto head = static_cast<double>(head_macs(network));
  const double served = (linear - head) * s + head + attention_macs(network, 0, s, false);
  EXPECT_NEAR(served / 1e12, 14.844, 0.0005);
  // Past 2047: 7,504,658,432 + 536,870,912.
  EXPECT_EQ(attention_macs(network, 2047, 1, false), 536870912);
  // gemma-3's windows of 1024 in 52 layers of 62: 8192·(81920·8192 is full) by hand below.
  const Network gemma = zoo("gemma-3-27b");
  // 81,920 per pair of 3,000 in full layers, 425,984 per pair of 1,024 in windows.
  EXPECT_EQ(attention_macs(gemma, 2999, 1, false), 81920.0 * 3000 + 425984.0 * 1024);
  // A prompt of 3,000 in a window of 1,024: 3000·1024 − 1024·1023/2 pairs.
  EXPECT_EQ(pairs_of(gemma.layers.front(), 0, 3000), 3000.0 * 1024 - 1024.0 * 1023 / 2);
}

// V3: 8,495,104 per pair and token in decode: 61 layers · 128 heads · (2·512 + 64).
TEST(Prints, AbsorbedLatentAttention) {
  EXPECT_EQ(attention_macs(zoo("deepseek-v3"), 0, 1, true), 8495104);
}

}  // namespace
}  // namespace strata::llm

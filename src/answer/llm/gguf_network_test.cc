// GGUF headers written here as llama.cpp's converter names things; sizes are what llama.cpp prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include <fmt/format.h>

#include "llm/gguf_network.h"
#include "read/weights/formats.h"
#include "strata/llm/answer.h"
#include "strata/llm/read.h"

namespace strata::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class T>
std::string little(T value) {
  std::string out;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  return out;
}
std::string counted(const std::string& text) { return little<std::uint64_t>(text.size()) + text; }

// Types of ggml.
enum Type : std::uint32_t { kF32 = 0, kQ40 = 2, kQ80 = 8, kQ4K = 12, kQ6K = 14, kMxfp4 = 39 };

class Header {
 public:
  explicit Header(std::string architecture) : architecture_(std::move(architecture)) {
    properties_ +=
        counted("general.architecture") + little<std::uint32_t>(8) + counted(architecture_);
    ++property_count_;
  }
  Header& number(const std::string& key, std::uint32_t value) {
    properties_ += counted(architecture_ + "." + key) + little<std::uint32_t>(4) + little(value);
    ++property_count_;
    return *this;
  }
  // Dimensions are stored fastest first.
  Header& tensor(const std::string& name, std::vector<std::uint64_t> dims, Type type) {
    tensors_ += counted(name) + little(static_cast<std::uint32_t>(dims.size()));
    for (const std::uint64_t dim : dims) tensors_ += little(dim);
    tensors_ += little<std::uint32_t>(type) + little<std::uint64_t>(0);
    ++tensor_count_;
    return *this;
  }
  std::string bytes() const {
    return "GGUF" + little<std::uint32_t>(3) + little(tensor_count_) + little(property_count_) +
           properties_ + tensors_;
  }

 private:
  std::string architecture_, properties_, tensors_;
  std::uint64_t property_count_ = 0, tensor_count_ = 0;
};

Result<Network> network_of(const std::string& bytes) {
  const auto header = weights::read_gguf_header(bytes);
  if (!header) return failure(header);
  return network_of_gguf(*header, "a.gguf");
}

// Llama-3-8B, where a rule says which layers have more bits.
Header llama3(const std::function<Type(int layer)>& more, Type usual, Type output) {
  Header out("llama");
  out.number("block_count", 32)
      .number("embedding_length", 4096)
      .number("feed_forward_length", 14336)
      .number("attention.head_count", 32)
      .number("attention.head_count_kv", 8)
      .number("context_length", 8192)
      .number("rope.dimension_count", 128);
  out.tensor("token_embd.weight", {4096, 128256}, usual)
      .tensor("output_norm.weight", {4096}, kF32)
      .tensor("output.weight", {4096, 128256}, output);
  for (int i = 0; i < 32; ++i) {
    const std::string b = fmt::format("blk.{}.", i);
    out.tensor(b + "attn_norm.weight", {4096}, kF32)
        .tensor(b + "ffn_norm.weight", {4096}, kF32)
        .tensor(b + "attn_q.weight", {4096, 4096}, usual)
        .tensor(b + "attn_k.weight", {4096, 1024}, usual)
        .tensor(b + "attn_v.weight", {4096, 1024}, more(i))
        .tensor(b + "attn_output.weight", {4096, 4096}, usual)
        .tensor(b + "ffn_gate.weight", {4096, 14336}, usual)
        .tensor(b + "ffn_up.weight", {4096, 14336}, usual)
        .tensor(b + "ffn_down.weight", {14336, 4096}, more(i));
  }
  return out;
}

// llama.cpp puts 281.81 MiB on the CPU and 4403.49 MiB on the GPU for Q4_K_M.
TEST(GgufNetwork, LlamaIsTheSameNetworkWithItsOwnBytes) {
  const auto more = [](int i) { return i < 4 || i >= 28 || (i - 4) % 3 == 2 ? kQ6K : kQ4K; };
  const auto network = network_of(llama3(more, kQ4K, kQ6K).bytes());
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_THAT(network->notes, IsEmpty());
  EXPECT_EQ(parameters_of(*network).all, 8030261248);
  const auto config = read_network("zoo:llama-3-8b");
  EXPECT_EQ(network->layers, config->layers);
  const auto bytes = weight_bytes(*network, *weight_scheme_of(*network, ""));
  EXPECT_EQ(fmt::format("{:.2f}", bytes.embedding / 1048576), "281.81");
  EXPECT_EQ(fmt::format("{:.2f}", (bytes.all() - bytes.embedding) / 1048576), "4403.49");
  // The rule for files that are not there yet gives the same.
  EXPECT_EQ(bytes.all(), weight_bytes(*config, *find_weight_scheme("q4_k_m")).all());
}

// gpt-oss-20b: 20,914,757,184 parameters, windows in every second layer.
TEST(GgufNetwork, GptOss) {
  Header out("gpt-oss");
  out.number("block_count", 24)
      .number("embedding_length", 2880)
      .number("attention.head_count", 64)
      .number("attention.head_count_kv", 8)
      .number("attention.key_length", 64)
      .number("attention.value_length", 64)
      .number("expert_count", 32)
      .number("expert_used_count", 4)
      .number("context_length", 131072)
      .number("attention.sliding_window", 128);
  out.tensor("token_embd.weight", {2880, 201088}, kF32)
      .tensor("output_norm.weight", {2880}, kF32)
      .tensor("output.weight", {2880, 201088}, kF32);
  for (int i = 0; i < 24; ++i) {
    const std::string b = fmt::format("blk.{}.", i);
    out.tensor(b + "attn_norm.weight", {2880}, kF32)
        .tensor(b + "post_attention_norm.weight", {2880}, kF32)
        .tensor(b + "attn_sinks.weight", {64}, kF32)
        .tensor(b + "attn_q.weight", {2880, 4096}, kF32)
        .tensor(b + "attn_q.bias", {4096}, kF32)
        .tensor(b + "attn_k.weight", {2880, 512}, kF32)
        .tensor(b + "attn_k.bias", {512}, kF32)
        .tensor(b + "attn_v.weight", {2880, 512}, kF32)
        .tensor(b + "attn_v.bias", {512}, kF32)
        .tensor(b + "attn_output.weight", {4096, 2880}, kF32)
        .tensor(b + "attn_output.bias", {2880}, kF32)
        .tensor(b + "ffn_gate_inp.weight", {2880, 32}, kF32)
        .tensor(b + "ffn_gate_inp.bias", {32}, kF32)
        .tensor(b + "ffn_gate_exps.weight", {2880, 2880, 32}, kMxfp4)
        .tensor(b + "ffn_gate_exps.bias", {2880, 32}, kF32)
        .tensor(b + "ffn_up_exps.weight", {2880, 2880, 32}, kMxfp4)
        .tensor(b + "ffn_up_exps.bias", {2880, 32}, kF32)
        .tensor(b + "ffn_down_exps.weight", {2880, 2880, 32}, kMxfp4)
        .tensor(b + "ffn_down_exps.bias", {2880, 32}, kF32);
  }
  const auto network = network_of(out.bytes());
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_THAT(network->notes, IsEmpty());
  EXPECT_EQ(parameters_of(*network).all, 20914757184);
  const CachePerToken cache = cache_of(*network, 2);
  EXPECT_EQ(cache.full, 24576);
  EXPECT_EQ(cache.windowed, 24576);
}

// DeepSeek-V2-Lite with MLA in two matrices, and a layer for multi-token prediction that is not
// counted: 15,706,484,224 parameters, 31,104 bytes a token.
TEST(GgufNetwork, LatentAttention) {
  Header out("deepseek2");
  out.number("block_count", 28)
      .number("nextn_predict_layers", 1)
      .number("embedding_length", 2048)
      .number("attention.head_count", 16)
      .number("attention.head_count_kv", 1)
      .number("attention.kv_lora_rank", 512)
      .number("attention.key_length", 576)
      .number("attention.value_length", 512)
      .number("attention.key_length_mla", 192)
      .number("attention.value_length_mla", 128)
      .number("rope.dimension_count", 64)
      .number("expert_count", 64)
      .number("expert_used_count", 6)
      .number("context_length", 163840);
  out.tensor("token_embd.weight", {2048, 102400}, kF32)
      .tensor("output_norm.weight", {2048}, kF32)
      .tensor("output.weight", {2048, 102400}, kF32);
  for (int i = 0; i < 28; ++i) {
    const std::string b = fmt::format("blk.{}.", i);
    out.tensor(b + "attn_norm.weight", {2048}, kF32)
        .tensor(b + "ffn_norm.weight", {2048}, kF32)
        .tensor(b + "attn_q.weight", {2048, 3072}, kF32)
        .tensor(b + "attn_kv_a_mqa.weight", {2048, 576}, kF32)
        .tensor(b + "attn_kv_a_norm.weight", {512}, kF32)
        .tensor(b + "attn_k_b.weight", {128, 512, 16}, kF32)
        .tensor(b + "attn_v_b.weight", {512, 128, 16}, kF32)
        .tensor(b + "attn_output.weight", {2048, 2048}, kF32);
    if (i == 0) {
      out.tensor(b + "ffn_gate.weight", {2048, 10944}, kF32)
          .tensor(b + "ffn_up.weight", {2048, 10944}, kF32)
          .tensor(b + "ffn_down.weight", {10944, 2048}, kF32);
      continue;
    }
    out.tensor(b + "ffn_gate_inp.weight", {2048, 64}, kF32);
    for (const char* name : {"gate", "up"})
      out.tensor(fmt::format("{}ffn_{}_exps.weight", b, name), {2048, 1408, 64}, kF32)
          .tensor(fmt::format("{}ffn_{}_shexp.weight", b, name), {2048, 2816}, kF32);
    out.tensor(b + "ffn_down_exps.weight", {1408, 2048, 64}, kF32)
        .tensor(b + "ffn_down_shexp.weight", {2816, 2048}, kF32);
  }
  const auto network = network_of(out.bytes());
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_THAT(network->notes, IsEmpty());
  EXPECT_EQ(parameters_of(*network).all, 15706484224);
  EXPECT_EQ(cache_of(*network, 2).full, 31104);
  EXPECT_EQ(network->layers, read_network("zoo:deepseek-v2-lite")->layers);
}

// Qwen3-Next-80B-A3B as llama.cpp's converter stores it: the gated delta rule has the keys of state
// spaces, and its projection is in several tensors.
Header qwen3_next(bool has_ba) {
  Header out(has_ba ? "qwen3next" : "qwen35moe");
  out.number("block_count", 48)
      .number("embedding_length", 2048)
      .number("attention.head_count", 16)
      .number("attention.head_count_kv", 2)
      .number("attention.key_length", 256)
      .number("attention.value_length", 256)
      .number("context_length", 262144)
      .number("ssm.conv_kernel", 4)
      .number("ssm.state_size", 128)
      .number("ssm.group_count", 16)
      .number("ssm.time_step_rank", 32)
      .number("ssm.inner_size", 4096)
      .number("full_attention_interval", 4)
      .number("expert_count", 512)
      .number("expert_used_count", 10);
  out.tensor("token_embd.weight", {2048, 151936}, kF32)
      .tensor("output_norm.weight", {2048}, kF32)
      .tensor("output.weight", {2048, 151936}, kF32);
  for (int i = 0; i < 48; ++i) {
    const std::string b = fmt::format("blk.{}.", i);
    out.tensor(b + "attn_norm.weight", {2048}, kF32)
        .tensor(b + "post_attention_norm.weight", {2048}, kF32)
        .tensor(b + "ffn_gate_inp.weight", {2048, 512}, kF32)
        .tensor(b + "ffn_gate_inp_shexp.weight", {2048}, kF32)
        .tensor(b + "ffn_down_exps.weight", {512, 2048, 512}, kQ80)
        .tensor(b + "ffn_down_shexp.weight", {512, 2048}, kQ80);
    for (const char* name : {"gate", "up"})
      out.tensor(fmt::format("{}ffn_{}_exps.weight", b, name), {2048, 512, 512}, kQ80)
          .tensor(fmt::format("{}ffn_{}_shexp.weight", b, name), {2048, 512}, kQ80);
    if (i % 4 == 3) {
      out.tensor(b + "attn_q.weight", {2048, 8192}, kQ80)
          .tensor(b + "attn_k.weight", {2048, 512}, kQ80)
          .tensor(b + "attn_v.weight", {2048, 512}, kQ80)
          .tensor(b + "attn_output.weight", {4096, 2048}, kQ80)
          .tensor(b + "attn_q_norm.weight", {256}, kF32)
          .tensor(b + "attn_k_norm.weight", {256}, kF32);
      continue;
    }
    out.tensor(b + "attn_qkv.weight", {2048, 8192}, kQ80)
        .tensor(b + "attn_gate.weight", {2048, 4096}, kQ80)
        .tensor(b + "ssm_conv1d.weight", {4, 8192}, kF32)
        .tensor(b + "ssm_dt.bias", {32}, kF32)
        .tensor(b + "ssm_a", {32}, kF32)
        .tensor(b + "ssm_norm.weight", {128}, kF32)
        .tensor(b + "ssm_out.weight", {4096, 2048}, kQ80);
    if (has_ba)
      out.tensor(b + "ssm_ba.weight", {2048, 64}, kQ80);
    else
      out.tensor(b + "ssm_beta.weight", {2048, 32}, kQ80)
          .tensor(b + "ssm_alpha.weight", {2048, 32}, kQ80);
  }
  return out;
}

TEST(GgufNetwork, GatedDeltaRules) {
  const auto config = read_network("zoo:qwen3-next-80b-a3b");
  for (const bool has_ba : {true, false}) {
    const auto network = network_of(qwen3_next(has_ba).bytes());
    ASSERT_TRUE(network) << network.error().message;
    EXPECT_THAT(network->notes, IsEmpty());
    EXPECT_EQ(parameters_of(*network).all, 79674391296);
    EXPECT_EQ(network->layers, config->layers);
    // 8.5 bits of the matrices that the projection is stored in.
    double bytes = 0;
    for (const StoredMatrix& one : network->stored[0])
      if (one.name == "in_proj") bytes = one.bytes;
    EXPECT_EQ(bytes, 2048.0 * (8192 + 4096 + 64) * 8.5 / 8);
  }
}

// LFM2-1.2B: 1,170,340,608 parameters; six layers attend, the others convolve.
TEST(GgufNetwork, ShortConvolutions) {
  Header out("lfm2");
  out.number("block_count", 16)
      .number("embedding_length", 2048)
      .number("attention.head_count", 32)
      .number("attention.head_count_kv", 8)
      .number("context_length", 128000)
      .number("shortconv.l_cache", 3);
  out.tensor("token_embd.weight", {2048, 65536}, kF32)
      .tensor("token_embd_norm.weight", {2048}, kF32);
  for (int i = 0; i < 16; ++i) {
    const std::string b = fmt::format("blk.{}.", i);
    out.tensor(b + "attn_norm.weight", {2048}, kF32)
        .tensor(b + "ffn_norm.weight", {2048}, kF32)
        .tensor(b + "ffn_gate.weight", {2048, 8192}, kQ80)
        .tensor(b + "ffn_up.weight", {2048, 8192}, kQ80)
        .tensor(b + "ffn_down.weight", {8192, 2048}, kQ80);
    if (i == 2 || i == 5 || i == 8 || i == 10 || i == 12 || i == 14)
      out.tensor(b + "attn_q.weight", {2048, 2048}, kQ80)
          .tensor(b + "attn_k.weight", {2048, 512}, kQ80)
          .tensor(b + "attn_v.weight", {2048, 512}, kQ80)
          .tensor(b + "attn_output.weight", {2048, 2048}, kQ80)
          .tensor(b + "attn_q_norm.weight", {64}, kF32)
          .tensor(b + "attn_k_norm.weight", {64}, kF32);
    else
      out.tensor(b + "shortconv.in_proj.weight", {2048, 6144}, kQ80)
          .tensor(b + "shortconv.conv.weight", {3, 2048}, kF32)
          .tensor(b + "shortconv.out_proj.weight", {2048, 2048}, kQ80);
  }
  const auto network = network_of(out.bytes());
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_THAT(network->notes, IsEmpty());
  EXPECT_EQ(parameters_of(*network).all, 1170340608);
  EXPECT_EQ(network->layers, read_network("zoo:lfm2-1.2b")->layers);
}

TEST(GgufNetwork, FilesInParts) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("strata_gguf_{}", ::getpid());
  fs::create_directories(folder);
  Header first("llama"), second("llama");
  first.number("block_count", 1).number("embedding_length", 64).number("attention.head_count", 4);
  first.tensor("token_embd.weight", {64, 100}, kF32);
  second.tensor("output_norm.weight", {64}, kF32).tensor("blk.0.attn_norm.weight", {64}, kF32);
  for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"})
    second.tensor(fmt::format("blk.0.{}.weight", name), {64, 64}, kF32);
  const fs::path path = folder / "a-00001-of-00002.gguf";
  std::ofstream(path, std::ios::binary) << first.bytes();
  std::ofstream(folder / "a-00002-of-00002.gguf", std::ios::binary) << second.bytes();
  const auto network = read_network(path.string());
  fs::remove_all(folder);
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(parameters_of(*network).all, 64 * 100 + 64 + 64 + 4 * 64 * 64);
}

// A part with a name of its own is not taken for the whole.
TEST(GgufNetwork, APartIsNotTheNetwork) {
  namespace fs = std::filesystem;
  const fs::path path = fs::temp_directory_path() / fmt::format("strata_part_{}.gguf", ::getpid());
  Header first("split");  // properties of the whole file begin with `split.`
  first.number("count", 3).tensor("token_embd.weight", {64, 100}, kF32);
  std::ofstream(path, std::ios::binary) << first.bytes();
  const auto network = read_network(path.string());
  fs::remove(path);
  ASSERT_FALSE(network);
  EXPECT_THAT(network.error().message, HasSubstr("it is one of 3 parts; give the first"));
}

std::string problem_of(const Header& header) {
  const auto network = network_of(header.bytes());
  return network ? "" : network.error().message;
}

TEST(GgufNetwork, HostileHeadersGetOneSentence) {
  EXPECT_THAT(problem_of(Header("llama").number("block_count", 1000000000)),
              HasSubstr("its \"llama\".block_count of 1e+09 is not from 1 to 4096"));
  EXPECT_THAT(problem_of(Header("llama").number("block_count", 1).number("embedding_length", 8)),
              HasSubstr("it has no matrix \"token_embd.weight\""));
  Header heads("llama");
  heads.number("block_count", 1).number("embedding_length", 64).number("attention.head_count", 0);
  heads.tensor("token_embd.weight", {64, 100}, kF32).tensor("blk.0.attn_q.weight", {64, 64}, kF32);
  EXPECT_THAT(problem_of(heads), HasSubstr("attention.head_count of 0 is not from 1"));
  const std::string many =
      "GGUF" + little<std::uint32_t>(3) + little(std::uint64_t{1} << 60) + little<std::uint64_t>(0);
  const auto none = weights::read_gguf_header(many);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("for which it is too small"));
}

}  // namespace
}  // namespace strata::llm

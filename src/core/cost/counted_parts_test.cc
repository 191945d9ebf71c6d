// Conventions count modules that files write as several operators.
#include <map>

#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/cost/convention.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

// Counts a network whose nodes name their modules: `norm/Transpose` is in module `norm`.
class Counted {
 public:
  explicit Counted(std::string_view text) {
    auto model = model_from_text(text);
    EXPECT_TRUE(model) << model.error().message;
    model_ = std::move(*model);
    std::map<std::string_view, ScopeId> known;
    NodeList& nodes = model_.graph().nodes;
    for (NodeId i = 0; i < nodes.size(); ++i) {
      const Node node = nodes[i];
      const std::size_t slash = node.name.rfind('/');
      if (slash == std::string_view::npos) continue;
      const std::string_view path = node.name.substr(0, slash);
      const auto [place, is_new] = known.emplace(path, static_cast<ScopeId>(model_.scopes.size()));
      if (is_new) model_.scopes.push_back({path, path, {}, 0, 0});
      nodes.set_scope(i, place->second);
    }
    const auto inference = infer(model_);
    EXPECT_TRUE(inference) << inference.error().message;
    costs_ = count(model_);
    layers_ = find_layers(model_, costs_);
  }

  std::string as(std::string_view convention, Metric metric = Metric::Macs) const {
    return count_as(*find_convention(convention), costs_, layers_).total[metric].text();
  }

 private:
  Model model_;
  Costs costs_;
  Layers layers_;
};

// 24 elements. torchvision's LayerNorm2d moves the channels to the end and back.
TEST(CountedParts, ANormThatMovesAxesIsNoClassOfTorch) {
  const Counted plain(R"(
    input x f32[1,2,3,4]
    weight w f32[4]
    weight b f32[4]
    y = LayerNormalization(x, w, b) name="norm/LayerNormalization"
    output y)");
  EXPECT_EQ(plain.as("thop"), "96");     // 4 for each element
  EXPECT_EQ(plain.as("ptflops"), "24");  // 1 for each
  EXPECT_EQ(plain.as("fvcore"), "120");  // 5 for each
  const Counted moved(R"(
    input x f32[1,4,2,3]
    weight w f32[4]
    weight b f32[4]
    t = Transpose(x) perm=0,2,3,1 name="norm/Transpose"
    n = LayerNormalization(t, w, b) name="norm/LayerNormalization"
    y = Transpose(n) perm=0,3,1,2 name="norm/Transpose_1"
    output y)");
  EXPECT_EQ(moved.as("thop"), "0");
  EXPECT_EQ(moved.as("ptflops"), "0");
  EXPECT_EQ(moved.as("fvcore"), "120");  // counts operators, whatever the module is
}

// 5·3·4 MACs, 5·4 sums of the bias. torch adds the bias in the product if there are two axes, or
// three in order.
TEST(CountedParts, ABiasCountsByTheWayTorchRunsALinear) {
  const auto linear = [](std::string_view shape) {
    return "input x f32[" + std::string(shape) + R"(]
      weight w f32[3,4]
      weight b f32[4]
      m = MatMul(x, w) name="fc/MatMul"
      y = Add(b, m) name="fc/Add"
      output y)";
  };
  EXPECT_EQ(Counted(linear("5,3")).as("ptflops-aten"), "80");
  EXPECT_EQ(Counted(linear("1,5,3")).as("ptflops-aten"), "80");
  EXPECT_EQ(Counted(linear("1,1,5,3")).as("ptflops-aten"), "60");
  EXPECT_EQ(Counted(linear("1,1,5,3")).as("ptflops"), "80");
  const Counted turned(R"(
    input x f32[1,3,5]
    weight w f32[3,4]
    weight b f32[4]
    t = Transpose(x) perm=0,2,1 name="Transpose"
    m = MatMul(t, w) name="fc/MatMul"
    y = Add(b, m) name="fc/Add"
    output y)");
  EXPECT_EQ(turned.as("ptflops-aten"), "60");
}

TEST(CountedParts, ABiasOfAFunctionBelongsToItsProduct) {
  const std::string text = R"(
    input x f32[5,3]
    weight w f32[3,4]
    weight b f32[4]
    weight r f32[5,4]
    s = Relu(x) name="relu/Relu"
    m = MatMul(s, w) name="MatMul"
    y = Add(OPERANDS) name="Add"
    output y)";
  const auto with = [&](const char* operands) {
    std::string changed = text;
    return Counted(changed.replace(changed.find("OPERANDS"), 8, operands)).as("ptflops-aten");
  };
  EXPECT_EQ(with("m, b"), "80");
  EXPECT_EQ(with("r, m"), "60") << "a table of positions is not a bias";
}

// One head, 3 positions, width 2: projections 3·2·6 + 3·2·2 = 48 MACs, products 2·3·3·2 = 36,
// scores 3·3 = 9, outputs 3·2 = 6, biases of queries, keys and values 3·6 = 18.
std::string attention(std::string_view weight, std::string_view bias) {
  std::string text = R"(
    input x f32[3,2]
    weight WEIGHT f32[2,6]
    weight BIAS f32[6]
    weight o f32[2,2]
    weight p f32[2]
    m = MatMul(x, WEIGHT) name="attn/MatMul"
    a = Add(m, BIAS) name="attn/Add"
    q, k, v = Split(a) axis=1 name="attn/Split"
    t = Transpose(k) perm=1,0 name="attn/Transpose"
    s = MatMul(q, t) name="attn/MatMul_1"
    e = Softmax(s) name="attn/Softmax"
    w = MatMul(e, v) name="attn/MatMul_2"
    y = Gemm(w, o, p) name="attn/Gemm"
    output y)";
  for (const auto& [mark, name] : {std::pair{"WEIGHT", weight}, {"BIAS", bias}})
    for (std::size_t at; (at = text.find(mark)) != text.npos;)
      text.replace(at, std::string_view(mark).size(), name);
  return text;
}

TEST(CountedParts, TorchsAttentionIsAModuleOfItsOwn) {
  const Counted own(attention("block.in_proj_weight", "block.in_proj_bias"));
  // The module: scaled queries 6, projections 48 with biases 18 and 6, products 36, softmax 9.
  // Then the functions that it calls: products 36, softmax 9.
  EXPECT_EQ(own.as("ptflops"), "168");
  EXPECT_EQ(own.as("calflops", Metric::Flops), "105");  // 2·48 + 9: bmm is not watched
  EXPECT_EQ(own.as("fvcore"), "84");
  EXPECT_EQ(own.as("ptflops-aten"), "108");  // 84 + 18 + 6
  EXPECT_EQ(own.as("thop"), "0");
}

TEST(CountedParts, OtherAttentionIsItsFunctions) {
  const Counted other(attention("block.qkv.weight", "block.qkv.bias"));
  EXPECT_EQ(other.as("ptflops"), "45");                   // products 36, softmax 9
  EXPECT_EQ(other.as("calflops", Metric::Flops), "177");  // 2·84 + 9
  EXPECT_EQ(other.as("fvcore"), "84");
  EXPECT_EQ(other.as("ptflops-aten"), "108");
}

}  // namespace
}  // namespace strata

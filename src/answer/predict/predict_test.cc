#include "strata/predict/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cost/test_counted.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using test::counted;
using test::Counted;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<FusedKernel> kernels_of(const Counted& net, Runtime runtime) {
  std::vector<std::string> notes;
  auto found = find_kernels(net.model, net.costs, runtime, notes);
  EXPECT_TRUE(found.has_value()) << found.error().message;
  return std::move(*found);
}

std::size_t count_of(const std::vector<FusedKernel>& kernels, KernelClass kind) {
  return static_cast<std::size_t>(std::count_if(
      kernels.begin(), kernels.end(), [&](const FusedKernel& k) { return k.kind == kind; }));
}

Counted resnet50(std::int64_t batch) {
  InferOptions options;
  options.batch = batch;
  return counted(std::move(zoo::build("resnet50")->model), options);
}

// The paper's table: 53 convolutions, each with a norm; 16 blocks with a window of 3 in the middle
// and 1 at both ends, 4 projections, a stem of 7×7; 49 activations and 16 sums.
TEST(Kernels, OfResnet50) {
  const Counted net = resnet50(1);
  const auto eager = kernels_of(net, Runtime::Eager);
  EXPECT_EQ(count_of(eager, KernelClass::ConvStem), 1u);
  EXPECT_EQ(count_of(eager, KernelClass::Conv), 16u);
  EXPECT_EQ(count_of(eager, KernelClass::ConvPointwise), 36u);
  EXPECT_EQ(count_of(eager, KernelClass::BatchNorm), 53u);
  EXPECT_EQ(count_of(eager, KernelClass::Pointwise), 49u + 16u);
  EXPECT_EQ(count_of(eager, KernelClass::Gemm), 1u);
  EXPECT_EQ(count_of(eager, KernelClass::Pool), 1u);
  EXPECT_EQ(count_of(eager, KernelClass::Reduction), 1u);
  // An engine runs norms, sums and activations in the kernels of convolutions.
  EXPECT_EQ(kernels_of(net, Runtime::Engine).size(), 53u + 3u);
  // torch.compile has one kernel for what lies between two convolutions: 49 norms with an
  // activation, of which the 4 with a projection take in the projection's norm. The last one takes
  // in the mean.
  EXPECT_EQ(kernels_of(net, Runtime::Compiled).size(), 53u + 49u + 1u + 1u);
}

// y = relu(x·w + b), then z = y + x: with 4×8 floats, each tensor has 128 bytes.
TEST(Kernels, FusionSavesWhatPassesBetween) {
  const Counted net = counted(R"(
    input x f32[4,8]
    a = Relu(x)
    b = Sigmoid(a)
    c = Add(b, x)
    output c)");
  double eager = 0;
  for (const FusedKernel& k : kernels_of(net, Runtime::Eager))
    eager += k.read_bytes + k.write_bytes;
  EXPECT_DOUBLE_EQ(eager, 128 * (2 + 2 + 3));
  const auto fused = kernels_of(net, Runtime::Compiled);
  ASSERT_EQ(fused.size(), 1u);
  EXPECT_DOUBLE_EQ(fused[0].read_bytes, 128);
  EXPECT_DOUBLE_EQ(fused[0].write_bytes, 128);
}

// c needs b, which is made from a by a product: a and c cannot be one kernel.
TEST(Kernels, NoFusionAroundAProduct) {
  const Counted net = counted(R"(
    input x f32[8,8]
    weight w f32[8,8]
    a = Relu(x)
    b = MatMul(a, w)
    c = Add(b, a)
    output c)");
  const auto kernels = kernels_of(net, Runtime::Compiled);
  EXPECT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels_of(net, Runtime::Engine).size(), 2u);  // the sum ends the product's kernel
}

// PyTorch runs x·sigmoid(x) as one operator (SiLU), and so GELU; sigmoid(relu(x)) + x as three.
TEST(Kernels, FunctionsThatFilesTakeApartAreOneOperator) {
  const Counted silu = counted(R"(
    input x f32[4,8]
    s = Sigmoid(x)
    y = Mul(x, s)
    output y)");
  const auto one = kernels_of(silu, Runtime::Eager);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_DOUBLE_EQ(one[0].read_bytes, 128);
  EXPECT_DOUBLE_EQ(one[0].write_bytes, 128);
  const Counted gelu = counted(R"(
    input x f32[4,8]
    weight root f32[]
    weight half f32[]
    a = Div(x, root)
    b = Erf(a)
    c = Add(b, root)
    d = Mul(x, c)
    y = Mul(d, half)
    output y)");
  EXPECT_EQ(kernels_of(gelu, Runtime::Eager).size(), 1u);
}

// A product and its bias are PyTorch's addmm; transposes move nothing; softmax(q·kᵀ)·v is its
// scaled_dot_product_attention, which reads q, k and v and writes a result: 4 of 2·3·5·4 floats.
TEST(Kernels, AttentionThatFilesTakeApartIsOneOperator) {
  const Counted net = counted(R"(
    input x f32[2,5,12]
    weight w f32[12,12]
    weight b f32[12]
    input k f32[2,3,5,4]
    input v f32[2,3,5,4]
    weight scale f32[]
    weight shape i64[4]={2,5,3,4}
    p = MatMul(x, w)
    q = Add(p, b)
    r = Reshape(q, shape)
    t = Transpose(r) perm=0,2,1,3
    kt = Transpose(k) perm=0,1,3,2
    s = MatMul(t, kt)
    m = Mul(s, scale)
    a = Softmax(m)
    y = MatMul(a, v)
    output y)");
  const auto eager = kernels_of(net, Runtime::Eager);
  ASSERT_EQ(eager.size(), 2u);
  EXPECT_EQ(eager[0].kind, KernelClass::Gemm);
  EXPECT_DOUBLE_EQ(eager[0].write_bytes, 4 * 2 * 5 * 12);
  EXPECT_EQ(eager[1].kind, KernelClass::Attention);
  EXPECT_DOUBLE_EQ(eager[1].macs, 2 * (2 * 3 * 5 * 5 * 4));
  EXPECT_NEAR(eager[1].read_bytes + eager[1].write_bytes, 4 * 4 * (2 * 3 * 5 * 4), 8);
  EXPECT_GT(kernels_of(net, Runtime::Engine).size(), 4u);  // an engine runs the file's operators
}

Device simple_device() {
  return *parse_device(
      "kind = \"cpu\"\nfp32 = \"1 TFLOP/s\"\nbandwidth = \"100 GB/s\"\nmemory = \"1 GiB\"\n",
      "simple", "simple.toml");
}

// 2 · 8,000 MACs / (1 T · e) and (800 + 200) B / (100 G · e), and a launch.
TEST(Predictor, TheFormula) {
  const auto predictor = Predictor::make(simple_device(), Runtime::Compiled, "fp32");
  ASSERT_TRUE(predictor.has_value()) << predictor.error().message;
  const auto at = static_cast<std::size_t>(KernelClass::Gemm);
  const FusedKernel kernel{
      .kind = KernelClass::Gemm, .macs = 8000, .read_bytes = 800, .write_bytes = 200};
  const KernelTime time = predictor->time(kernel);
  const Efficiency& e = predictor->efficiency();
  EXPECT_DOUBLE_EQ(time.compute, 16000 / (1e12 * e.compute[at]));
  EXPECT_DOUBLE_EQ(time.memory, 1000 / (100e9 * e.memory[at]));
  EXPECT_DOUBLE_EQ(time.seconds, std::max(time.compute, time.memory) + e.launch_seconds[at]);
  EXPECT_THAT(predictor->formula(kernel), HasSubstr("max(2·8.000 k MACs / (1.000 T/s fp32"));
  const std::array<FusedKernel, 2> twice = {kernel, kernel};
  EXPECT_DOUBLE_EQ(predictor->time(twice).seconds, 2 * time.seconds);
  EXPECT_LT(predictor->time(twice).low, 2 * time.seconds);
  EXPECT_GT(predictor->time(twice).high, 2 * time.seconds);
}

// An L4 has 72 W for 30.3 TFLOP/s at 5 nm, too little by the constant that was fitted to other
// cards; an A100 has 400 W for 19.5 TFLOP/s at 7 nm, which is enough.
TEST(Predictor, PowerLimitsMatrixUnits) {
  const auto at = static_cast<std::size_t>(KernelClass::Gemm);
  const FusedKernel product{.kind = KernelClass::Gemm, .macs = 1e12, .outputs = 1e9};
  const auto l4 = Predictor::make(*find_device("l4"), Runtime::Eager, "fp32");
  const double share = 72 / (l4->efficiency().watts_per_tflops * 30.3 * 5 / 16);
  EXPECT_LT(share, 0.5);
  EXPECT_NEAR(l4->time(product).compute, 2e12 / (30.3e12 * l4->efficiency().compute[at] * share),
              1e-9);
  EXPECT_THAT(l4->formula(product), HasSubstr(" power)"));
  const auto a100 = Predictor::make(*find_device("a100"), Runtime::Eager, "fp32");
  EXPECT_DOUBLE_EQ(a100->time(product).compute, 2e12 / (19.5e12 * a100->efficiency().compute[at]));
  EXPECT_THAT(a100->formula(product), Not(HasSubstr("power")));
  const auto compiled = Predictor::make(*find_device("l4"), Runtime::Compiled, "fp32");
  EXPECT_DOUBLE_EQ(compiled->time(product).compute, l4->time(product).compute);
  // Vectors are not limited: 30.3 TFLOP/s are theirs, too.
  const FusedKernel sum{.kind = KernelClass::Pointwise, .flops = 1e12};
  EXPECT_NEAR(l4->time(sum).compute, 1e12 / (30.3e12 * 0.7), 1e-9);
}

// Two operators of GPT-2 in fp32 as NeuSight measured them (MIT), of the cards with PCIe: the
// largest product, 4096×1280 by 1280×50257, and softmax over 4×20×1024×1024.
struct MeasuredOperators {
  const char* device;
  double gemm_ms, softmax_ms;
};
constexpr MeasuredOperators kMeasured[] = {
    {"t4", 129.264874, 3.065702}, {"p4", 138.954138, 4.771635},  {"a100-40", 30.154138, 0.530022},
    {"v100", 38.867149, 0.8448},  {"mi210", 16.23652, 0.504353}, {"p100", 62.677408, 1.425472}};

TEST(Predictor, OperatorsOfTransformersTakeAsLongAsMeasured) {
  const FusedKernel gemm{.kind = KernelClass::Gemm,
                         .macs = 4096.0 * 1280 * 50257,
                         .read_bytes = 4.0 * (4096 * 1280 + 1280 * 50257),
                         .write_bytes = 4.0 * 4096 * 50257,
                         .weight_bytes = 4.0 * 1280 * 50257,
                         .outputs = 4096.0 * 50257};
  const double scores = 4.0 * 20 * 1024 * 1024;
  const FusedKernel softmax{.kind = KernelClass::Softmax,
                            .read_bytes = 4 * scores,
                            .write_bytes = 4 * scores,
                            .outputs = scores};
  for (const MeasuredOperators& one : kMeasured) {
    const auto predictor = Predictor::make(*find_device(one.device), Runtime::Eager, "fp32");
    EXPECT_NEAR(std::log(predictor->time(gemm).seconds * 1e3 / one.gemm_ms), 0, 0.3) << one.device;
    EXPECT_NEAR(std::log(predictor->time(softmax).seconds * 1e3 / one.softmax_ms), 0, 0.3)
        << one.device;
  }
}

TEST(Predictor, UnknownCostsHaveNoTime) {
  const auto predictor = Predictor::make(simple_device(), Runtime::Compiled, "fp32");
  const std::array<FusedKernel, 1> kernels = {FusedKernel{.kind = KernelClass::Unknown}};
  const DeviceTime time = predictor->time(kernels);
  EXPECT_EQ(time.unknown, 1u);
  EXPECT_EQ(time.kernels[0].bound, Bound::Unknown);
}

TEST(Predictor, RefusesAPrecisionWithoutAPeak) {
  const Device device = *parse_device("kind = \"mcu\"\nint8 = \"1 GOP/s\"\n", "m", "m.toml");
  const auto predictor = Predictor::make(device, Runtime::Engine, "fp32");
  ASSERT_FALSE(predictor.has_value());
  EXPECT_EQ(predictor.error().message, "m states no peak for fp32");
  EXPECT_EQ(Predictor::make(device, Runtime::Engine, "")->precision(), "int8");
}

// Costs at batches 2 and 4 give batch 7 exactly, since they are affine in it.
TEST(AtBatch, IsExact) {
  const auto two = kernels_of(resnet50(2), Runtime::Eager);
  const auto four = kernels_of(resnet50(4), Runtime::Eager);
  const auto seven = kernels_of(resnet50(7), Runtime::Eager);
  const auto made = at_batch(two, 2, four, 4, 7);
  ASSERT_TRUE(made.has_value());
  for (std::size_t i = 0; i < seven.size(); ++i) {
    EXPECT_DOUBLE_EQ((*made)[i].macs, seven[i].macs);
    EXPECT_DOUBLE_EQ((*made)[i].read_bytes, seven[i].read_bytes);
    EXPECT_DOUBLE_EQ((*made)[i].write_bytes, seven[i].write_bytes);
  }
  EXPECT_FALSE(at_batch(two, 2, std::span(four).first(3), 4, 7));
}

TEST(Efficiencies, AreSharesForEveryDeviceAndRuntime) {
  for (const Device& device : all_devices())
    for (const Runtime runtime : {Runtime::Eager, Runtime::Compiled, Runtime::Engine})
      for (const char* precision : {"fp16", "fp32"}) {
        const auto found = find_efficiency(device, runtime, precision);
        ASSERT_TRUE(found.has_value()) << device.name << ": " << found.error().message;
        for (std::size_t i = 0; i < kKernelClasses; ++i) {
          EXPECT_GT(found->compute[i], 0);
          EXPECT_LE(found->compute[i], 1);
          EXPECT_GT(found->memory[i], 0);
          EXPECT_LE(found->memory[i], 1);
        }
        EXPECT_GT(found->launch_seconds[0], 0);
        EXPECT_LT(found->spread.low, 1);
        EXPECT_GT(found->spread.high, 1);
      }
}

// Images a second that timm published for an RTX 4090 (pytorch-image-models, Apache-2.0; mixed
// precision, NCHW, eager), for networks that are built in with the same MACs. Built-in networks
// take GELU, SiLU and attention apart, which PyTorch does not.
struct Published {
  const char* network;
  double batch, per_second;
};
constexpr Published kPublished[] = {
    {"wide_resnet101_2", 1024, 1674.9},  {"resnext101_32x8d", 1024, 1397.0},
    {"densenet161", 1024, 1806.9},       {"vgg16", 1024, 2165.3},
    {"mobilenet_v2", 1024, 10810.1},     {"mobilenet_v3_large", 1024, 14191.2},
    {"mnasnet1_0", 1024, 12674.1},       {"regnet_x_8gf", 1024, 2928.6},
    {"efficientnet_b2", 1024, 3712.6},   {"efficientnet_b4", 384, 1211.2},
    {"efficientnet_v2_s", 1024, 1419.6}, {"swin_t", 1024, 2659.3},
    {"vit_b_16", 1024, 2787.2},
};

TEST(Predictor, FilesOfNetworksTakeAsLongAsPyTorch) {
  const auto predictor = Predictor::make(*find_device("rtx-4090"), Runtime::Eager, "fp16");
  for (const Published& one : kPublished) {
    InferOptions options;
    options.batch = static_cast<std::int64_t>(one.batch);
    const Counted net = counted(std::move(zoo::build(one.network)->model), options);
    const double seconds = predictor->time(kernels_of(net, Runtime::Eager)).seconds;
    EXPECT_NEAR(std::log(seconds * one.per_second / one.batch), 0, 0.3) << one.network;
  }
}

// The nearest constants: a device's own, then those of its runtime.
TEST(Efficiencies, EachRuntimeHasItsOwn) {
  const auto name = [](const char* device, Runtime runtime, const char* precision) {
    return find_efficiency(*find_device(device), runtime, precision)->name;
  };
  EXPECT_EQ(name("rtx-4090", Runtime::Eager, "fp16"), "rtx-4090-eager");
  EXPECT_EQ(name("rtx-4090", Runtime::Compiled, "fp16"), "gpu-compiled");
  EXPECT_EQ(name("rtx-4090", Runtime::Engine, "fp16"), "gpu-engine");
  EXPECT_EQ(name("a100", Runtime::Engine, "bf16"), "a100-80-engine");
  EXPECT_EQ(name("a100", Runtime::Eager, "fp32"), "gpu-eager-fp32");
  EXPECT_EQ(name("a100", Runtime::Compiled, "fp32"), "gpu-compiled-fp32");
  EXPECT_EQ(name("a100", Runtime::Engine, "fp32"), "gpu-engine-fp32");
  EXPECT_EQ(name("raspberry-pi-5", Runtime::Engine, "fp32"), "cpu-compiled");
  EXPECT_FALSE(find_efficiency(*find_device("a100"), Runtime::Engine, "fp32")->products);
  EXPECT_FALSE(find_efficiency(*find_device("a100"), Runtime::Compiled, "fp16")->products);
}

// The gradient of a weight has few outputs, and uses all cores; kernels of backward passes take
// longer by a factor that was fitted to training steps.
TEST(Predictor, BackwardPassesTakeLonger) {
  const auto predictor = Predictor::make(*find_device("rtx-3090"), Runtime::Eager, "fp16");
  FusedKernel kernel{.kind = KernelClass::Gemm, .macs = 1e12, .outputs = 1000};
  EXPECT_LT(predictor->utilisation(kernel), 0.1);
  kernel.phase = Phase::Backward;
  EXPECT_DOUBLE_EQ(predictor->utilisation(kernel), 1);
  const double factor = predictor->efficiency().backward;
  EXPECT_GT(factor, 1);
  const double share = predictor->efficiency().compute[static_cast<std::size_t>(kernel.kind)];
  EXPECT_NEAR(predictor->time(kernel).compute, factor * 2e12 / (71.2e12 * share), 1e-3);
  EXPECT_THAT(predictor->formula(kernel), HasSubstr(" backward · max("));
  const auto fp32 = Predictor::make(*find_device("a100"), Runtime::Eager, "fp32");
  EXPECT_EQ(fp32->efficiency().backward, 1);
}

// In fp32, operators of transformers were measured on GPUs, and no convolution.
TEST(Predictor, ConvolutionsInFp32HaveAWiderInterval) {
  const auto predictor = Predictor::make(*find_device("a100"), Runtime::Eager, "fp32");
  const std::array<FusedKernel, 2> products = {
      FusedKernel{.kind = KernelClass::Gemm, .macs = 1e12, .outputs = 1e9},
      FusedKernel{.kind = KernelClass::Softmax, .read_bytes = 1e9}};
  std::array<FusedKernel, 2> images = products;
  images[1].kind = KernelClass::Depthwise;
  const DeviceTime narrow = predictor->time(products), wide = predictor->time(images);
  EXPECT_LT(wide.low / wide.seconds, narrow.low / narrow.seconds);
  EXPECT_GT(wide.high / wide.seconds, narrow.high / narrow.seconds);
  const auto mixed = Predictor::make(*find_device("a100"), Runtime::Eager, "fp16");
  EXPECT_FALSE(mixed->borrows_for(images));
}

// NHWC was measured in eager mixed precision on GPUs only.
TEST(Efficiencies, OrderOfChannelsHasItsOwn) {
  const auto found = [](const char* device, Runtime runtime, const char* precision) {
    return *find_efficiency(*find_device(device), runtime, precision, ChannelOrder::Last);
  };
  EXPECT_EQ(found("rtx-4090", Runtime::Eager, "fp16").name, "rtx-4090-eager-nhwc");
  EXPECT_EQ(found("a100", Runtime::Eager, "bf16").name, "gpu-eager-nhwc");
  EXPECT_TRUE(found("a100", Runtime::Eager, "bf16").same_channels);
  const Efficiency compiled = found("rtx-4090", Runtime::Compiled, "fp16");
  EXPECT_EQ(compiled.name, "gpu-compiled");
  EXPECT_FALSE(compiled.same_channels);
  const auto first = find_efficiency(*find_device("rtx-4090"), Runtime::Compiled, "fp16");
  EXPECT_TRUE(first->same_channels);
  EXPECT_LT(compiled.spread.low, first->spread.low);
  EXPECT_EQ(found("i9-10940x", Runtime::Compiled, "fp32").name, "cpu-compiled");
  EXPECT_TRUE(found("a100", Runtime::Engine, "fp16").same_channels);  // it chooses by itself
}

TEST(Efficiencies, RefuseAMeasuredClassThatDoesNotExist) {
  Device device;
  device.name = "mine";
  device.measured.emplace();
  device.measured->runtime = name_of(Runtime::Engine);
  device.measured->classes.push_back({.name = "conv1x1", .compute = 0.5, .memory = 0.5});
  EXPECT_TRUE(find_efficiency(device, Runtime::Engine, "fp32"));
  device.measured->classes.push_back({.name = "conv1x2"});
  const auto found = find_efficiency(device, Runtime::Engine, "fp32");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("mine: [classes] has \"conv1x2\", which is not a "
                                               "class of kernels (did you mean conv1x1"));
}

}  // namespace
}  // namespace strata

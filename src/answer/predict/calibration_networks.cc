#include "predict/calibration_networks.h"

#include <array>
#include <string>

#include "strata/build/builder.h"

namespace strata {

namespace {

using build::Builder;
using build::Var;

Var conv_relu(Builder& net, const std::string& name, Var x, std::int64_t out,
              const build::ConvOptions& options) {
  return net.relu(name + "_relu", net.conv(name, x, out, options));
}

void end_in_classes(Builder& net, Var x, std::int64_t classes) {
  net.output("output", net.linear("classifier", net.flatten(net.adaptive_avg_pool(x, 1)), classes));
}

// Stages of plain convolutions, with pooling between them.
void plain(Builder& net, std::int64_t image, std::int64_t width, std::int64_t kernel) {
  Var x = net.input("input", {1, 3, image, image});
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    const std::int64_t out = width << stage;
    for (const char* part : {"a", "b"})
      x = conv_relu(net, "stage" + std::to_string(stage) + part, x, out,
                    {.kernel = kernel, .pad = kernel / 2});
    x = net.max_pool(x, {.kernel = 2, .stride = 2});
  }
  end_in_classes(net, x, 500);
}

// Narrow, wide and narrow again, with a sum around; groups in the middle if there is more than one.
void residual(Builder& net, std::int64_t image, std::int64_t width, std::int64_t groups) {
  Var x = net.input("input", {1, 3, image, image});
  x = conv_relu(net, "stem", x, width, {.kernel = 7, .stride = 2, .pad = 3});
  x = net.max_pool(x, {.kernel = 3, .stride = 2, .pad = 1});
  for (std::int64_t stage = 0; stage < 4; ++stage)
    for (std::int64_t block = 0; block < 2; ++block) {
      const std::string name = "block" + std::to_string(stage) + "_" + std::to_string(block);
      const std::int64_t inner = width << stage, outer = inner * 3;
      const std::int64_t stride = block == 0 && stage > 0 ? 2 : 1;
      Var y = conv_relu(net, name + "_a", x, inner, {});
      y = conv_relu(net, name + "_b", y, inner,
                    {.kernel = 3, .stride = stride, .pad = 1, .groups = groups});
      y = net.conv(name + "_c", y, outer);
      if (block == 0) x = net.conv(name + "_d", x, outer, {.stride = stride});
      x = net.relu(name + "_relu", net.add(x, y));
    }
  end_in_classes(net, x, 700);
}

// Two 3×3 convolutions with norms, and a sum around.
void basic(Builder& net, std::int64_t image, std::int64_t width) {
  Var x = net.input("input", {1, 3, image, image});
  x = conv_relu(net, "stem", x, width, {.kernel = 3, .stride = 2, .pad = 1});
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    const std::string name = "block" + std::to_string(stage);
    const std::int64_t out = width << stage;
    x = conv_relu(net, name + "_in", x, out, {.kernel = 3, .stride = 2, .pad = 1});
    Var y = net.relu(name + "_r",
                     net.batch_norm(name + "_n", net.conv(name + "_a", x, out,
                                                          {.kernel = 3, .pad = 1, .bias = false})));
    y = net.batch_norm(name + "_m",
                       net.conv(name + "_b", y, out, {.kernel = 3, .pad = 1, .bias = false}));
    x = net.relu(name + "_relu", net.add(x, y));
  }
  end_in_classes(net, x, 300);
}

enum class Act { Relu6, HardSwish, Silu };

Var activated(Builder& net, const std::string& name, Var x, Act act) {
  if (act == Act::HardSwish) return net.hardswish(name, x);
  return act == Act::Silu ? net.silu(name, x) : net.relu6(name, x);
}

// A gate for each channel, made from the mean over the image.
Var gated(Builder& net, const std::string& name, Var x, std::int64_t narrow) {
  Var gate = net.adaptive_avg_pool(x, 1);
  gate = net.relu(name + "_gate_relu", net.conv(name + "_gate_a", gate, narrow));
  gate = net.sigmoid(net.conv(name + "_gate_b", gate, net.channels(x)));
  return net.mul(x, gate);
}

// Wide in the middle, with a depthwise window.
void inverted(Builder& net, std::int64_t image, std::int64_t width, std::int64_t window, Act act,
              bool has_gates) {
  Var x = net.input("input", {1, 3, image, image});
  x = activated(net, "stem_act", net.conv("stem", x, width, {.kernel = 3, .stride = 2, .pad = 1}),
                act);
  constexpr std::array<std::int64_t, 5> kFactors = {1, 2, 3, 6, 10};
  for (std::size_t stage = 0; stage < kFactors.size(); ++stage)
    for (int block = 0; block < 2; ++block) {
      const std::string name = "block" + std::to_string(stage) + "_" + std::to_string(block);
      const std::int64_t wide = net.channels(x) * 5, out = width * kFactors[stage];
      Var y = activated(net, name + "_act", net.conv(name + "_a", x, wide), act);
      y = net.conv(
          name + "_b", y, wide,
          {.kernel = window, .stride = block == 0 ? 2 : 1, .pad = window / 2, .groups = wide});
      y = activated(net, name + "_act2", y, act);
      if (has_gates) y = gated(net, name, y, wide / 4);
      y = net.conv(name + "_c", y, out);
      x = block == 0 ? y : net.add(x, y);
    }
  x = activated(net, "head_act", net.conv("head", x, width * 40), act);
  end_in_classes(net, x, 400);
}

// Each layer reads all that were before it; norms come first, so they are not folded.
void dense(Builder& net, std::int64_t image, std::int64_t width, std::int64_t growth) {
  Var x = net.input("input", {1, 3, image, image});
  x = conv_relu(net, "stem", x, width, {.kernel = 7, .stride = 2, .pad = 3});
  x = net.max_pool(x, {.kernel = 3, .stride = 2, .pad = 1});
  for (int stage = 0; stage < 3; ++stage) {
    for (int layer = 0; layer < 5; ++layer) {
      const std::string name = "layer" + std::to_string(stage) + "_" + std::to_string(layer);
      Var y = net.relu(name + "_relu", net.batch_norm(name + "_norm", x));
      y = net.conv(name + "_a", y, 4 * growth, {.bias = false});
      y = net.relu(name + "_relu2", net.batch_norm(name + "_norm2", y));
      y = net.conv(name + "_b", y, growth, {.kernel = 3, .pad = 1, .bias = false});
      x = net.concat({x, y}, 1);
    }
    const std::string name = "between" + std::to_string(stage);
    x = net.relu(name + "_relu", net.batch_norm(name + "_norm", x));
    x = net.conv(name, x, net.channels(x) / 2, {.bias = false});
    x = net.avg_pool(x, {.kernel = 2, .stride = 2});
  }
  end_in_classes(net, x, 600);
}

// Half of the channels pass by; then the two halves are mixed.
void shuffled(Builder& net, std::int64_t image, std::int64_t width) {
  Var x = net.input("input", {1, 3, image, image});
  x = conv_relu(net, "stem", x, width, {.kernel = 3, .stride = 2, .pad = 1});
  for (int stage = 0; stage < 4; ++stage) {
    x = conv_relu(net, "widen" + std::to_string(stage), x, width << stage, {.stride = 2});
    for (int block = 0; block < 2; ++block) {
      const std::string name = "block" + std::to_string(stage) + "_" + std::to_string(block);
      const std::vector<Var> halves = net.split(x, 1, 2);
      const std::int64_t half = net.channels(halves[1]);
      Var y = conv_relu(net, name + "_a", halves[1], half, {});
      y = net.conv(name + "_b", y, half, {.kernel = 3, .pad = 1, .groups = half});
      y = conv_relu(net, name + "_c", y, half, {});
      x = net.concat({halves[0], y}, 1);
      const Expr side = net.size(x, 2);
      x = net.reshape(x, {1, 2, half, side, side});
      x = net.reshape(net.transpose(x, {0, 2, 1, 3, 4}), {1, 2 * half, side, side});
    }
  }
  end_in_classes(net, x, 200);
}

// Branches of several windows, joined.
void branched(Builder& net, std::int64_t image, std::int64_t width) {
  Var x = net.input("input", {1, 3, image, image});
  x = conv_relu(net, "stem", x, width, {.kernel = 3, .stride = 2, .pad = 1});
  for (int stage = 0; stage < 4; ++stage) {
    const std::string name = "stage" + std::to_string(stage);
    const std::int64_t out = width << stage;
    const Var a = conv_relu(net, name + "_1", x, out, {});
    Var b = conv_relu(net, name + "_3a", x, out / 2, {});
    b = conv_relu(net, name + "_3b", b, out, {.kernel = 3, .pad = 1});
    const Var c = conv_relu(net, name + "_p", net.max_pool(x, {.kernel = 3, .stride = 1, .pad = 1}),
                            out / 2, {});
    x = net.max_pool(net.concat({a, b, c}, 1), {.kernel = 3, .stride = 2, .ceil = true});
  }
  x = net.resize_by(x, 2);
  end_in_classes(net, net.batch_norm("norm", x), 200);
}

// Layers of a transformer, with everything spelled out.
void attentive(Builder& net, std::int64_t tokens, std::int64_t width, std::int64_t heads) {
  Var x = net.input("input", {1, tokens, width});
  const std::int64_t each = width / heads;
  for (int layer = 0; layer < 2; ++layer) {
    const std::string name = "layer" + std::to_string(layer);
    const Var normed = net.layer_norm(name + "_norm", x);
    const auto head = [&](const char* part) {
      const Var y = net.linear(name + part, normed, width);
      return net.transpose(net.reshape(y, {1, tokens, heads, each}), {0, 2, 1, 3});
    };
    const Var query = head("_q"), key = head("_k"), value = head("_v");
    const Var scores =
        net.mul(net.matmul(query, net.transpose(key, {0, 1, 3, 2})), net.number(0.125F));
    Var y = net.matmul(net.softmax(scores, -1), value);
    y = net.reshape(net.transpose(y, {0, 2, 1, 3}), {1, tokens, width});
    x = net.add(x, net.linear(name + "_o", y, width));
    y = net.linear(name + "_up", net.layer_norm(name + "_norm2", x), 4 * width);
    x = net.add(x, net.linear(name + "_down", net.gelu(name + "_gelu", y), width));
  }
  net.output("output", x);
}

// Large products of one row.
void layered(Builder& net, std::int64_t width) {
  Var x = net.input("input", {1, width});
  x = net.relu("relu1", net.linear("fc1", x, 2 * width));
  x = net.relu("relu2", net.linear("fc2", x, width));
  net.output("output", net.linear("fc3", x, 1000));
}

struct NetworkRow {
  std::string_view name;
  void (*build)(Builder& net);
};
constexpr NetworkRow kNetworks[] = {
    {"plain-40", [](Builder& net) { plain(net, 160, 40, 3); }},
    {"plain-72", [](Builder& net) { plain(net, 192, 72, 3); }},
    {"plain-24-5x5", [](Builder& net) { plain(net, 128, 24, 5); }},
    {"residual-48", [](Builder& net) { residual(net, 192, 48, 1); }},
    {"residual-80", [](Builder& net) { residual(net, 256, 80, 1); }},
    {"residual-96-groups", [](Builder& net) { residual(net, 192, 96, 24); }},
    {"basic-56", [](Builder& net) { basic(net, 224, 56); }},
    {"inverted-16", [](Builder& net) { inverted(net, 192, 16, 3, Act::Relu6, false); }},
    {"inverted-24-gates", [](Builder& net) { inverted(net, 256, 24, 5, Act::HardSwish, true); }},
    {"inverted-24-silu", [](Builder& net) { inverted(net, 224, 24, 3, Act::Silu, true); }},
    {"inverted-12", [](Builder& net) { inverted(net, 128, 12, 5, Act::Relu6, false); }},
    {"dense-48", [](Builder& net) { dense(net, 192, 48, 24); }},
    {"dense-96", [](Builder& net) { dense(net, 256, 96, 40); }},
    {"shuffled-32", [](Builder& net) { shuffled(net, 224, 32); }},
    {"shuffled-64", [](Builder& net) { shuffled(net, 192, 64); }},
    {"branched-48", [](Builder& net) { branched(net, 192, 48); }},
    {"branched-80", [](Builder& net) { branched(net, 256, 80); }},
    {"attentive-100", [](Builder& net) { attentive(net, 100, 256, 4); }},
    {"attentive-200", [](Builder& net) { attentive(net, 200, 640, 10); }},
    {"layered-1600", [](Builder& net) { layered(net, 1600); }},
    {"layered-3000", [](Builder& net) { layered(net, 3000); }},
};

}  // namespace

std::size_t calibration_networks() { return std::size(kNetworks); }

std::string_view calibration_network_name(std::size_t index) { return kNetworks[index].name; }

Result<Model> calibration_network(std::size_t index) {
  Builder net("Calibration");
  kNetworks[index].build(net);
  auto network = std::move(net).finish();
  if (!network) return failure(network);
  return std::move(network->model);
}

}  // namespace strata

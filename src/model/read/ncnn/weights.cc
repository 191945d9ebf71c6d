#include "read/ncnn/weights.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/ncnn/attributes.h"

namespace strata::ncnn {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

std::int64_t product(const Line& line, const std::vector<std::int64_t>& sizes) {
  std::int64_t all = 1;
  for (const std::int64_t size : sizes)
    if (size < 0 || __builtin_mul_overflow(all, size, &all) || all > kMostElements)
      throw damaged_layer(line, "sizes that no weights have");
  return all;
}

// `whole` / `part`, which has to be a number.
std::int64_t share(const Line& line, std::int64_t whole, std::int64_t part) {
  if (part < 1 || whole % part != 0)
    throw damaged_layer(line, fmt::format("{} weights, which do not fit its sizes", whole));
  return whole / part;
}

class Weights {
 public:
  explicit Weights(const Line& line) : line_(line) {}

  std::vector<Weight> read() {
    const std::string_view type = line_.type;
    if (window_axes(type) > 0 && !type.starts_with("Pooling"))
      convolution();
    else if (type == "InnerProduct")
      inner_product();
    else if (type == "Embed")
      embed();
    else if (type == "Gemm")
      gemm();
    else if (type == "MultiHeadAttention")
      attention();
    else if (type == "LSTM" || type == "GRU" || type == "RNN")
      recurrent(type == "LSTM" ? 4 : type == "GRU" ? 3 : 1);
    else
      vectors();
    return std::move(weights_);
  }

 private:
  std::int64_t count(std::int64_t number) const {
    const std::int64_t value = line_.whole(number, 0);
    if (value < 0 || value > kMostElements)
      throw damaged_layer(line_, fmt::format("{} for setting {}", value, number));
    return value;
  }
  void add(std::string_view name, std::vector<std::int64_t> dims, std::size_t slot,
           bool has_tag = false) {
    if (product(line_, dims) == 0) return;
    weights_.push_back({name, std::move(dims), slot, has_tag, true, DType::F32});
  }
  void add_scales(std::int64_t number) {
    if (number > 0) weights_.push_back({"scales", {number}, 0, false, false, DType::F32});
  }

  void convolution() {
    const std::string_view type = line_.type;
    const std::int64_t outputs = count(0), elements = count(6);
    if (line_.whole(19, 0) != 0 && !type.starts_with("Deconv")) return;  // weights are an input
    std::vector<std::int64_t> window = window_of(line_).kernel;
    const std::int64_t volume = product(line_, window);
    const std::int64_t group =
        type.find("DepthWise") != type.npos ? std::max<std::int64_t>(1, count(7)) : 1;
    if (outputs < 1 || volume < 1) throw damaged_layer(line_, "no outputs or no window");
    const std::int64_t inner = share(line_, share(line_, elements, outputs), volume);
    std::vector<std::int64_t> dims;
    if (type.starts_with("Deconv"))
      dims = {inner * group, share(line_, outputs, group)};
    else
      dims = {outputs, inner};
    dims.insert(dims.end(), window.begin(), window.end());
    const bool deforms = type == "DeformableConv2D";
    add("weight", std::move(dims), deforms ? 3 : 1, true);
    if (count(5) != 0) add("bias", {outputs}, deforms ? 4 : 2);
    const std::int64_t int8 = type.starts_with("Deconv") || deforms ? 0 : count(8);
    if (int8 == 0) return;
    const bool per_group = group > 1 || type == "ConvolutionDepthWise";
    in_int8();
    add_scales(!per_group ? outputs : int8 % 100 == 1 ? group : 1);
    add_scales(1);
    if (int8 > 100) add_scales(1);
  }

  void inner_product() {
    const std::int64_t outputs = count(0);
    if (outputs < 1) throw damaged_layer(line_, "no outputs");
    add("weight", {outputs, share(line_, count(2), outputs)}, 1, true);
    if (count(1) != 0) add("bias", {outputs}, 2);
    if (count(8) == 0) return;
    in_int8();
    add_scales(outputs);
    add_scales(1);
  }

  void embed() {
    const std::int64_t outputs = count(0);
    if (outputs < 1) throw damaged_layer(line_, "no outputs");
    add("weight", {share(line_, count(3), outputs), outputs}, 1, true);
    if (count(2) != 0) add("bias", {outputs}, 2);
    if (count(18) == 0) return;
    in_int8();
    add_scales(1);
  }

  void gemm() {
    const std::int64_t rows = count(7), columns = count(8), common = count(9);
    if (count(4) != 0)
      add("a", count(2) == 0 ? std::vector{rows, common} : std::vector{common, rows}, 0, true);
    if (count(5) != 0)
      add("b", count(3) == 0 ? std::vector{common, columns} : std::vector{columns, common}, 1,
          true);
    if (count(6) != 0) {
      const std::int64_t kind = line_.whole(10, 0);
      if (kind == 0) add("c", {1}, 2, true);
      if (kind == 1) add("c", {rows}, 2, true);
      if (kind == 2) add("c", {rows, 1}, 2, true);
      if (kind == 3) add("c", {rows, columns}, 2, true);
      if (kind == 4) add("c", {columns}, 2, true);
    }
    if (count(18) == 0) return;
    in_int8();
    if (count(4) != 0) add_scales(rows);
    if (count(5) != 0) add_scales(1);
  }

  void attention() {
    const std::int64_t embedded = count(0);
    if (embedded < 1) throw damaged_layer(line_, "no outputs");
    const std::int64_t queries = share(line_, count(2), embedded);
    const std::int64_t keys = line_.has(3) ? count(3) : embedded;
    const std::int64_t values = line_.has(4) ? count(4) : embedded;
    add("q_weight", {embedded, queries}, 4, true);
    add("q_bias", {embedded}, 5);
    add("k_weight", {embedded, keys}, 6, true);
    add("k_bias", {embedded}, 7);
    add("v_weight", {embedded, values}, 8, true);
    add("v_bias", {embedded}, 9);
    add("out_weight", {queries, embedded}, 10, true);
    add("out_bias", {queries}, 11);
    if (count(18) == 0) return;
    in_int8();
    for (int i = 0; i < 3; ++i) add_scales(embedded);
    add_scales(1);
  }

  void recurrent(std::int64_t gates) {
    const std::int64_t outputs = count(0), direction = count(2);
    const std::int64_t directions = direction == 2 ? 2 : 1;
    const std::int64_t hidden = gates == 4 && line_.has(3) ? count(3) : outputs;
    const std::int64_t rows = product(line_, {hidden, gates});
    const std::int64_t inputs = share(line_, count(1), product(line_, {rows, directions}));
    add("weight_xc", {directions, rows, inputs}, 3, true);
    add("bias_c", {directions, gates == 1 ? 1 : 4, hidden}, 4, true);
    add("weight_hc", {directions, rows, outputs}, 5, true);
    if (hidden != outputs) add("weight_hr", {directions, outputs, hidden}, 6, true);
    if (count(8) == 0) return;
    in_int8();
    add_scales(product(line_, {rows, directions}));
    add_scales(product(line_, {rows, directions}));
  }

  // Layers with one or several vectors.
  void vectors() {
    const std::string_view type = line_.type;
    const auto affine = [&](std::int64_t number) { return line_.whole(number, 1) != 0; };
    if (type == "BatchNorm") {
      // In ONNX's order the biases stand before the statistics.
      add("slope", {count(0)}, 1);
      add("mean", {count(0)}, 3);
      add("var", {count(0)}, 4);
      add("bias", {count(0)}, 2);
    } else if (type == "InstanceNorm" && affine(2)) {
      add("gamma", {count(0)}, 1);
      add("beta", {count(0)}, 2);
    } else if (type == "GroupNorm" && affine(3)) {
      add("gamma", {count(1)}, 1);
      add("beta", {count(1)}, 2);
    } else if (type == "LayerNorm" && affine(2)) {
      add("gamma", {count(0)}, 1);
      add("beta", {count(0)}, 2);
    } else if (type == "RMSNorm" && affine(2)) {
      add("gamma", {count(0)}, 1);
    } else if (type == "PReLU") {
      add("slope", {count(0)}, 1);
    } else if (type == "Scale" && line_.whole(0, 0) != -233) {
      add("scale", {1, count(0)}, 1);
      if (count(1) != 0) add("bias", {1, count(0)}, 2);
    } else if (type == "Bias") {
      add("bias", {1, count(0)}, 1);
    } else if (type == "Normalize") {
      add("scale", {count(3)}, 1);
    } else if (type == "Padding") {
      add_scales(count(6));
    } else if (type == "Quantize") {
      add_scales(line_.whole(0, 1));
    } else if (type == "Dequantize") {
      add_scales(line_.whole(0, 1));
      add_scales(count(1));
    } else if (type == "Requantize") {
      add_scales(line_.whole(0, 1));
      add_scales(line_.whole(1, 1));
      add_scales(count(2));
    }
  }

  // Stores weights that were added with a tag as 8-bit integers.
  void in_int8() {
    for (Weight& weight : weights_)
      if (weight.has_tag) weight.dtype = DType::I8;
  }

  const Line& line_;
  std::vector<Weight> weights_;
};

}  // namespace

Broken damaged_layer(const Line& line, std::string_view what) {
  return Broken{fmt::format("it is damaged: layer {} has {}", in_quotes(line.name), what)};
}

std::vector<Weight> weights_of(const Line& line) { return Weights(line).read(); }

}  // namespace strata::ncnn

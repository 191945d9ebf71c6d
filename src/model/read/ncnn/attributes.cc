#include "read/ncnn/attributes.h"

#include <algorithm>
#include <array>

namespace strata::ncnn {

namespace {

enum class Kind : std::uint8_t { Whole, Real, Wholes, Reals, Text, Equation };

struct Name {
  std::string_view type;  // of layers
  std::int64_t number;
  std::string_view attribute;
  Kind kind = Kind::Whole;
};

// Settings that rows ask for. A setting that a file leaves out has the default of the row.
constexpr Name kNames[] = {
    {"ArgMax", 0, "out_max_val"},
    {"ArgMax", 1, "topk"},
    {"BatchNorm", 1, "epsilon", Kind::Real},
    {"BinaryOp", 0, "op_type"},
    {"BinaryOp", 1, "with_scalar"},
    {"BinaryOp", 2, "b", Kind::Real},
    {"Clip", 0, "min", Kind::Real},
    {"Clip", 1, "max", Kind::Real},
    {"Concat", 0, "axis"},
    {"Crop", 0, "woffset"},
    {"Crop", 1, "hoffset"},
    {"Crop", 13, "doffset"},
    {"Crop", 2, "coffset"},
    {"Crop", 3, "outw"},
    {"Crop", 4, "outh"},
    {"Crop", 14, "outd"},
    {"Crop", 5, "outc"},
    {"Crop", 6, "woffset2"},
    {"Crop", 7, "hoffset2"},
    {"Crop", 15, "doffset2"},
    {"Crop", 8, "coffset2"},
    {"Crop", 9, "starts", Kind::Wholes},
    {"Crop", 10, "ends", Kind::Wholes},
    {"Crop", 11, "axes", Kind::Wholes},
    {"Crop", 19, "starts_expr", Kind::Text},
    {"Crop", 20, "ends_expr", Kind::Text},
    {"Crop", 21, "axes_expr", Kind::Text},
    {"CumulativeSum", 0, "axis"},
    {"Diag", 0, "diagonal"},
    {"Dropout", 0, "scale", Kind::Real},
    {"Einsum", 0, "equation", Kind::Equation},
    {"Eltwise", 0, "op_type"},
    {"Eltwise", 1, "coeffs", Kind::Reals},
    {"Exp", 1, "scale", Kind::Real},
    {"Exp", 2, "shift", Kind::Real},
    {"ExpandDims", 3, "axes", Kind::Wholes},
    {"GELU", 0, "fast"},
    {"GLU", 0, "axis"},
    {"Gemm", 0, "alpha", Kind::Real},
    {"Gemm", 1, "beta", Kind::Real},
    {"Gemm", 2, "transA"},
    {"Gemm", 3, "transB"},
    {"Gemm", 11, "output_N1M"},
    {"Gemm", 14, "output_transpose"},
    {"GridSample", 0, "sample_type"},
    {"GridSample", 3, "permute_fusion"},
    {"GroupNorm", 0, "num_groups"},
    {"Interp", 0, "resize_type"},
    {"Interp", 1, "height_scale", Kind::Real},
    {"Interp", 2, "width_scale", Kind::Real},
    {"Interp", 3, "output_height"},
    {"Interp", 4, "output_width"},
    {"Interp", 9, "size_expr", Kind::Text},
    {"LRN", 1, "size"},
    {"LRN", 3, "beta", Kind::Real},
    {"Log", 1, "scale", Kind::Real},
    {"Log", 2, "shift", Kind::Real},
    {"MVN", 1, "across_channels"},
    {"MatMul", 0, "transB"},
    {"MultiHeadAttention", 1, "num_heads"},
    {"Padding", 0, "top"},
    {"Padding", 1, "bottom"},
    {"Padding", 2, "left"},
    {"Padding", 3, "right"},
    {"Padding", 7, "front"},
    {"Padding", 8, "behind"},
    {"Permute", 0, "order_type"},
    {"PixelShuffle", 0, "upscale_factor"},
    {"Pooling", 0, "pooling_type"},
    {"Pooling", 4, "global_pooling"},
    {"Pooling", 5, "pad_mode"},
    {"Pooling", 7, "adaptive_pooling"},
    {"Power", 0, "power", Kind::Real},
    {"Power", 1, "scale", Kind::Real},
    {"Power", 2, "shift", Kind::Real},
    {"ReLU", 0, "slope", Kind::Real},
    {"PSROIPooling", 0, "width"},
    {"PSROIPooling", 1, "height"},
    {"PSROIPooling", 3, "channels"},
    {"ROIAlign", 0, "width"},
    {"ROIAlign", 1, "height"},
    {"ROIPooling", 0, "width"},
    {"ROIPooling", 1, "height"},
    {"Reduction", 0, "operation"},
    {"Reduction", 1, "reduce_all"},
    {"Reduction", 2, "coeff", Kind::Real},
    {"Reduction", 3, "axes", Kind::Wholes},
    {"Reduction", 4, "keepdims"},
    {"Reorg", 0, "stride"},
    {"Reshape", 0, "w"},
    {"Reshape", 1, "h"},
    {"Reshape", 11, "d"},
    {"Reshape", 2, "c"},
    {"Reshape", 6, "shape_expr", Kind::Text},
    {"Slice", 0, "slices", Kind::Wholes},
    {"Slice", 1, "axis"},
    {"Slice", 2, "indices", Kind::Wholes},
    {"Softmax", 0, "axis"},
    {"Spectrogram", 0, "n_fft"},
    {"Spectrogram", 1, "power"},
    {"Spectrogram", 2, "hoplen"},
    {"Spectrogram", 5, "center"},
    {"Spectrogram", 8, "onesided"},
    {"Squeeze", 0, "squeeze_w"},
    {"Squeeze", 1, "squeeze_h"},
    {"Squeeze", 11, "squeeze_d"},
    {"Squeeze", 2, "squeeze_c"},
    {"Squeeze", 3, "axes", Kind::Wholes},
    {"StatisticsPooling", 0, "include_stddev"},
    {"Tile", 0, "axis"},
    {"Tile", 1, "tiles"},
    {"Tile", 2, "repeats", Kind::Wholes},
    {"UnaryOp", 0, "op_type"},
};

// Functions that are fused into a layer, by their number.
constexpr std::array<std::string_view, 8> kActivations = {"",        "Relu", "LeakyRelu", "Clip",
                                                          "Sigmoid", "Mish", "HardSwish", "Gelu"};

bool is_pool(std::string_view type) { return type.starts_with("Pooling"); }

// The numbers of one setting of a window, for width, height and depth.
struct Numbers {
  std::int64_t width, height, depth;
};

std::vector<std::int64_t> sizes_of(const Line& line, std::size_t axes, const Numbers& numbers,
                                   std::int64_t otherwise) {
  const std::int64_t width = line.whole(numbers.width, otherwise);
  const std::int64_t height = line.whole(numbers.height, width);
  std::vector<std::int64_t> sizes;
  if (axes > 2) sizes.push_back(line.whole(numbers.depth, width));
  if (axes > 1) sizes.push_back(height);
  sizes.push_back(width);
  return sizes;
}

bool is_depthwise(std::string_view type) { return type.find("DepthWise") != type.npos; }
bool is_transposed(std::string_view type) { return type.starts_with("Deconvolution"); }

class Reader {
 public:
  Reader(Loading& loading, const Line& line) : loading_(loading), line_(line) {}

  std::vector<Attribute> read() {
    if (window_axes(line_.type) > 0) add_window();
    const std::string_view type = is_pool(line_.type) ? "Pooling" : line_.type;
    for (const Name& name : kNames)
      if (name.type == type && line_.has(name.number)) add(name);
    if (line_.type == "Unfold" || line_.type == "Fold") add_block();
    add_activation();
    return std::move(attributes_);
  }

 private:
  void add(const Name& name) {
    switch (name.kind) {
      case Kind::Whole:
        attributes_.push_back({name.attribute, line_.whole(name.number, 0)});
        break;
      case Kind::Real:
        attributes_.push_back({name.attribute, line_.real(name.number, 0)});
        break;
      case Kind::Wholes:
        add_list(name.attribute, line_.wholes(name.number));
        break;
      case Kind::Reals:
        add_list(name.attribute, line_.reals(name.number));
        break;
      case Kind::Text:
        attributes_.push_back({name.attribute, line_.setting(name.number)->text});
        break;
      case Kind::Equation:
        add_equation(name.attribute, line_.wholes(name.number));
        break;
    }
  }

  template <class T>
  void add_list(std::string_view name, const std::vector<T>& list) {
    loading_.count_list_items(list.size());
    attributes_.push_back({name, loading_.model.keep(std::span<const T>(list))});
  }

  // An equation in the codes of its letters. Blobs have one axis more here, in front.
  void add_equation(std::string_view name, const std::vector<std::int64_t>& letters) {
    std::string text = "...";
    for (const std::int64_t letter : letters) {
      if (letter < ' ' || letter > '~') return;  // no equation
      text += static_cast<char>(letter);
      if (letter == ',' || letter == '>') text += "...";
    }
    loading_.count_text(text.size());
    attributes_.push_back({name, loading_.model.keep(std::move(text))});
  }

  // The window of Unfold and Fold, and the size of the image that Fold makes.
  void add_block() {
    add_list("kernel_shape", sizes_of(line_, 2, {1, 11, 0}, 0));
    add_list("dilations", sizes_of(line_, 2, {2, 12, 0}, 1));
    add_list("strides", sizes_of(line_, 2, {3, 13, 0}, 1));
    const std::int64_t left = line_.whole(4, 0), top = line_.whole(14, left);
    add_list("pads",
             std::vector<std::int64_t>{top, left, line_.whole(16, top), line_.whole(15, left)});
    if (line_.type == "Fold") add_list("output_size", sizes_of(line_, 2, {20, 21, 0}, 0));
  }

  void add_window() {
    const std::string_view type = line_.type;
    const WindowSettings window = window_of(line_);
    add_list("kernel_shape", window.kernel);
    add_list("strides", window.strides);
    if (is_pool(type)) {
      add_list("pads", window.pads);
      if (line_.whole(7, 0) != 0)
        add_list("output_size", sizes_of(line_, window_axes(type), {8, 18, 28}, 0));
      return;
    }
    add_list("dilations", window.dilations);
    if (is_depthwise(type)) attributes_.push_back({"group", line_.whole(7, 1)});
    constexpr std::int64_t kSameUpper = -233, kSameLower = -234;
    const std::int64_t pad = line_.whole(4, 0);
    if (pad == kSameUpper)
      attributes_.push_back({"auto_pad", std::string_view("SAME_UPPER")});
    else if (pad == kSameLower)
      attributes_.push_back({"auto_pad", std::string_view("SAME_LOWER")});
    else
      add_list("pads", window.pads);
    if (is_transposed(type)) add_output_sizes();
  }

  void add_output_sizes() {
    const std::size_t axes = window_axes(line_.type);
    const Numbers padding = axes > 2 ? Numbers{18, 19, 20} : Numbers{18, 19, 0};
    const Numbers sizes = axes > 2 ? Numbers{25, 26, 27} : Numbers{20, 21, 0};
    const auto stated = sizes_of(line_, axes, sizes, 0);
    if (std::all_of(stated.begin(), stated.end(), [](std::int64_t size) { return size > 0; }))
      add_list("output_shape", stated);
    const auto more = sizes_of(line_, axes, padding, 0);
    if (std::any_of(more.begin(), more.end(), [](std::int64_t size) { return size != 0; }))
      add_list("output_padding", more);
  }

  void add_activation() {
    const bool fuses =
        window_axes(line_.type) > 0 || line_.type == "InnerProduct" || line_.type == "Requantize";
    if (!fuses || is_pool(line_.type)) return;
    const std::int64_t number = line_.whole(line_.type == "Requantize" ? 3 : 9, 0);
    if (number == 0) return;
    const bool known = number > 0 && static_cast<std::size_t>(number) < kActivations.size();
    attributes_.push_back({"activation", known ? kActivations[static_cast<std::size_t>(number)]
                                               : std::string_view("unknown")});
  }

  Loading& loading_;
  const Line& line_;
  std::vector<Attribute> attributes_;
};

}  // namespace

std::size_t window_axes(std::string_view type) {
  const bool is_window = type.starts_with("Convolution") || is_transposed(type) || is_pool(type) ||
                         type == "DeformableConv2D";
  if (!is_window) return 0;
  return type.ends_with("1D") ? 1 : type.ends_with("3D") ? 3 : 2;
}

WindowSettings window_of(const Line& line) {
  const std::size_t axes = window_axes(line.type);
  const bool pools = is_pool(line.type);
  WindowSettings window;
  window.kernel = sizes_of(line, axes, {1, 11, 21}, 0);
  window.strides = sizes_of(line, axes, pools ? Numbers{2, 12, 22} : Numbers{3, 13, 23}, 1);
  if (!pools) window.dilations = sizes_of(line, axes, {2, 12, 22}, 1);
  const std::int64_t left = line.whole(pools ? 3 : 4, 0);
  const std::int64_t top = line.whole(pools ? 13 : 14, left);
  const std::int64_t front = line.whole(pools ? 23 : 24, left);
  const std::int64_t right = line.whole(pools ? 14 : 15, left);
  const std::int64_t bottom = line.whole(pools ? 15 : 16, top);
  const std::int64_t behind = line.whole(pools ? 16 : 17, front);
  if (axes > 2) window.pads.push_back(front);
  if (axes > 1) window.pads.push_back(top);
  window.pads.push_back(left);
  if (axes > 2) window.pads.push_back(behind);
  if (axes > 1) window.pads.push_back(bottom);
  window.pads.push_back(right);
  return window;
}

std::vector<Attribute> attributes_of(Loading& loading, const Line& line) {
  return Reader(loading, line).read();
}

}  // namespace strata::ncnn

// The properties of an operator. Later rooms ask a row for these instead of comparing names, so
// that an operator is described in one place and operators of other dialects can be rows of the
// same table. A property that a row does not state is unknown.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "strata/graph/layer_kind.h"

namespace strata {

class NodeView;

// An operator by what it computes, whatever its dialect calls it. This lists those that rooms look
// for in patterns of several nodes; every other operator is Unknown here.
enum class Op : std::uint8_t {
  Unknown,
  Add,  // of two tensors
  Sum,  // of any number of tensors
  Sub,
  Mul,
  Div,
  Pow,
  Sqrt,
  Erf,
  Relu,
  Elu,
  Tanh,
  Sigmoid,
  Softplus,
  Softmax,
  MaxPool,
  GlobalMaxPool,
  ReduceMax,
  AveragePool,
  GlobalAveragePool,
  ReduceMean,
  Identity,
  Dropout,
  Reshape,
  Squeeze,
  Unsqueeze,
  Transpose,
  Concat,
  Split,
  Slice,
  Gather,
  GatherND,  // also per element, or from a packed table
  Pad,
  Constant,
  ShapeOf,
  MatMul,
  Einsum,
  Attention,  // scores, softmax and the product with values in one operator
  InstanceNorm,
  kCount,
};
static_assert(static_cast<int>(Op::kCount) <= 64, "rooms keep sets of them in 64 bits");

// A product with weights, by the layout of its operands.
enum class Product : std::uint8_t {
  Unknown,
  None,
  Conv,           // weights [outputs, inputs / groups, window…]
  ConvTranspose,  // weights [inputs, outputs / groups, window…]
  Gemm,           // two matrices and a bias
  MatMul,         // matrices along the last two axes
  Other,          // a product that no later room takes apart
};

inline constexpr std::uint8_t kNoInput = 0xff;

enum class Normalizes : std::uint8_t {
  Unknown,
  ByInput,       // gives a mean square of 1 for any input: LayerNormalization
  ByStatistics,  // uses a stored mean and variance: BatchNormalization
  Otherwise,     // LRN, LpNormalization
};
struct Norm {
  Normalizes how = Normalizes::Unknown;
  // The inputs that hold these.
  std::uint8_t scale = kNoInput, shift = kNoInput, mean = kNoInput, variance = kNoInput;
};

// The role of an operator for quantized numbers.
enum class Quantized : std::uint8_t {
  Unknown,
  Quantizes,    // floats to integers
  Dequantizes,  // integers to floats
  Computes,     // computes in integers
};

// The use that a node outside of layers has for 8-bit integers.
enum class Int8Use : std::uint8_t {
  Unknown,     // not stated; it stays in float
  None,        // stays in float, and its result from integers is not quantized
  Passing,     // returns what it is given: Reshape, MaxPool, …
  Arithmetic,  // engines have a kernel for it: Add, Concat, AveragePool, …
  Absorbed,    // Relu, Clip: the range of the next tensor clips instead
  Soft,        // runs in float, but its result from integers may well be quantized
};

// The result of the int8 kernel of a product with stored weights.
enum class Int8Output : std::uint8_t {
  Unknown,  // there is no such kernel, so the product stays in float
  Whole,    // integers, or it is not an int8 kernel
  Either,
  Floats,
};

// A function that leaves values between two bounds unchanged and clips the rest.
struct Clamp {
  bool is = false;
  // The bounds, if neither an input nor an attribute of the node gives them.
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  std::uint8_t low_input = kNoInput, high_input = kNoInput;
  std::string_view low_attribute = {}, high_attribute = {};
};

// The kind of an activation function that is written as several nodes, if this operator is the only
// one of them that is not arithmetic. Unknown: this operator is not part of any.
struct WrittenOut {
  LayerKind plain = LayerKind::Unknown;
  LayerKind gated = LayerKind::Unknown;  // two tensors are multiplied, as in x · sigmoid(x)
};

// The number of times that the bodies of an operator run.
enum class BodyRuns : std::uint8_t {
  Unknown,
  AsInferred,  // inference counts the runs of each
  OneOfThem,   // the same, and only one of the bodies runs
};

// Where the elements of an output are in the memory of input 0, in a framework whose tensors have
// strides.
enum class Strided : std::uint8_t {
  No,          // in separate memory
  InOrder,     // contiguous if those of the input are
  OutOfOrder,  // with gaps, or in another order
};

// The way to rewrite a node of an older version for the version that changed its operator.
enum class Rewrite : std::uint8_t {
  AttributesToInputs,  // `attributes`, in this order, are appended to the inputs
  NoAttributes,
  OneAxis,  // Softmax: all axes from one on became one axis
  Norm,     // BatchNormalization: `spatial` was removed
  Resize,   // the pixel origin became an attribute
  Renamed,  // the operator is now called attributes[0]
};
struct VersionChange {
  int version = 0;
  Rewrite how = Rewrite::NoAttributes;
  std::array<std::string_view, 3> attributes = {};  // empty: fewer
};

// An attribute by meaning, whatever the operator's dialect calls it.
enum class Attr : std::uint8_t {
  Groups,
  Kernel,
  Strides,
  Pads,     // of the starts of all axes, then of their ends
  Padding,  // of either end of each axis; a pool of such a dialect steps by its window if nothing
            // is stated, and one number stands for all axes
  Dilations,
  Axis,
  TransposeFirst,
  TransposeSecond,
  ProductScale,  // Gemm: alpha
  BiasScale,     // Gemm: beta
  Epsilon,
  Training,
  BatchFirst,
  Mode,
};
struct AttributeName {
  Attr attr;
  std::string_view name;
  double otherwise = 0;                  // the default number if the node does not state it
  std::string_view otherwise_text = {};  // the default if it is a text
  int since = 1;                         // first version with this name and default; newest first
};

struct Traits {
  Op op = Op::Unknown;

  // The kind of layer; if a row does not state it, the kind of its family.
  LayerKind kind = LayerKind::Unknown;
  // The kind if input `weights` is stored in the file; Unknown: the same.
  LayerKind kind_with_weights = LayerKind::Unknown;
  // The kind if attributes or bounds decide it; takes precedence over `kind`.
  LayerKind (*kind_of)(const NodeView& node) = nullptr;

  Product product = Product::Unknown;
  std::uint8_t weights = kNoInput, bias = kNoInput;  // which inputs
  std::uint8_t data = 0;                             // the input that the weights multiply
  bool channels_last = false;                        // for images: [N, …, C]
  std::uint8_t gates = 0;                            // of a recurrent layer; 0: it is not recurrent
  Norm norm = {};
  std::uint8_t slope = kNoInput;  // the input that PRelu learns

  // A function of each element that networks put after a layer.
  bool activation = false;
  // Its value for one element, with the usual attributes: for moments, not for results.
  double (*curve)(double) = nullptr;
  Clamp clamp = {};
  WrittenOut written_out = {};

  Int8Use int8 = Int8Use::Unknown;
  Int8Use (*int8_of)(const NodeView& node) = nullptr;  // if attributes decide; overrides `int8`
  bool int8_any_outputs = false;  // otherwise only if outputs after the first are not used
  Int8Output int8_output = Int8Output::Unknown;
  Quantized quantized = Quantized::Unknown;

  bool random = false;  // returns another result each time
  BodyRuns bodies = BodyRuns::Unknown;
  Strided (*strided)(const NodeView& node) = nullptr;  // null: No; needs a known rank
  // A view if the input is contiguous, otherwise a copy: Reshape.
  bool copies_unordered = false;

  const VersionChange* changed = nullptr;
  std::span<const AttributeName> attributes = {};

  // True if it has learned parameters although it multiplies no matrices.
  bool learns_without_product() const { return norm.scale != kNoInput || slope != kNoInput; }
};

}  // namespace strata

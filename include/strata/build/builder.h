// Networks described in code: modules with the names and classes that their author gives them,
// layers, and weights by shape only. Every operation is inferred as it is added, so a description
// can ask for the shape of what it has built so far.
//
//   Builder net("TinyNet");
//   Var x = net.input("input", {1, 3, 32, 32});
//   {
//     auto features = net.module("features", "Sequential");
//     x = net.conv("0", x, 16, {.kernel = 3, .pad = 1, .bias = false});
//     x = net.batch_norm("1", x);
//     x = net.relu("2", x);
//   }
//   x = net.flatten(net.mean(x, {2, 3}));     // no name: an operation, not a module
//   net.output("output", net.linear("classifier", x, 10));
//   Result<Network> network = std::move(net).finish();
//
// The first mistake is kept and returned by finish(); calls after it do nothing.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/infer/infer.h"

namespace strata::build {

// A tensor of the network that is being built. A default Var stands for an optional input that is
// left out.
struct Var {
  TensorId id = kNone;
};

// A size along height and width; one number means both.
struct Pair {
  constexpr Pair(std::int64_t both) : h(both), w(both) {}  // NOLINT(google-explicit-constructor)
  constexpr Pair(std::int64_t height, std::int64_t width) : h(height), w(width) {}
  std::int64_t h, w;
};

struct ConvOptions {
  Pair kernel = 1;
  Pair stride = 1;
  Pair pad = 0;
  Pair dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
};

struct PoolOptions {
  Pair kernel = 1;
  Pair stride = 1;
  Pair pad = 0;
  bool ceil = false;          // the last window may start inside and end outside
  bool count_padding = true;  // for averages: padding counts as elements
};

struct NormOptions {
  float epsilon = 1e-5F;
  std::string_view cls = {};  // class of the module, if it is not torch.nn's
};

// An attribute of an operator, for op().
struct Setting {
  std::string_view name;
  std::variant<std::int64_t, float, std::string_view, std::span<const std::int64_t>,
               std::span<const float>, const TensorData*>
      value;

  Setting(std::string_view n, int v) : name(n), value(std::int64_t{v}) {}
  Setting(std::string_view n, std::int64_t v) : name(n), value(v) {}
  Setting(std::string_view n, double v) : name(n), value(static_cast<float>(v)) {}
  Setting(std::string_view n, const char* v) : name(n), value(std::string_view(v)) {}
  Setting(std::string_view n, std::span<const std::int64_t> v) : name(n), value(v) {}
  Setting(std::string_view n, std::span<const float> v) : name(n), value(v) {}
  Setting(std::string_view n, const TensorData* v) : name(n), value(v) {}
  // The list lives until the end of the full expression, which is as long as it is needed.
  Setting(std::string_view n, std::initializer_list<std::int64_t> v)
      : name(n), value(std::span<const std::int64_t>(v.begin(), v.size())) {}
};

// The result of a description: the model, with its shapes already inferred.
struct Network {
  Model model;
  Inference inference;
};

class Builder {
 public:
  // `cls` is the class of the network's root module.
  explicit Builder(std::string_view cls, DType dtype = DType::F32);
  Builder(Builder&&) noexcept;
  Builder& operator=(Builder&&) noexcept;
  ~Builder();

  Var input(std::string_view name, Dims dims);  // has the network's type
  Var input(std::string_view name, DType dtype, Dims dims);
  void output(std::string_view name, Var x);
  // Keeps the first of several mistakes. Descriptions call it for arguments that they refuse.
  void fail(std::string message);
  bool failed() const;
  Result<Network> finish() &&;

  // Shapes of what has been built. A size that is not a number where one is needed is a mistake.
  const Dims& shape(Var x) const;
  Expr size(Var x, int axis) const;  // a negative axis counts from the end
  std::int64_t channels(Var x);      // size(x, 1) as a number
  std::int64_t number(Var x, int axis);
  DType dtype() const;

  // A module stays open until the object is destroyed. Opening the same path again is another call
  // of the same module, with the same weights.
  class Module {
   public:
    Module(Module&& other) noexcept : builder_(std::exchange(other.builder_, nullptr)) {}
    Module& operator=(Module&&) = delete;
    ~Module() {
      if (builder_ != nullptr) builder_->close();
    }

   private:
    friend class Builder;
    explicit Module(Builder* builder) : builder_(builder) {}
    Builder* builder_;
  };
  [[nodiscard]] Module module(std::string_view name, std::string_view cls);
  // Named by number, as a child of a Sequential or a ModuleList.
  [[nodiscard]] Module module(std::int64_t number, std::string_view cls);

  // Layers: each is a leaf module of this name.
  Var conv(std::string_view name, Var x, std::int64_t out, const ConvOptions& options = {});
  Var batch_norm(std::string_view name, Var x, const NormOptions& options = {});
  Var layer_norm(std::string_view name, Var x, const NormOptions& options = {});  // last axis
  // Over the last axis, without a mean and a bias.
  Var rms_norm(std::string_view name, Var x, const NormOptions& options = {});
  Var linear(std::string_view name, Var x, std::int64_t out, bool bias = true);
  Var embedding(std::string_view name, Var ids, std::int64_t entries, std::int64_t width);
  Var relu(std::string_view name, Var x);
  Var relu6(std::string_view name, Var x);
  Var sigmoid(std::string_view name, Var x);
  Var silu(std::string_view name, Var x);
  Var gelu(std::string_view name, Var x);       // with erf
  Var gelu_tanh(std::string_view name, Var x);  // approximated with tanh
  Var hardswish(std::string_view name, Var x);
  Var dropout(std::string_view name, Var x);  // as in evaluation: returns its input
  Var identity(std::string_view name, Var x);
  Var max_pool(std::string_view name, Var x, const PoolOptions& options);
  Var avg_pool(std::string_view name, Var x, const PoolOptions& options);
  Var adaptive_avg_pool(std::string_view name, Var x, Pair out);

  // Operations between modules.
  Var relu(Var x);
  Var sigmoid(Var x);
  Var max_pool(Var x, const PoolOptions& options);
  Var avg_pool(Var x, const PoolOptions& options);
  Var adaptive_avg_pool(Var x, Pair out);
  Var add(Var a, Var b);
  Var sub(Var a, Var b);
  Var mul(Var a, Var b);
  Var div(Var a, Var b);
  Var matmul(Var a, Var b);
  Var softmax(Var x, int axis);
  Var concat(std::span<const Var> parts, int axis);
  Var concat(std::initializer_list<Var> parts, int axis);
  Var flatten(Var x, int axis = 1);
  Var reshape(Var x, std::initializer_list<Expr> dims);  // -1 and 0 mean what they do in ONNX
  Var transpose(Var x, std::initializer_list<std::int64_t> order);
  Var mean(Var x, std::initializer_list<std::int64_t> axes, bool keep = false);
  Var squeeze(Var x, std::initializer_list<std::int64_t> axes);
  Var unsqueeze(Var x, std::initializer_list<std::int64_t> axes);
  // Elements [from, to) along one axis, every `step`th.
  Var slice(Var x, int axis, std::int64_t from, std::int64_t to, std::int64_t step = 1);
  Var gather(Var x, Var indices, int axis);
  std::vector<Var> split(Var x, int axis, std::span<const std::int64_t> sizes);
  std::vector<Var> split(Var x, int axis, int parts);  // into equal parts
  Var cast(Var x, DType to);
  // The size along an axis as i64[1], for operators that take sizes as inputs: a constant if it is
  // a number, otherwise taken from `x` while the network runs.
  Var length(Var x, int axis);
  Var resize(Var x, Pair out, std::string_view mode = "nearest");  // or "linear", "cubic"
  Var resize_by(Var x, float scale, std::string_view mode = "nearest");

  // Any operator: of the default domain by its name, of another one as `com.microsoft.MoE`.
  Var op(std::string_view name, std::initializer_list<Var> inputs,
         std::initializer_list<Setting> settings = {});
  Var op(std::string_view name, std::span<const Var> inputs, std::span<const Setting> settings);
  std::vector<Var> ops(std::string_view name, std::span<const Var> inputs, std::size_t outputs,
                       std::span<const Setting> settings = {});
  std::vector<Var> ops(std::string_view name, std::initializer_list<Var> inputs,
                       std::size_t outputs, std::initializer_list<Setting> settings = {});

  // A parameter of the open module; a second call of the module gets the same one.
  Var weight(std::string_view name, std::span<const std::int64_t> dims);
  Var weight(std::string_view name, std::initializer_list<std::int64_t> dims);
  // Fixed numbers that are not parameters. Equal ones are stored once.
  Var integers(std::span<const std::int64_t> items);  // i64[n]
  Var integers(std::initializer_list<std::int64_t> items);
  Var integer(std::int64_t item);            // a scalar
  Var floats(std::span<const float> items);  // f32[n], whatever the network's type is
  Var number(float item);                    // a scalar of the network's type
  Var table(std::span<const float> items, std::initializer_list<std::int64_t> dims);  // likewise

 private:
  friend class Module;
  struct Impl;
  void open(std::string_view name, std::string_view cls);
  void close();
  Var activation(std::string_view name, std::string_view cls, std::string_view op_name, Var x);
  Var bound(float item);
  Var pool(std::string_view op_name, Var x, const PoolOptions& options);
  std::unique_ptr<Impl> impl_;
};

}  // namespace strata::build

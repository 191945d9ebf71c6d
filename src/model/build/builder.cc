#include "strata/build/builder.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "build/builder_impl.h"
#include "infer/inputs.h"

namespace strata::build {

namespace {

constexpr std::int32_t kOpset = 17;  // what ONNX Runtime and current exporters write

// Containers that an exporter repeats in the names of their children: `features/features.0`.
bool is_list(std::string_view cls) {
  return cls == "Sequential" || cls == "ModuleList" || cls == "ModuleDict";
}

}  // namespace

Builder::Builder(std::string_view cls, DType dtype) : impl_(std::make_unique<Impl>(dtype)) {
  Model& model = impl_->model;
  model.ir_version = 8;
  model.producer = "strata";
  model.opsets.push_back({"", kOpset});
  model.scopes[0].cls = model.keep(cls);
  model.graph().nodes.reserve(192);
  model.graph().tensors.reserve(512);
  model.scopes.reserve(256);
  impl_->calls.reserve(256);
}
Builder::Builder(Builder&&) noexcept = default;
Builder& Builder::operator=(Builder&&) noexcept = default;
Builder::~Builder() = default;

DType Builder::dtype() const { return impl_->dtype; }
bool Builder::failed() const { return !impl_->error.empty(); }
void Builder::fail(std::string message) {
  if (!failed()) impl_->error = std::move(message);
}

Var Builder::input(std::string_view name, Dims dims) {
  return input(name, impl_->dtype, std::move(dims));
}

Var Builder::input(std::string_view name, DType dtype, Dims dims) {
  for (const Expr& size : dims)
    if (size.is_formula())
      for (std::string& symbol : size.symbols()) impl_->runner.take_name(std::move(symbol));
  const Var x = impl_->add_tensor(impl_->text(name), Role::Input);
  impl_->tensor(x).type = TypeInfo::tensor(dtype, std::move(dims));
  impl_->graph().inputs.push_back(x.id);
  return x;
}

void Builder::output(std::string_view name, Var x) {
  if (failed()) return;
  impl_->graph().outputs.push_back(x.id);
  if (impl_->tensor(x).role == Role::Activation) impl_->tensor(x).name = impl_->text(name);
}

Result<Network> Builder::finish() && {
  if (!failed() && impl_->graph().outputs.empty()) fail("the network has no output");
  if (failed()) return failure(impl_->error);
  Inference inference = impl_->runner.finish();
  return Network{std::move(impl_->model), std::move(inference)};
}

const Dims& Builder::shape(Var x) const {
  static const Dims kNoShape;
  return failed() || x.id == kNone ? kNoShape : impl_->tensor(x).type->dims;
}

Expr Builder::size(Var x, int axis) const {
  const Dims& dims = shape(x);
  const auto rank = static_cast<int>(dims.size());
  const int at = axis < 0 ? axis + rank : axis;
  return at >= 0 && at < rank ? dims[static_cast<std::size_t>(at)] : Expr::unknown();
}

std::int64_t Builder::number(Var x, int axis) {
  const Expr found = size(x, axis);
  if (const auto known = found.number()) return *known;
  if (!failed())
    fail(fmt::format("\"{}\" needs a number along axis {}; it is {}", impl_->tensor(x).name, axis,
                     text(shape(x))));
  return 1;
}

std::int64_t Builder::channels(Var x) { return number(x, 1); }

Builder::Module Builder::module(std::string_view name, std::string_view cls) {
  open(name, cls);
  return Module(this);
}

Builder::Module Builder::module(std::int64_t number, std::string_view cls) {
  open(Digits(static_cast<std::uint64_t>(number)), cls);
  return Module(this);
}

void Builder::open(std::string_view name, std::string_view cls) {
  Model& model = impl_->model;
  const Frame& around = impl_->frames.back();
  const std::string_view outer = model.scopes[around.scope].path;
  const std::string_view path = outer.empty() ? impl_->text(name) : impl_->join({outer, ".", name});
  const auto known = impl_->calls.insert(path, 0);
  if (!known.is_new) ++known.value;

  Frame frame;
  frame.scope = static_cast<ScopeId>(model.scopes.size());
  frame.again = around.again || !known.is_new;
  frame.list = is_list(cls);
  const bool repeats = around.list && !around.component.empty();
  const Digits digits(known.value);
  frame.prefix =
      impl_->join({around.prefix, "/", repeats ? around.component : "", repeats ? "." : "", name,
                   known.is_new ? "" : "_", known.is_new ? std::string_view() : digits});
  const std::size_t own = frame.prefix.size() - around.prefix.size() - 1 -
                          (known.is_new ? 0 : 1 + std::string_view(digits).size());
  frame.component = frame.prefix.substr(around.prefix.size() + 1, own);
  model.scopes.push_back(
      {path.substr(path.size() - name.size()), path, impl_->text(cls), around.scope, known.value});
  impl_->frames.push_back(std::move(frame));
}

void Builder::close() { impl_->frames.pop_back(); }

constexpr std::string_view kFirstOutput = "_output_0";

std::string_view Builder::Impl::node_name(std::string_view op) {
  Frame& frame = frames.back();
  std::uint32_t before = 0;
  auto used = std::find_if(frame.used.begin(), frame.used.end(),
                           [&](const Frame::Used& u) { return u.op == op; });
  if (used == frame.used.end())
    frame.used.push_back({op, 1});
  else
    before = used->count++;
  const std::string_view both =
      before == 0 ? join({frame.prefix, "/", op, kFirstOutput})
                  : join({frame.prefix, "/", op, "_", Digits(before), kFirstOutput});
  return both.substr(0, both.size() - kFirstOutput.size());
}

// Returns the first output; the others follow it.
Var Builder::Impl::add_node(std::string_view op, std::span<const Var> inputs, std::size_t outputs,
                            std::span<const Setting> settings) {
  Graph& net = graph();
  const auto id = static_cast<NodeId>(net.nodes.size());
  Node node;
  const std::size_t dot = op.rfind('.');  // `com.microsoft.MoE`
  const std::string_view full = text(op);
  node.op = full.substr(dot + 1);
  if (dot != op.npos) node.domain = full.substr(0, dot);
  node.name = node_name(node.op);
  node.opset = node.domain.empty() ? kOpset : 1;
  node.scope = frames.back().scope;

  const auto ids = items<TensorId>(inputs.size());
  std::transform(inputs.begin(), inputs.end(), ids.begin(), [](Var x) { return x.id; });
  node.inputs = ids;
  const auto results = items<TensorId>(outputs);
  const auto first = static_cast<TensorId>(net.tensors.size());
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::string_view name =
        i == 0 ? std::string_view(node.name.data(), node.name.size() + kFirstOutput.size())
               : join({node.name, "_output_", Digits(i)});
    results[i] = add_tensor(name, Role::Activation).id;
    net.tensors.back().producer = id;
  }
  node.outputs = results;

  const auto attributes = items<Attribute>(settings.size());
  for (std::size_t i = 0; i < settings.size(); ++i) {
    auto* attribute = new (&attributes[i]) Attribute{settings[i].name, {}};
    const auto& value = settings[i].value;
    if (const auto* list = std::get_if<std::span<const std::int64_t>>(&value))
      attribute->value = copy(*list);
    else if (const auto* whole = std::get_if<std::int64_t>(&value))
      attribute->value = *whole;
    else if (const auto* real = std::get_if<float>(&value))
      attribute->value = *real;
    else if (const auto* word = std::get_if<std::string_view>(&value))
      attribute->value = text(*word);
    else if (const auto* reals = std::get_if<std::span<const float>>(&value))
      attribute->value = copy(*reals);
    else
      attribute->value = std::get<const TensorData*>(value);
  }
  node.attributes = attributes;
  net.nodes.push_back(node);
  if (auto status = runner.visit(net, node); !status) error = status.error().message;
  return {first};
}

Var Builder::op(std::string_view name, std::span<const Var> inputs,
                std::span<const Setting> settings) {
  return failed() ? Var{} : impl_->add_node(name, inputs, 1, settings);
}

std::vector<Var> Builder::ops(std::string_view name, std::span<const Var> inputs,
                              std::size_t outputs, std::span<const Setting> settings) {
  std::vector<Var> made(outputs);
  if (failed()) return made;
  const Var first = impl_->add_node(name, inputs, outputs, settings);
  for (std::size_t i = 0; i < outputs; ++i) made[i].id = first.id + static_cast<TensorId>(i);
  return made;
}

Var Builder::Impl::add_stored(std::string_view name, DType type,
                              std::span<const std::int64_t> dims) {
  const Var x = add_tensor(name, Role::Initializer);
  TensorData& data = model.stored.emplace_back();
  data.name = name;
  data.dtype = type;
  data.dims = copy(dims);
  Tensor& made = tensor(x);
  made.data = &data;
  made.type = TypeInfo::tensor(type, Dims(dims.size()));
  Dims& sizes = made.type.edit().dims;
  for (std::size_t i = 0; i < dims.size(); ++i) sizes[i] = dims[i];
  return x;
}

}  // namespace strata::build

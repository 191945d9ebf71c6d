#include "ops/bodies.h"

#include <algorithm>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/types.h"

namespace strata {

namespace {

// Types are widened at most this often, run by run; a type that still changes then loses its rank,
// since an unranked type always holds.
constexpr int kMaxWidenings = 4;
// No exporter chains more Identity nodes than this.
constexpr int kMaxIdentities = 16;

// The elements of a body's output; a small stored tensor is unpacked.
const Value* elements_of_output(ShapeContext& c, const Tensor& tensor) {
  if (tensor.value != nullptr || tensor.data == nullptr) return tensor.value;
  const Expr count = tensor.data->elements();
  if (!count.is_number() || count.value() > kMaxFoldedReals) return nullptr;
  auto decoded = decode(*tensor.data);
  return decoded ? c.host().model().keep(*std::move(decoded)) : nullptr;
}

// True if the body returns its input, perhaps through Identity.
bool passes_through(const Graph& body, TensorId output, TensorId input) {
  for (int steps = 0; steps < kMaxIdentities; ++steps) {
    if (output == input) return true;
    if (output >= body.tensors.size()) return false;
    const NodeId producer = body.tensors[output].producer;
    if (producer >= body.nodes.size()) return false;
    const Node& node = body.nodes[producer];
    if (node.op != "Identity" || node.inputs.empty()) return false;
    output = node.inputs[0];
  }
  return false;
}

}  // namespace

Result<Flow> run_body(ShapeContext& c, Graph& body, const Flow& inputs) {
  if (auto status = c.host().infer_body(body, inputs.types, inputs.values); !status) {
    return failure(status);
  }
  Flow outputs;
  for (const TensorId id : body.outputs) {
    if (id >= body.tensors.size())
      outputs.add(TypeInfo());
    else
      outputs.add(body.tensors[id].type, elements_of_output(c, body.tensors[id]));
  }
  return outputs;
}

Flow flow_of(ShapeContext& c, std::size_t first, std::size_t end) {
  Flow flow;
  for (std::size_t i = first; i < end; ++i) flow.add(c.in(i), elements_of(c, i));
  return flow;
}

void set_from(ShapeContext& c, std::size_t i, TypeInfo type, const Value* value,
              std::string_view hint) {
  if (value != nullptr && type.kind == ValueKind::Tensor) return c.share_value(i, value);
  name_unknown_sizes(c, type, hint);
  c.set(i, std::move(type));
}

Status Repeated::settle(Flow first_run) {
  start_ = first_run;
  inputs_ = std::move(first_run);
  for (std::size_t i = 0; i < carried_; ++i) {
    const std::size_t in = first_input_ + i, out = first_output_ + i;
    if (!passes_through(body_, body_.outputs[out], body_.inputs[in])) inputs_.values[in] = nullptr;
  }
  for (int run = 0;; ++run) {
    auto outputs = run_body(c_, body_, inputs_);
    if (!outputs) return failure(outputs);
    outputs_ = *std::move(outputs);
    bool changed = false;
    for (std::size_t i = 0; i < carried_; ++i) changed |= widen(i, run >= kMaxWidenings);
    if (!changed || run >= 2 * kMaxWidenings) return {};
  }
}

// Widens an input's type so that it also holds for what the run returned; true if it changed.
bool Repeated::widen(std::size_t i, bool forget_rank) {
  TypeInfo& in = inputs_.types[first_input_ + i];
  const TypeInfo& out = outputs_.types[first_output_ + i];
  TypeInfo wide = common_type(in, out);
  if (wide.ranked && wide.dims.size() == in.dims.size()) {
    for (std::size_t d = 0; d < wide.dims.size(); ++d) {
      if (!wide.dims[d].is_unknown()) continue;
      const auto names = in.dims[d].symbols();
      const bool is_changing =
          names.size() == 1 && in.dims[d] == Expr::symbol(names[0]) &&
          std::find(changing_.begin(), changing_.end(), names[0]) != changing_.end();
      if (is_changing) wide.dims[d] = in.dims[d];
    }
  }
  if (same_type(wide, in)) return false;
  if (forget_rank) {
    wide.ranked = false;
    wide.dims.clear();
    wide.items = nullptr;
  }
  if (wide.kind == ValueKind::Tensor) {
    for (Expr& size : wide.dims) {
      if (!size.is_unknown()) continue;
      size = c_.fresh("carried");
      if (size.is_formula()) changing_.push_back(size.text());
    }
  }
  in = std::move(wide);
  return true;
}

bool Repeated::depends_on_run(const Expr& size) const {
  if (size.is_number()) return false;
  const auto names = size.symbols();
  return size.is_unknown() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return std::find(changing_.begin(), changing_.end(), name) != changing_.end();
         });
}

TypeInfo Repeated::after(std::size_t i, const Expr& runs) const {
  TypeInfo type = inputs_.types[first_input_ + i];
  const TypeInfo& start = start_.types[first_input_ + i];
  const TypeInfo& out = outputs_.types[first_output_ + i];
  if (runs.is(0)) return start;
  if (type.dims.size() != start.dims.size() || type.dims.size() != out.dims.size()) {
    for (Expr& size : type.dims) {
      if (depends_on_run(size)) size = Expr::unknown();
    }
    return type;
  }
  const bool surely_runs = provably_at_least(runs, 1);
  for (std::size_t d = 0; d < type.dims.size(); ++d) {
    if (!depends_on_run(type.dims[d])) continue;
    const Expr growth = out.dims[d] - type.dims[d];
    if (!depends_on_run(growth)) {
      type.dims[d] = start.dims[d] + growth * runs;
    } else if (surely_runs && !depends_on_run(out.dims[d])) {
      type.dims[d] = out.dims[d];
    } else {
      type.dims[d] = Expr::unknown();
    }
  }
  return type;
}

}  // namespace strata

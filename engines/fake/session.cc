// Opens a model and binds inputs.
#include "session.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include "engines/plugin_inputs.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata::fake {

StrataStatus fail(StrataError* error, StrataStatus status, std::string_view message) {
  const std::size_t length = std::min(message.size(), sizeof error->message - 1);
  std::memcpy(error->message, message.data(), length);
  error->message[length] = 0;
  return status;
}

namespace {

void make_port(const Tensor& tensor, OwnPort& out) {
  out.name = tensor.name;
  for (const Expr& dim : tensor.type->dims) {
    out.dims.push_back(dim.number().value_or(-1));
    out.symbols.push_back(dim.is_formula() ? dim.text() : "");
  }
  for (const std::string& symbol : out.symbols) out.symbol_pointers.push_back(symbol.c_str());
  out.port = {out.name.c_str(), static_cast<std::int32_t>(tensor.type->dtype),
              tensor.type->ranked ? static_cast<std::int32_t>(out.dims.size()) : -1,
              out.dims.data(), out.symbol_pointers.data()};
}

std::string add_outputs(StrataSession& session, const StrataOpen& open) {
  const Graph& graph = session.model.graph();
  std::vector<TensorId> ids = graph.outputs;
  for (std::uint64_t i = 0; i < open.fetch_count; ++i) {
    TensorId id = 0;
    while (id < graph.tensors.size() && graph.tensors[id].name != open.fetch[i]) ++id;
    if (id == graph.tensors.size())
      return fmt::format("the model has no value \"{}\" to fetch", open.fetch[i]);
    ids.push_back(id);
  }
  session.outputs.resize(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) make_port(graph.tensors[ids[i]], session.outputs[i]);
  session.output_ids = std::move(ids);
  return "";
}

// Reads the model and infers its shapes, from these input shapes if they are given.
Result<Inference> load(StrataSession& session, const InferOptions& shapes) {
  auto model = read_onnx(session.bytes, "the model");
  if (!model) return failure(model);
  auto inference = infer(*model, shapes);
  if (!inference) return inference;
  session.model = std::move(*model);
  session.plan = plan_kernels(session.model, session.fuse);
  return inference;
}

}  // namespace

StrataStatus open_session(const StrataOpen* open, StrataSession** out, StrataError* error) {
  const std::string_view device = open->device != nullptr ? open->device : "cpu";
  const std::string_view precision = open->precision != nullptr ? open->precision : "fp32";
  if (device != "cpu")
    return fail(error, STRATA_UNSUPPORTED, fmt::format("no device \"{}\"; there is cpu", device));
  if (open->provider != nullptr)
    return fail(error, STRATA_UNSUPPORTED,
                fmt::format("no provider \"{}\"; there is none to choose", open->provider));
  auto session = std::make_unique<StrataSession>();
  if (std::string mistake = parse_options(*open, session->options); !mistake.empty())
    return fail(error, STRATA_UNSUPPORTED, mistake);
  if (session->options.fail == "unsupported")
    return fail(error, STRATA_UNSUPPORTED, "no kernels for anything, as asked for");
  session->speed = precision == "int8" ? 4 : precision == "fp32" ? 1 : 2;
  if (session->speed == 2 && precision != "fp16" && precision != "bf16")
    return fail(error, STRATA_UNSUPPORTED,
                fmt::format("no precision \"{}\"; there are fp32, fp16, bf16, int8", precision));
  if (open->precision != nullptr) session->dtype = dtype_of(precision);
  session->speed *= std::max(open->threads, 1);
  session->fuse = open->optimization >= STRATA_OPT_BASIC;
  session->trace = open->trace;

  if (open->path != nullptr) {
    std::ifstream file(open->path, std::ios::binary);
    if (!file) return fail(error, STRATA_FAILED, fmt::format("cannot read {}", open->path));
    session->bytes.assign(std::istreambuf_iterator<char>(file), {});
  } else {
    session->bytes.assign(static_cast<const char*>(open->model), open->model_bytes);
  }
  const auto inference = load(*session, {});
  if (!inference) return fail(error, STRATA_FAILED, inference.error().message);
  if (!inference->unsupported.empty()) {
    const std::string& op = inference->unsupported.front();
    for (const Graph& graph : session->model.graphs)
      for (const Node& node : graph.nodes)
        if (op.ends_with(node.op))
          return fail(error, STRATA_UNSUPPORTED,
                      fmt::format("has no operator {}, which node \"{}\" is", op, node.name));
  }
  const Graph& graph = session->model.graph();
  session->inputs.resize(graph.inputs.size());
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    make_port(graph.tensors[graph.inputs[i]], session->inputs[i]);
    session->input_table.push_back(session->inputs[i].port);
  }
  if (std::string mistake = add_outputs(*session, *open); !mistake.empty())
    return fail(error, STRATA_WRONG_INPUT, mistake);
  *out = session.release();
  return STRATA_OK;
}

StrataStatus bind(StrataSession* session, const StrataTensor* inputs, std::uint64_t count,
                  StrataError* error) {
  const std::string mistake = input_mistake(session->input_table, {inputs, count});
  if (!mistake.empty()) return fail(error, STRATA_WRONG_INPUT, mistake);
  InferOptions shapes;
  std::uint64_t hash = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Dims dims;
    for (std::int32_t axis = 0; axis < inputs[i].rank; ++axis) dims.push_back(inputs[i].dims[axis]);
    shapes.input_shapes.emplace_back(inputs[i].name, dims);
    // Summed, so that the order in which they are given does not matter.
    hash += hash_bytes({static_cast<const char*>(inputs[i].data), inputs[i].bytes},
                       hash_bytes(inputs[i].name, 1));
  }
  if (const auto inference = load(*session, shapes); !inference)
    return fail(error, STRATA_WRONG_INPUT, inference.error().message);
  session->input_hash = hash + (session->options.answer == "wrong" ? 1 : 0);
  return STRATA_OK;
}

}  // namespace strata::fake

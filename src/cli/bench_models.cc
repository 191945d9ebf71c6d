#include "cli/bench_models.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/npz_write.h"
#include "strata/cost/cost.h"
#include "strata/cost/energy.h"
#include "strata/measure/inputs.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"
#include "strata/zoo/weights.h"
#include "strata/zoo/zoo.h"

namespace strata::cli {

namespace {

bool is_zoo(const std::string& source) { return source.starts_with(zoo::kPrefix); }

// A network of the zoo knows best what another batch changes.
std::string with_batch(const std::string& source, std::int64_t batch) {
  if (!is_zoo(source) || batch == 0 || source.find("batch=") != source.npos) return source;
  const std::string spec = source.substr(zoo::kPrefix.size());
  const zoo::Entry* entry = zoo::find(spec.substr(0, spec.find('?')));
  if (entry == nullptr) return source;
  const bool has = std::any_of(entry->parameters.begin(), entry->parameters.end(),
                               [](const auto& parameter) { return parameter.name == "batch"; });
  if (!has) return source;
  return fmt::format("{}{}batch={}", source, spec.find('?') == spec.npos ? '?' : '&', batch);
}

// The sizes that a file insists on and that the loaded model has otherwise.
bool sizes_differ(const Model& file, const Model& loaded) {
  const Graph &a = file.graph(), &b = loaded.graph();
  for (std::size_t i = 0; i < a.inputs.size() && i < b.inputs.size(); ++i) {
    const TypeInfo &own = a.tensors[a.inputs[i]].type, &now = b.tensors[b.inputs[i]].type;
    for (std::size_t axis = 0; axis < own.dims.size() && axis < now.dims.size(); ++axis)
      if (own.dims[axis].is_number() && !now.dims[axis].is(own.dims[axis].value())) return true;
  }
  return false;
}

std::optional<double> modelled_joules(const Model& model) {
  const auto energy = find_energy_model("strata");
  const auto convention = find_convention("strata");
  if (!energy || !convention) return std::nullopt;
  const Costs costs = count(model);
  const auto counted = count_energy(*energy, *convention, costs, find_layers(model, costs));
  if (!counted || counted->total.certainty != Certainty::Exact) return std::nullopt;
  constexpr double kPicojoule = 1e-12;
  const auto picojoules = counted->total.picojoules.number();
  return picojoules ? std::optional(*picojoules * kPicojoule) : std::nullopt;
}

std::string text_of(const std::vector<HostTensor>& tensors) {
  std::vector<std::string> all;
  for (const HostTensor& tensor : tensors)
    all.push_back(fmt::format(
        "{} {} {}", tensor.name, name(tensor.dtype),
        tensor.dims.empty() ? "scalar" : fmt::format("{}", fmt::join(tensor.dims, "×"))));
  return fmt::format("{}", fmt::join(all, ", "));
}

// The first axis of the first input, but for one image: channels, height, width.
std::int64_t batch_of(const std::vector<HostTensor>& tensors) {
  if (tensors.empty() || tensors[0].dims.size() < 2) return 1;
  const std::vector<std::int64_t>& dims = tensors[0].dims;
  const bool one_image = dims.size() == 3 && (dims[0] == 3 || dims[0] == 4);
  return one_image ? 1 : std::max<std::int64_t>(dims[0], 1);
}

// Tensors for a model that strata cannot read, as they stand in the files.
Result<std::vector<HostTensor>> unchecked_inputs(const std::vector<std::string>& files) {
  std::vector<HostTensor> all;
  for (const std::string& file : files) {
    const std::size_t equals = file.find('=');
    const bool named = equals != file.npos && !std::filesystem::exists(file);
    auto tensors =
        named ? read_tensors(file.substr(equals + 1), file.substr(0, equals)) : read_tensors(file);
    if (!tensors) return tensors;
    for (HostTensor& tensor : *tensors) {
      if (tensor.name.empty()) tensor.name = fmt::format("input_{}", all.size());
      all.push_back(std::move(tensor));
    }
  }
  return all;
}

}  // namespace

std::string stored_precision(const Model& model) {
  std::string precision = "fp32";
  std::int64_t most = 0;
  for (const Graph& graph : model.graphs) {
    for (const Node& node : graph.nodes)
      if (node.op == "DequantizeLinear" || node.op.starts_with("QLinear") ||
          node.op == "ConvInteger" || node.op == "MatMulInteger")
        return "int8";
    for (const Tensor& tensor : graph.tensors) {
      if (tensor.data == nullptr || !is_float(tensor.data->dtype)) continue;
      const auto elements = tensor.data->elements().number();
      if (!elements || *elements <= most) continue;
      most = *elements;
      precision = tensor.data->dtype == DType::F16    ? "fp16"
                  : tensor.data->dtype == DType::BF16 ? "bf16"
                  : tensor.data->dtype == DType::F64  ? "fp64"
                                                      : "fp32";
    }
  }
  return precision;
}

Result<std::vector<ShapeChoice>> parse_shapes(const std::string& text) {
  const auto wrong = [&](std::string_view what) {
    return failure(fmt::format("--shapes {}: {}; write it as min=1x3x224x224,opt=…,max=… with "
                               "INPUT:SHAPE+INPUT:SHAPE where a model has several inputs",
                               text, what),
                   ErrorKind::Usage);
  };
  std::vector<ShapeChoice> shapes;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = std::min(part.find('='), part.size());
    ShapeChoice& shape = shapes.emplace_back();
    shape.name = part.substr(0, equals);
    part.remove_prefix(std::min(equals + 1, part.size()));
    if (shape.name != "min" && shape.name != "opt" && shape.name != "max")
      return wrong(fmt::format("\"{}\" is none of min, opt, max", shape.name));
    for (std::size_t i = 0; i + 1 < shapes.size(); ++i)
      if (shapes[i].name == shape.name) return wrong(fmt::format("{} is given twice", shape.name));
    if (part.empty()) return wrong(fmt::format("{} has no sizes", shape.name));
    while (!part.empty()) {
      const std::string_view one = part.substr(0, part.find('+'));
      part.remove_prefix(std::min(one.size() + 1, part.size()));
      const std::size_t colon = one.rfind(':');
      shape.sizes.emplace_back(colon == one.npos ? "" : std::string(one.substr(0, colon)),
                               std::string(colon == one.npos ? one : one.substr(colon + 1)));
    }
  }
  if (shapes.empty()) return wrong("no shapes");
  if (shapes.size() > 1) shapes.push_back({"mix", {}});
  return shapes;
}

Result<ModelOptions> ModelFiles::options_for(const std::string& source, std::int64_t batch,
                                             const ShapeChoice* shape) const {
  ModelOptions options;
  options.path = with_batch(source, batch);
  options.inputs = settings_.input_shapes;
  options.sizes = settings_.sizes;
  if (options.path == source) options.batch = batch;
  if (shape == nullptr) return options;
  ModelOptions plain;
  plain.path = source;
  const auto loaded = load(plain);
  if (!loaded) return tl::unexpected(loaded.error());
  std::vector<std::string> names;
  for (const TensorId id : loaded->model.graph().inputs)
    names.emplace_back(loaded->model.graph().tensors[id].name);
  for (const auto& [name, sizes] : shape->sizes) {
    if (name.empty() && names.size() != 1)
      return failure(fmt::format("--shapes {}={}: the model has the inputs {}; write which is "
                                 "meant, as {}:{}",
                                 shape->name, sizes, fmt::join(names, ", "), names.front(), sizes),
                     ErrorKind::Usage);
    const std::string& own = name.empty() ? names.front() : name;
    const bool is_input = std::find(names.begin(), names.end(), own) != names.end();
    (is_input ? options.inputs : options.sizes).push_back(fmt::format("{}={}", own, sizes));
  }
  return options;
}

// The model with those sizes open in which its shapes differ. Sizes that change together
// are one symbol.
Result<ModelOptions> ModelFiles::open_options(const std::string& source, std::int64_t batch) const {
  auto base = options_for(source, batch, nullptr);
  if (!base) return base;
  std::vector<std::pair<std::string, std::vector<Dims>>> by_input;
  for (const ShapeChoice& shape : settings_.shapes) {
    if (shape.name == "mix") continue;
    auto options = options_for(source, batch, &shape);
    if (!options) return options;
    for (std::size_t i = base->inputs.size(); i < options->inputs.size(); ++i) {
      auto dims = parse_input_shape(options->inputs[i]);
      if (!dims) return tl::unexpected(dims.error());
      auto known = std::find_if(by_input.begin(), by_input.end(),
                                [&](const auto& own) { return own.first == dims->first; });
      if (known == by_input.end()) known = by_input.insert(by_input.end(), {dims->first, {}});
      known->second.push_back(std::move(dims->second));
    }
  }
  std::vector<std::vector<Expr>> symbols;
  for (const auto& [input, all] : by_input) {
    std::vector<std::string> axes;
    for (std::size_t axis = 0; axis < all[0].size(); ++axis) {
      std::vector<Expr> sizes;
      for (const Dims& dims : all)
        if (axis < dims.size()) sizes.push_back(dims[axis]);
      const bool same = std::all_of(sizes.begin(), sizes.end(),
                                    [&](const Expr& size) { return size == sizes[0]; });
      if (same) {
        axes.push_back(sizes[0].text());
        continue;
      }
      auto known = std::find(symbols.begin(), symbols.end(), sizes);
      if (known == symbols.end()) known = symbols.insert(symbols.end(), sizes);
      axes.push_back(fmt::format("s{}", known - symbols.begin()));
    }
    base->inputs.push_back(fmt::format("{}={}", input, fmt::join(axes, "x")));
  }
  return base;
}

Result<ReadyFile> ModelFiles::file(const std::string& source, std::int64_t batch) {
  if (const auto known = files_.find({source, batch}); known != files_.end()) return known->second;
  ReadyFile ready;
  ready.file = source;
  std::optional<Model> own;
  if (!is_zoo(source)) {
    std::error_code error;
    if (!std::filesystem::exists(source, error))
      return failure(fmt::format("{}: there is no such file; check the path", source));
    auto model = read_model(source);
    if (!model) {
      if (std::filesystem::path(source).extension() == ".onnx")
        return tl::unexpected(model.error());
      return files_.emplace(std::pair(source, batch), ready).first->second;
    }
    own = std::move(*model);
  }
  const auto options =
      settings_.shapes.empty() ? options_for(source, batch, nullptr) : open_options(source, batch);
  if (!options) return tl::unexpected(options.error());
  auto loaded = load(*options);
  if (!loaded) return tl::unexpected(loaded.error());
  ready.is_onnx = true;
  if (const std::string stored = stored_precision(loaded->model); stored != "fp32")
    ready.stored = stored;
  ready.joules = modelled_joules(loaded->model);
  if (!own || sizes_differ(*own, loaded->model)) {
    WriteOptions write;
    if (!own) write.fill = zoo::random_weights(loaded->model, settings_.seed);
    ready.file = new_file(".onnx");
    if (auto status = write_onnx(loaded->model, ready.file, write); !status)
      return tl::unexpected(status.error());
  }
  return files_.emplace(std::pair(source, batch), ready).first->second;
}

Result<ReadyInputs> ModelFiles::inputs_of(const std::vector<std::string>& sources,
                                          std::int64_t batch, const ShapeChoice* shape) {
  std::optional<Error> problem;
  Result<std::vector<HostTensor>> tensors;
  bool found = false;
  for (const std::string& source : sources) {
    const auto options = options_for(source, batch, shape);
    const auto loaded = options ? load(*options) : tl::unexpected(options.error());
    if (!loaded) {
      if (!problem) problem = loaded.error();
      continue;
    }
    tensors = settings_.inputs.empty() ? random_inputs(loaded->model, settings_.seed)
                                       : read_inputs(loaded->model, settings_.inputs);
    found = true;
    break;
  }
  if (!found && settings_.inputs.empty())
    return failure(problem ? problem->message : "there is no file to make inputs for",
                   problem ? problem->kind : ErrorKind::Model);
  if (!found) tensors = unchecked_inputs(settings_.inputs);
  if (!tensors) return tl::unexpected(tensors.error());
  ReadyInputs ready;
  ready.file = new_file(".npz");
  ready.text = text_of(*tensors);
  ready.batch = batch > 0 ? batch : batch_of(*tensors);
  if (auto status = write_npz(ready.file, *tensors); !status) return tl::unexpected(status.error());
  return ready;
}

std::string ModelFiles::name_beside(const std::string& file, const std::string& ending) const {
  std::string name = file;
  std::replace(name.begin(), name.end(), '/', '_');
  return scratch_ / (name + ending);
}

Result<ReadyInputs> ModelFiles::inputs(const std::vector<std::string>& sources, std::int64_t batch,
                                       const std::string& shape) {
  if (const auto known = inputs_.find({shape, batch}); known != inputs_.end()) return known->second;
  ReadyInputs ready;
  if (shape != "mix") {
    const auto choice = std::find_if(settings_.shapes.begin(), settings_.shapes.end(),
                                     [&](const ShapeChoice& own) { return own.name == shape; });
    auto made = inputs_of(sources, batch, choice == settings_.shapes.end() ? nullptr : &*choice);
    if (!made) return made;
    ready = std::move(*made);
  } else {
    for (const ShapeChoice& choice : settings_.shapes) {
      if (choice.name == "mix") continue;
      auto one = inputs(sources, batch, choice.name);
      if (!one) return one;
      if (ready.file.empty()) {
        ready = *one;
      } else {
        ready.mix.push_back(one->file);
        ready.text += "; " + one->text;
      }
    }
  }
  return inputs_.emplace(std::pair(shape, batch), ready).first->second;
}

}  // namespace strata::cli

#include "task/bench_models.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/npz_write.h"
#include "strata/build/weights.h"
#include "strata/cost/cost.h"
#include "strata/cost/energy.h"
#include "strata/cost/stored_precision.h"
#include "strata/data/inputs.h"
#include "strata/read/read.h"
#include "strata/task/record.h"
#include "strata/write/onnx.h"
#include "task/language_model.h"

namespace strata {

namespace {

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
  all.reserve(tensors.size());
  for (const HostTensor& tensor : tensors)
    all.push_back(fmt::format(
        "{} {} {}", tensor.name, name_of(tensor.dtype),
        tensor.dims.empty() ? "scalar" : fmt::format("{}", fmt::join(tensor.dims, "×"))));
  return fmt::format("{}", fmt::join(all, ", "));
}

// The first axis of the first input, or 1 if that is a single image of channels, height and width.
std::int64_t batch_of(const std::vector<HostTensor>& tensors) {
  if (tensors.empty() || tensors[0].dims.size() < 2) return 1;
  const std::vector<std::int64_t>& dims = tensors[0].dims;
  const bool one_image = dims.size() == 3 && (dims[0] == 3 || dims[0] == 4);
  return one_image ? 1 : std::max<std::int64_t>(dims[0], 1);
}

// `1x3x224x224`
std::string sizes_text(const Dims& dims) {
  std::vector<std::string> sizes;
  for (const Expr& size : dims) sizes.push_back(size.text());
  return fmt::format("{}", fmt::join(sizes, "x"));
}

}  // namespace

Result<ModelRequest> ModelFiles::model_with(const std::string& source, std::int64_t batch,
                                            const ShapeChoice* shape) const {
  ModelRequest out{source_of(source), request_.sizes};
  out.max_wait_seconds = request_.method.limits.timeout_seconds;
  out.trust_model = request_.method.limits.trust_model;
  if (batch > 0) out.sizes.batch = batch;
  if (shape == nullptr) return out;
  const auto loaded = load_model({source_of(source)});
  if (!loaded) return failure(loaded);
  std::vector<std::string> names;
  for (const TensorId id : loaded->model.graph().inputs)
    names.emplace_back(loaded->model.graph().tensors[id].name);
  for (const auto& [name, dims] : shape->sizes) {
    const std::string sizes = sizes_text(dims);
    if (name.empty() && names.size() != 1)
      return failure(
          Code::ShapesUnfit, {.given = shape->name},
          fmt::format("{}={}: the model has the inputs {}; write which is meant, as {}:{}",
                      shape->name, sizes, fmt::join(names, ", "),
                      names.empty() ? "NAME" : names.front(), sizes));
    const std::string& own = name.empty() ? names.front() : name;
    if (std::find(names.begin(), names.end(), own) != names.end())
      out.sizes.input_shapes.emplace_back(own, dims);
    else if (dims.size() == 1 && dims[0].is_number())
      out.sizes.sizes.emplace_back(own, dims[0].value());
    else
      return failure(
          Code::ShapesUnfit, {.given = shape->name},
          fmt::format("{}={}:{}: the model has no input \"{}\", and a symbol has one size",
                      shape->name, own, sizes, own));
  }
  return out;
}

// The model in which all sizes that differ between the shapes are open. Sizes that change together
// share one symbol.
Result<ModelRequest> ModelFiles::open_model(const std::string& source, std::int64_t batch) const {
  auto base = model_with(source, batch, nullptr);
  if (!base) return base;
  std::vector<std::pair<std::string, std::vector<Dims>>> by_input;
  for (const ShapeChoice& shape : request_.shapes) {
    if (shape.name == "mix") continue;
    auto model = model_with(source, batch, &shape);
    if (!model) return model;
    const auto& given = model->sizes.input_shapes;
    for (std::size_t i = base->sizes.input_shapes.size(); i < given.size(); ++i) {
      auto known = std::find_if(by_input.begin(), by_input.end(),
                                [&](const auto& own) { return own.first == given[i].first; });
      if (known == by_input.end()) known = by_input.insert(by_input.end(), {given[i].first, {}});
      known->second.push_back(given[i].second);
    }
  }
  std::vector<std::vector<Expr>> symbols;
  for (const auto& [input, all] : by_input) {
    Dims axes;
    for (std::size_t axis = 0; axis < all[0].size(); ++axis) {
      std::vector<Expr> sizes;
      for (const Dims& dims : all)
        if (axis < dims.size()) sizes.push_back(dims[axis]);
      const bool same = std::all_of(sizes.begin(), sizes.end(),
                                    [&](const Expr& size) { return size == sizes[0]; });
      if (same) {
        axes.push_back(sizes[0]);
        continue;
      }
      auto known = std::find(symbols.begin(), symbols.end(), sizes);
      if (known == symbols.end()) known = symbols.insert(symbols.end(), sizes);
      axes.push_back(Expr::symbol(fmt::format("s{}", known - symbols.begin())));
    }
    base->sizes.input_shapes.emplace_back(input, std::move(axes));
  }
  return base;
}

Result<ReadyFile> ModelFiles::file(const std::string& word, std::int64_t batch) {
  if (const auto known = files_.find({word, batch}); known != files_.end()) return known->second;
  ReadyFile ready;
  ready.file = word;
  const Source source = source_of(word);
  std::optional<Model> own;
  if (!source.is_built()) {
    std::error_code error;
    if (!std::filesystem::exists(word, error)) return failure(source.status());
    if (source.is_code()) ready.engine_format = source.engine_format();
    auto model = read_model(source);
    if (!model) {
      if (std::filesystem::path(word).extension() == ".onnx") return failure(model);
      return files_.emplace(std::pair(word, batch), ready).first->second;
    }
    // It can be counted, but only an engine of its own kind can open it.
    if (source.engine_format() != kOnnx) {
      ready.engine_format = source.engine_format();
      if (const Status can_run = check_has_weights(*model, source); !can_run)
        ready.lacks = can_run.error().message;
      return files_.emplace(std::pair(word, batch), ready).first->second;
    }
    own = std::move(*model);
    if (const Status weights = check_has_weights(*own, source); !weights)
      ready.lacks = weights.error().message;
  }
  const auto wanted =
      request_.shapes.empty() ? model_with(word, batch, nullptr) : open_model(word, batch);
  if (!wanted) return failure(wanted);
  auto loaded = load_model(*wanted);
  if (!loaded) return failure(loaded);
  ready.engine_format = kOnnx;
  if (const std::string stored(stored_precision(loaded->model)); stored != "fp32")
    ready.stored = stored;
  ready.joules = modelled_joules(loaded->model);
  if (source.is_built() || !file_has_sizes(*loaded)) {
    WriteOptions write;
    if (auto status = check_can_run(loaded->model); !status) return failure(status);
    if (source.is_built()) write.fill = build::random_weights(loaded->model, request_.seed);
    ready.file = new_file(".onnx");
    if (auto status = write_onnx(loaded->model, ready.file, write); !status) return failure(status);
  }
  return files_.emplace(std::pair(word, batch), ready).first->second;
}

Source ModelFiles::source_of(const std::string& word) const {
  return sources_.try_emplace(word, word).first->second;
}

Result<std::vector<HostTensor>> ModelFiles::tensors_of(const std::vector<std::string>& sources,
                                                       std::int64_t batch,
                                                       const ShapeChoice* shape) const {
  const bool given = !request_.inputs.empty() || !request_.sizes.input_shapes.empty();
  std::optional<Error> problem;
  for (const std::string& source : sources) {
    // The caller has stated the sizes that only a run could tell.
    if (given && source_of(source).is_code()) continue;
    const auto wanted = model_with(source, batch, shape);
    const auto loaded = wanted ? load_model(*wanted) : failure(wanted);
    if (loaded)
      return request_.inputs.empty() ? random_inputs(loaded->model, request_.seed)
                                     : read_inputs(loaded->model, request_.inputs);
    if (problem) continue;
    problem = loaded.error();
    if (problem->code == Code::OnlyCompiled)
      problem = make_error(Code::NoInputShape, {.file = source, .name = "x"},
                           fmt::format("{} is a package of AOTInductor, which does not say what "
                                       "shapes its inputs have",
                                       source));
  }
  if (!given && problem) return failure(*problem);
  if (!given) return failure("there is no file to make inputs for");
  InferOptions sizes = request_.sizes;
  if (batch > 0) sizes.batch = batch;
  auto all = recorded_inputs(sizes, request_.inputs, request_.seed);
  if (!all) return all;
  for (std::size_t i = 0; i < all->size(); ++i)
    if ((*all)[i].name.empty()) (*all)[i].name = fmt::format("input_{}", i);
  return all;
}

Result<ReadyInputs> ModelFiles::inputs_of(const std::vector<std::string>& sources,
                                          std::int64_t batch, const ShapeChoice* shape) {
  const auto tensors = tensors_of(sources, batch, shape);
  if (!tensors) return failure(tensors);
  ReadyInputs ready;
  ready.file = new_file(".npz");
  ready.text = text_of(*tensors);
  ready.batch = batch > 0 ? batch : batch_of(*tensors);
  if (auto status = write_npz(ready.file, *tensors); !status) return failure(status);
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
    const auto choice = std::find_if(request_.shapes.begin(), request_.shapes.end(),
                                     [&](const ShapeChoice& own) { return own.name == shape; });
    auto made = inputs_of(sources, batch, choice == request_.shapes.end() ? nullptr : &*choice);
    if (!made) return made;
    ready = std::move(*made);
  } else {
    for (const ShapeChoice& choice : request_.shapes) {
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

}  // namespace strata

#include "strata/task/record.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strata/data/inputs.h"
#include "task/job_process.h"
#include "task/record_job.h"

namespace strata {

namespace {

// A model that has the inputs and nothing else.
Model inputs_alone(const InferOptions& sizes, const std::vector<HostTensor>& given) {
  Model model;
  Graph& graph = model.graph();
  for (const auto& shape : sizes.input_shapes) {
    const Dims& dims = shape.second;
    const auto has_elements = [&](const HostTensor& one) { return one.name == shape.first; };
    if (std::any_of(given.begin(), given.end(), has_elements)) continue;
    Tensor tensor;
    tensor.name = model.keep(shape.first);
    TypeInfo& own = tensor.type.edit();
    own.dtype = DType::F32;
    for (const auto& type : sizes.element_types)
      if (type.first == shape.first) own.dtype = type.second;
    own.ranked = true;
    own.dims = dims;
    if (sizes.batch && !dims.empty()) own.dims[0] = *sizes.batch;
    graph.inputs.push_back(static_cast<TensorId>(graph.tensors.size()));
    graph.tensors.push_back(std::move(tensor));
  }
  return model;
}

tl::unexpected<Error> refused(const ModelRequest& model, const Session& session, Error error) {
  if (error.code != Code::EngineWrongInput || !model.sizes.input_shapes.empty())
    return failure(std::move(error));
  std::vector<std::string> names;
  for (const Port& port : session.inputs()) names.push_back(port.name);
  return failure(Code::NoInputShape, {.file = model.source.word(),
                                      .name = names.empty() ? "NAME" : names.front(),
                                      .found = fmt::format("{}", fmt::join(names, ", "))});
}

}  // namespace

Result<std::vector<HostTensor>> recorded_inputs(const InferOptions& sizes,
                                                const std::vector<std::string>& files,
                                                std::uint64_t seed) {
  std::vector<HostTensor> all;
  for (const std::string& file : files) {
    const std::size_t equals = file.find('=');
    const bool named = equals != file.npos && !std::filesystem::exists(file);
    auto read =
        named ? read_tensors(file.substr(equals + 1), file.substr(0, equals)) : read_tensors(file);
    if (!read) return read;
    for (HostTensor& tensor : *read) all.push_back(std::move(tensor));
  }
  auto made = random_inputs(inputs_alone(sizes, all), seed);
  if (!made) return made;
  for (HostTensor& tensor : *made) all.push_back(std::move(tensor));
  return all;
}

Result<std::string> run_record_job(const RecordRequest& request, const Observer&) {
  auto options = request.engine.session();
  if (!options) return failure(options);
  auto engine = request.engine.load();
  if (!engine) {
    if (engine.error().code != Code::EngineMissing) return failure(engine);
    return failure(Code::ScriptNeedsEngine,
                   {.file = request.model.source.word(), .found = engine.error().fields().found});
  }
  options->optimization = STRATA_OPT_NONE;
  options->trace_time = true;
  auto session = engine->open(request.model.source.word(), *options);
  if (!session) return failure(session);
  auto inputs = recorded_inputs(request.model.sizes, request.inputs, request.seed);
  if (!inputs) return failure(inputs);
  if (Status bound = session->bind(std::move(*inputs)); !bound)
    return refused(request.model, *session, bound.error());
  return session->record();
}

Result<ModelRequest> record_model(const RecordRequest& request, const Observer& observer) {
  const JobPlace place{.kind = JobKind::Record,
                       .program = request.program,
                       .model = request.model.source.word(),
                       .engine = request.engine.engine,
                       .max_wait_seconds = request.model.max_wait_seconds,
                       .on_stop = OnStop::End,
                       .stage = "recording",
                       .trust_model = is_trusted(request.model)};
  auto text = run_job_in_child<std::string>(place, request, observer);
  if (!text) return failure(text);
  ModelRequest recorded = request.model;
  recorded.recording = std::move(*text);
  return recorded;
}

}  // namespace strata

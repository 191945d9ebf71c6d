#include "task/bench_plan.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/own_program.h"
#include "engine/confine.h"
#include "task/int8_model.h"
#include "task/try_engine.h"

namespace strata {

namespace {

// The engines of the pairs, in their order, or else the one that is usually installed.
std::vector<std::string> usual_engines(const std::vector<BenchModel>& models) {
  std::vector<std::string> all;
  for (const BenchModel& model : models) {
    const std::string usual = "onnxruntime";
    if (model.files.empty() && std::find(all.begin(), all.end(), usual) == all.end())
      all.push_back(usual);
    for (const auto& [engine, file] : model.files)
      if (std::find(all.begin(), all.end(), engine) == all.end()) all.push_back(engine);
  }
  return all;
}

}  // namespace

std::string BenchModel::file_for(const std::string& engine) const {
  for (const auto& [own, file] : files)
    if (own == engine) return file;
  return source;
}

std::vector<std::string> BenchModel::sources() const {
  if (files.empty()) return {source};
  std::vector<std::string> all;
  for (const auto& [engine, file] : files) all.push_back(file);
  return all;
}

void name_models(std::vector<BenchModel>& models) {
  for (BenchModel& model : models)
    if (model.name.empty()) model.name = Source(model.sources().front()).short_name();
  // A reader would take equal names for one model.
  for (std::size_t i = 0; i < models.size(); ++i)
    for (std::size_t j = 0; j < models.size(); ++j)
      if (i != j && models[i].name == models[j].name) {
        models[i].name = models[i].sources().front();
        models[j].name = models[j].sources().front();
      }
}

Result<BenchRequest> with_usual_choices(BenchRequest request) {
  std::vector<BenchModel>& models = request.models;
  if (models.empty()) return failure(Code::NoModel);
  // Both are said once, and not in the row of every variant.
  if (request.method.program.empty())
    if (const auto own = own_program(); !own) return failure(own);
  if (!request.method.limits.trust_model)
    if (const Status can = can_confine(); !can) return failure(can);
  name_models(models);
  if (request.engines.empty())
    for (const std::string& engine : usual_engines(models)) {
      auto style = parse_engine_style(engine);
      if (!style) return failure(style);
      request.engines.push_back(std::move(*style));
    }
  if (request.precisions.empty()) request.precisions.emplace_back();
  if (request.batches.empty()) request.batches.push_back(0);
  if (request.threads.empty()) request.threads.push_back(1);
  return request;
}

const Result<TriedEngine>& EngineFacts::engine(const std::string& name) {
  const auto known = engines_.find(name);
  if (known != engines_.end()) return known->second;
  TryRequest trial{
      .name = name,
      .path = request_.engine_path,
      .device = request_.device,
      .seconds = std::min(request_.method.limits.timeout_seconds, TryRequest{}.seconds),
      .program = request_.method.program};
  const auto add = [&](const std::vector<std::string>& precisions) {
    for (const std::string& one : precisions)
      if (!one.empty() && one != "fp32" &&
          std::find(trial.precisions.begin(), trial.precisions.end(), one) ==
              trial.precisions.end())
        trial.precisions.push_back(one);
  };
  if (request_.provider.empty()) {
    add(request_.precisions);
    for (const EngineStyle& style : request_.engines)
      if (style.engine == name) add(style.precisions);
  }
  return engines_.emplace(name, try_engine(trial, observer_)).first->second;
}

std::string EngineFacts::missing(const std::string& name) {
  if (!engine_program(name).empty()) return "";  // its worker says what is wrong with it
  const Result<TriedEngine>& tried = engine(name);
  if (tried) return tried->failed.empty() ? "" : fmt::format("{} {}", name, tried->failed);
  const bool missing = tried.error().code == Code::EngineMissing;
  return observer_.phrased(missing ? make_error(Code::EngineNotHere, {.name = name})
                                   : tried.error());
}

std::string EngineFacts::refuses_format(const std::string& name, const ReadyFile& file) {
  if (!engine_program(name).empty()) return "";
  const Result<TriedEngine>& tried = engine(name);
  // Files of other kinds may be an engine's own, which strata does not know.
  if (!tried || file.engine_format.empty()) return "";
  if (tried->formats.find(file.engine_format) != std::string::npos) return "";
  return observer_.phrased(make_error(
      Code::NeedsOwnFile, {.name = name, .found = tried->formats, .wanted = file.engine_format}));
}

bool EngineFacts::opens(const std::string& name, std::string_view format) {
  if (!engine_program(name).empty()) return false;
  const Result<TriedEngine>& tried = engine(name);
  return tried && tried->formats.find(format) != std::string::npos;
}

std::string EngineFacts::refuses_precision(const std::string& name, const std::string& precision) {
  if (precision.empty() || precision == "fp32" || !request_.provider.empty()) return "";
  if (!engine_program(name).empty()) return "it runs in the precision that its weights have";
  const Result<TriedEngine>& tried = engine(name);
  if (!tried || tried->devices.empty()) return "";
  for (const TriedPrecision& one : tried->devices.front().precisions)
    if (one.name == precision) return one.reason;
  return "";
}

namespace {

// Makes the variants of one model.
class Planner {
 public:
  Planner(const BenchModel& model, const BenchRequest& request, ModelFiles& files,
          EngineFacts& engines, const Observer& observer)
      : model_(model), request_(request), files_(files), engines_(engines), observer_(observer) {}

  PlannedVariant variant(const EngineStyle& style, const std::string& precision, std::int64_t batch,
                         int threads, const std::string& shape) {
    PlannedVariant planned;
    Variant& out = planned.variant;
    out.model = model_.name;
    out.engine = style.engine;
    out.engine_path = request_.engine_path;
    out.style = style.style;
    out.shape = shape;
    out.batch = std::max<std::int64_t>(batch, 1);
    out.session.device = request_.device;
    out.session.provider = request_.provider;
    out.session.threads = threads;
    out.session.optimization = style.optimization;
    out.session.options = style.options;
    // Set so that its row says what it would have been.
    if (precision == "int8")
      out.stored = precision;
    else
      out.session.precision = precision;
    planned.refusal = prepare(planned, precision, batch, shape);
    return planned;
  }

  std::optional<Error> problem;  // the first problem of the model itself

 private:
  std::string failed(const Error& error) {
    if (!problem) problem = error;
    return observer_.phrased(error);
  }

  // Fills in files; returns why the variant cannot be run.
  std::string prepare(PlannedVariant& planned, const std::string& precision, std::int64_t batch,
                      const std::string& shape) {
    Variant& out = planned.variant;
    planned.source = model_.file_for(out.engine);
    if (std::string reason = engines_.missing(out.engine); !reason.empty()) return reason;
    if (planned.source.empty())
      return observer_.phrased(make_error(Code::NoFileFor, {.name = out.engine}));
    auto file = files_.file(planned.source, batch);
    if (!file) return failed(file.error());
    if (std::string reason = engines_.refuses_format(out.engine, *file); !reason.empty())
      return reason;
    if (std::string reason = engines_.refuses_precision(out.engine, precision); !reason.empty())
      return reason;
    if (precision == "int8" && file->stored != "int8") {
      if (model_.int8.empty() && !file->is_onnx())
        return observer_.phrased(make_error(Code::NeedsInt8, {.model = model_.name}));
      auto quantized = int8_model({.model = model_.name,
                                   .file = file->file,
                                   .given = model_.int8,
                                   .output = files_.name_beside(file->file, ".int8.onnx"),
                                   .data = request_.data,
                                   .engine_path = request_.engine_path,
                                   .program = request_.method.program,
                                   .trust_model = request_.method.limits.trust_model},
                                  observer_);
      if (!quantized) return observer_.phrased(quantized.error());
      planned.source = quantized->how.empty()
                           ? quantized->file
                           : fmt::format("{}, {}", planned.source, quantized->how);
      file = files_.file(quantized->file, model_.int8.empty() ? 0 : batch);
      if (!file) return observer_.phrased(file.error());
      if (file->is_onnx() && file->stored != "int8")
        return fmt::format("{} is not quantized", quantized->file);
    }
    out.file = file->file;
    if (out.stored.empty() && out.session.precision.empty()) out.stored = file->stored;
    planned.joules = file->joules;
    // It speaks of ONNX; other engines know better what they would take.
    if (engines_.opens(out.engine, kOnnx)) planned.lacks = file->lacks;
    auto inputs = files_.inputs(model_.sources(), batch, shape);
    if (!inputs) return failed(inputs.error());
    out.inputs = inputs->file;
    out.mix = inputs->mix;
    out.batch = inputs->batch;
    planned.inputs = inputs->text;
    return "";
  }

  const BenchModel& model_;
  const BenchRequest& request_;
  ModelFiles& files_;
  EngineFacts& engines_;
  const Observer& observer_;
};

// If an engine is missing altogether, that is said once, not for every precision, batch and number
// of threads.
void add(PlannedGroup& group, PlannedVariant planned) {
  if (!planned.refusal.empty() && !group.variants.empty()) {
    const PlannedVariant& last = group.variants.back();
    if (last.refusal == planned.refusal && last.variant.engine == planned.variant.engine &&
        last.variant.style == planned.variant.style)
      return;
  }
  group.variants.push_back(std::move(planned));
}

bool is_meant(const Variant& variant, const std::string& text) {
  Variant alone = variant;
  alone.shape.clear();
  const std::string label = alone.label();
  return label == text || (label.starts_with(text) && label[text.size()] == ' ');
}

}  // namespace

Result<std::vector<PlannedGroup>> plan_model(const BenchModel& model, const BenchRequest& request,
                                             ModelFiles& files, EngineFacts& engines,
                                             const Observer& observer) {
  std::vector<std::string> shapes;
  for (const ShapeChoice& shape : request.shapes) shapes.push_back(shape.name);
  if (shapes.empty()) shapes.emplace_back();
  Planner planner(model, request, files, engines, observer);
  std::vector<PlannedGroup> groups;
  for (const std::string& shape : shapes) {
    PlannedGroup& group = groups.emplace_back(PlannedGroup{model.name, shape, {}});
    for (const EngineStyle& style : request.engines)
      for (const std::string& precision :
           style.precisions.empty() ? request.precisions : style.precisions)
        for (const int threads : request.threads)
          for (const std::int64_t batch : request.batches)
            add(group, planner.variant(style, precision, batch, threads, shape));
    const auto runs = [](const PlannedVariant& planned) { return planned.refusal.empty(); };
    auto base = group.variants.end();
    if (!request.base.empty()) {
      base = std::find_if(group.variants.begin(), group.variants.end(),
                          [&](const auto& own) { return is_meant(own.variant, request.base); });
      std::vector<std::string> labels;
      for (const PlannedVariant& own : group.variants) labels.push_back(own.variant.label());
      if (base == group.variants.end())
        return failure(Code::NoSuchBase, {.given = request.base,
                                          .found = fmt::format("{}", fmt::join(labels, "; "))});
    }
    if (base == group.variants.end() || !runs(*base))
      base = std::find_if(group.variants.begin(), group.variants.end(), runs);
    if (base != group.variants.end())
      group.base = static_cast<std::size_t>(base - group.variants.begin());
  }
  const bool any = std::any_of(groups.begin(), groups.end(), [](const PlannedGroup& group) {
    return std::any_of(group.variants.begin(), group.variants.end(),
                       [](const PlannedVariant& own) { return own.refusal.empty(); });
  });
  if (planner.problem && (!any || planner.problem->kind == ErrorKind::Usage))
    return tl::unexpected(*planner.problem);
  return groups;
}

}  // namespace strata

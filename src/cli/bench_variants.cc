#include "cli/bench_variants.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/int8_model.h"
#include "strata/zoo/zoo.h"

namespace strata::cli {

namespace {

constexpr std::string_view kPrecisions[] = {"fp64", "fp32", "tf32", "bf16", "fp16", "int8"};

tl::unexpected<Error> usage(std::string message) {
  return failure(std::move(message), ErrorKind::Usage);
}

Result<std::vector<std::int64_t>> numbers(const std::vector<std::string>& texts, const char* option,
                                          std::int64_t most) {
  auto parts = split_list(texts, option);
  if (!parts) return tl::unexpected(parts.error());
  std::vector<std::int64_t> all;
  for (const std::string& part : *parts) {
    std::int64_t number = 0;
    const auto [end, status] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (status != std::errc() || end != part.data() + part.size() || number < 1 || number > most)
      return usage(fmt::format("{} {}: write whole numbers from 1 to {}, with commas between",
                               option, part, most));
    if (std::find(all.begin(), all.end(), number) == all.end()) all.push_back(number);
  }
  return all;
}

// `resnet50` of `zoo:resnet50` and of `models/resnet50.onnx`.
std::string name_of(const std::string& source) {
  if (source.starts_with(zoo::kPrefix)) return source.substr(zoo::kPrefix.size());
  return std::filesystem::path(source).stem().string();
}

// `torch=model.pt,onnxruntime=model.onnx`
Result<ModelChoice> parse_pair(const std::string& text) {
  ModelChoice model;
  auto parts = split_list({text}, "--pair");
  if (!parts) return tl::unexpected(parts.error());
  for (const std::string& part : *parts) {
    const std::size_t equals = part.find('=');
    if (equals == part.npos || equals == 0 || equals + 1 == part.size())
      return usage(
          fmt::format("--pair {}: write it as torch=model.pt,onnxruntime=model.onnx", text));
    const std::string engine = part.substr(0, equals);
    if (!model.file_for(engine).empty())
      return usage(fmt::format("--pair {}: {} has two files", text, engine));
    model.files.emplace_back(engine, part.substr(equals + 1));
  }
  model.name = name_of(model.files.front().second);
  return model;
}

Status take_int8(const std::vector<std::string>& texts, std::vector<ModelChoice>& models) {
  for (const std::string& text : texts) {
    // Names of the zoo may have `=` in them; files hardly do.
    const std::size_t equals = text.rfind('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size())
      return usage(fmt::format("--int8 {}: write it as MODEL=FILE", text));
    const std::string name = text.substr(0, equals);
    const auto model = std::find_if(models.begin(), models.end(), [&](const ModelChoice& own) {
      return own.name == name || (!own.source.empty() && own.source == name);
    });
    std::vector<std::string> names;
    for (const ModelChoice& own : models) names.push_back(own.name);
    if (model == models.end())
      return usage(fmt::format("--int8 {}: there is no model \"{}\" here; there {} {}", text, name,
                               names.size() == 1 ? "is" : "are", fmt::join(names, ", ")));
    model->int8 = text.substr(equals + 1);
  }
  return {};
}

Result<std::vector<ModelChoice>> all_models(const BenchChoices& choices) {
  std::vector<ModelChoice> models;
  for (const std::string& source : choices.models) {
    ModelChoice& model = models.emplace_back();
    model.name = name_of(source);
    model.source = source;
  }
  for (const std::string& text : choices.pairs) {
    auto model = parse_pair(text);
    if (!model) return tl::unexpected(model.error());
    models.push_back(std::move(*model));
  }
  if (models.empty()) return usage("no model; give a file, zoo:NAME or --pair");
  // Equal names would be one model to the reader.
  for (std::size_t i = 0; i < models.size(); ++i)
    for (std::size_t j = 0; j < models.size(); ++j)
      if (i != j && models[i].name == models[j].name) {
        models[i].name = models[i].sources().front();
        models[j].name = models[j].sources().front();
      }
  if (auto status = take_int8(choices.int8, models); !status) return tl::unexpected(status.error());
  return models;
}

// Of the pairs, in their order; else the one that is usually there.
std::vector<std::string> usual_engines(const std::vector<ModelChoice>& models) {
  std::vector<std::string> all;
  for (const ModelChoice& model : models) {
    const std::string usual = "onnxruntime";
    if (model.files.empty() && std::find(all.begin(), all.end(), usual) == all.end())
      all.push_back(usual);
    for (const auto& [engine, file] : model.files)
      if (std::find(all.begin(), all.end(), engine) == all.end()) all.push_back(engine);
  }
  return all;
}

}  // namespace

std::string ModelChoice::file_for(const std::string& engine) const {
  for (const auto& [own, file] : files)
    if (own == engine) return file;
  return source;
}

std::vector<std::string> ModelChoice::sources() const {
  if (files.empty()) return {source};
  std::vector<std::string> all;
  for (const auto& [engine, file] : files) all.push_back(file);
  return all;
}

Result<std::vector<std::string>> split_list(const std::vector<std::string>& texts,
                                            const char* option) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    std::string_view rest = text;
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string_view part = rest.substr(0, comma);
      if (part.empty())
        return usage(fmt::format("{} {}: an item of the list is empty", option, text));
      parts.emplace_back(part);
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return parts;
}

Result<std::vector<std::string>> split_engines(const std::vector<std::string>& texts) {
  auto parts = split_list(texts, "--engine");
  if (!parts) return parts;
  std::vector<std::string> engines;
  for (std::string& part : *parts) {
    const std::size_t equals = part.find('='), colon = part.find(':');
    const bool more = equals != part.npos && (colon == part.npos || colon > equals);
    if (more && (engines.empty() || engines.back().find(':') == std::string::npos))
      return usage(
          fmt::format("--engine {}: an option without its engine; write ENGINE:{}", part, part));
    if (more)
      engines.back() += "," + part;
    else
      engines.push_back(std::move(part));
  }
  return engines;
}

Result<BenchPlan> make_plan(const BenchChoices& choices) {
  BenchPlan plan;
  auto models = all_models(choices);
  if (!models) return tl::unexpected(models.error());
  plan.models = std::move(*models);

  auto engines =
      choices.engines.empty() ? usual_engines(plan.models) : split_engines(choices.engines);
  if (!engines) return tl::unexpected(engines.error());
  for (const std::string& text : *engines) {
    auto style = parse_engine_style(text);
    if (!style) return failure("--engine " + style.error().message, style.error().kind);
    plan.engines.push_back(std::move(*style));
  }
  auto precisions = split_list(choices.precisions, "--precision");
  if (!precisions) return tl::unexpected(precisions.error());
  for (const std::string& precision : *precisions)
    if (std::find(std::begin(kPrecisions), std::end(kPrecisions), precision) ==
        std::end(kPrecisions))
      return usage(
          fmt::format("--precision {}: there is {}", precision, fmt::join(kPrecisions, ", ")));
  plan.precisions = precisions->empty() ? std::vector<std::string>{""} : std::move(*precisions);

  auto batches = numbers(choices.batches, "--batch", 1 << 20);
  if (!batches) return tl::unexpected(batches.error());
  plan.batches = batches->empty() ? std::vector<std::int64_t>{0} : std::move(*batches);
  auto threads = numbers(choices.threads, "--threads", 1024);
  if (!threads) return tl::unexpected(threads.error());
  if (threads->empty()) threads->push_back(1);
  for (const std::int64_t number : *threads) plan.threads.push_back(static_cast<int>(number));
  return plan;
}

Result<Engine>& EngineFacts::engine(const std::string& name) {
  const auto known = engines_.find(name);
  if (known != engines_.end()) return known->second;
  return engines_.emplace(name, load_engine(name, path_)).first->second;
}

std::string EngineFacts::missing(const std::string& name) {
  const Result<Engine>& loaded = engine(name);
  if (loaded) return "";
  // The places that were searched follow on lines of their own.
  std::string text = loaded.error().message.substr(0, loaded.error().message.find('\n'));
  if (const std::size_t end = text.rfind("; looked for"); end != text.npos)
    text = text.substr(0, end) + "; `strata engines` says what there is";
  return text;
}

std::string EngineFacts::refuses_format(const std::string& name, bool is_onnx) {
  const Result<Engine>& loaded = engine(name);
  if (!loaded || !is_onnx || loaded->formats().find("onnx") != std::string_view::npos) return "";
  return fmt::format("{} opens {}, not ONNX; give it a file of its own with --pair {}=FILE,…", name,
                     loaded->formats(), name);
}

std::string EngineFacts::refuses_precision(const std::string& name, const std::string& precision) {
  if (precision.empty() || precision == "fp32" || !provider_.empty()) return "";
  const auto known = precisions_.find({name, precision});
  if (known != precisions_.end()) return known->second;
  const Result<Engine>& loaded = engine(name);
  std::string reason;
  if (loaded) {
    std::string device = device_;
    if (const auto devices = loaded->devices(); device.empty() && !devices.empty())
      device = devices.front().name;
    if (const Status status = loaded->probe(device, precision); !status)
      reason = status.error().message;
  }
  return precisions_.emplace(std::pair(name, precision), reason).first->second;
}

namespace {

// Makes the variants of one model.
class Planner {
 public:
  Planner(const ModelChoice& model, const BenchChoices& choices, ModelFiles& files,
          EngineFacts& engines)
      : model_(model), choices_(choices), files_(files), engines_(engines) {}

  PlannedVariant variant(const EngineStyle& style, const std::string& precision, std::int64_t batch,
                         int threads, const std::string& shape) {
    PlannedVariant planned;
    Variant& out = planned.variant;
    out.model = model_.name;
    out.engine = style.engine;
    out.engine_path = choices_.engine_path;
    out.style = style.style;
    out.shape = shape;
    out.batch = std::max<std::int64_t>(batch, 1);
    out.session.device = choices_.device;
    out.session.provider = choices_.provider;
    out.session.threads = threads;
    out.session.optimization = style.optimization;
    out.session.options = style.options;
    // So that its row says what it would have been.
    if (precision == "int8")
      out.stored = precision;
    else
      out.session.precision = precision;
    planned.refusal = prepare(planned, precision, batch, shape);
    return planned;
  }

  std::optional<Error> problem;  // of the model itself: the first

 private:
  std::string failed(const Error& error) {
    if (!problem) problem = error;
    return error.message;
  }

  // Fills in files; returns why the variant cannot be run.
  std::string prepare(PlannedVariant& planned, const std::string& precision, std::int64_t batch,
                      const std::string& shape) {
    Variant& out = planned.variant;
    planned.source = model_.file_for(out.engine);
    if (std::string reason = engines_.missing(out.engine); !reason.empty()) return reason;
    if (planned.source.empty()) return fmt::format("--pair has no file for {}", out.engine);
    auto file = files_.file(planned.source, batch);
    if (!file) return failed(file.error());
    if (std::string reason = engines_.refuses_format(out.engine, file->is_onnx); !reason.empty())
      return reason;
    if (std::string reason = engines_.refuses_precision(out.engine, precision); !reason.empty())
      return reason;
    if (precision == "int8" && file->stored != "int8") {
      if (model_.int8.empty() && !file->is_onnx)
        return fmt::format("int8 needs a quantized model; give one with --int8 {}=FILE",
                           model_.name);
      auto quantized = int8_model({.model = model_.name,
                                   .file = file->file,
                                   .given = model_.int8,
                                   .output = files_.name_beside(file->file, ".int8.onnx"),
                                   .data = choices_.data,
                                   .engine_path = choices_.engine_path});
      if (!quantized) return quantized.error().message;
      planned.source = quantized->how.empty()
                           ? quantized->file
                           : fmt::format("{}, {}", planned.source, quantized->how);
      file = files_.file(quantized->file, model_.int8.empty() ? 0 : batch);
      if (!file) return file.error().message;
      if (file->is_onnx && file->stored != "int8")
        return fmt::format("{} is not quantized", quantized->file);
    }
    out.file = file->file;
    if (out.stored.empty() && out.session.precision.empty()) out.stored = file->stored;
    planned.joules = file->joules;
    auto inputs = files_.inputs(model_.sources(), batch, shape);
    if (!inputs) return failed(inputs.error());
    out.inputs = inputs->file;
    out.mix = inputs->mix;
    out.batch = inputs->batch;
    planned.inputs = inputs->text;
    return "";
  }

  const ModelChoice& model_;
  const BenchChoices& choices_;
  ModelFiles& files_;
  EngineFacts& engines_;
};

// What an engine lacks altogether is said once, not for every precision, batch and number
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

Result<std::vector<PlannedGroup>> plan_model(const ModelChoice& model, const BenchPlan& plan,
                                             const BenchChoices& choices,
                                             const ModelSettings& settings, ModelFiles& files,
                                             EngineFacts& engines) {
  std::vector<std::string> shapes;
  for (const ShapeChoice& shape : settings.shapes) shapes.push_back(shape.name);
  if (shapes.empty()) shapes.emplace_back();
  Planner planner(model, choices, files, engines);
  std::vector<PlannedGroup> groups;
  for (const std::string& shape : shapes) {
    PlannedGroup& group = groups.emplace_back(PlannedGroup{model.name, shape, {}});
    for (const EngineStyle& style : plan.engines)
      for (const std::string& precision : plan.precisions)
        for (const int threads : plan.threads)
          for (const std::int64_t batch : plan.batches)
            add(group, planner.variant(style, precision, batch, threads, shape));
    const auto runs = [](const PlannedVariant& planned) { return planned.refusal.empty(); };
    auto base = group.variants.end();
    if (!choices.base.empty()) {
      base = std::find_if(group.variants.begin(), group.variants.end(),
                          [&](const auto& own) { return is_meant(own.variant, choices.base); });
      std::vector<std::string> labels;
      for (const PlannedVariant& own : group.variants) labels.push_back(own.variant.label());
      if (base == group.variants.end())
        return usage(fmt::format("--base {}: no variant is called so; there are: {}", choices.base,
                                 fmt::join(labels, "; ")));
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

}  // namespace strata::cli

#include "strata/base/error.h"

#include <algorithm>
#include <iterator>

namespace strata {

namespace {

struct CodeRow {
  Code code;
  std::string_view name;
  ErrorKind kind;
  std::string_view sentence;  // empty: whoever fails words it
};

using enum ErrorKind;

constexpr CodeRow kRows[] = {
    {Code::General, "general", Model, ""},

    {Code::EngineFailed, "engine_failed", Model, "{name}: {detail}"},
    {Code::EngineUnsupported, "engine_unsupported", Model, "{name}: {detail}"},
    {Code::EngineWrongInput, "engine_wrong_input", Usage, "{name}: {detail}"},
    {Code::OutOfMemory, "out_of_memory", Model, "{name}: {detail}"},
    {Code::Cancelled, "cancelled", Model, "{name}: {detail}"},
    {Code::EngineName, "engine_name", Usage, "\"{name}\" is not a valid engine name"},
    {Code::EngineMissing, "engine_missing", Model, "no engine \"{name}\" on this machine{detail}"},
    {Code::EngineNotHere, "engine_not_here", Model, "no engine \"{name}\" on this machine"},
    {Code::NeedsOwnFile, "needs_own_file", Model, "{name} opens {found}, not {wanted}"},
    {Code::ScriptNeedsEngine, "script_needs_engine", Model,
     "{file} is a TorchScript file, which is code: strata runs it once on the engine torch to "
     "profile it, and that is not on this machine"},
    {Code::NoInputShape, "no_input_shape", Usage,
     "{file} is a TorchScript file, which does not say what shapes its inputs have ({found})"},
    {Code::NoFileFor, "no_file_for", Model, "there is no file for {name}"},

    {Code::OutsideData, "outside_data", Model, ""},
    {Code::SeveralModels, "several_models", Usage, "it holds several models: {found}"},
    {Code::OnlyCompiled, "only_compiled", Model, ""},
    {Code::NoLayer, "no_layer", Usage, "there is no layer \"{name}\"{detail}"},
    {Code::NoNetwork, "no_network", Usage, "there is no network \"{name}\" in the zoo{detail}"},
    {Code::OpenSizes, "open_sizes", Model,
     "{detail} needs sizes in numbers, but \"{name}\" has {found} bytes"},
    {Code::OpenWork, "open_work", Usage, "{detail} depends on sizes that are open: {wanted}"},
    {Code::OpenInput, "open_input", Usage,
     "input \"{name}\" is {found}: to run the model, set {wanted}"},
    {Code::NoElements, "no_elements", Usage, ""},
    {Code::NotFinite, "not_finite", Model,
     "{name} has {found} elements, and is the first tensor in running order that has any; "
     "check the layer that computes it"},

    {Code::EndlessSamples, "endless_samples", Usage, "random samples never end: say how many"},
    {Code::ImageSize, "image_size", Model,
     "{file} has {found} pixels, but the input takes {wanted}"},
    {Code::ImageSides, "image_sides", Usage, "{name} {given}{detail}"},
    {Code::PresetChannels, "preset_channels", Usage,
     "preset {name} is for three channels and the input has one"},
    {Code::PresetResizes, "preset_resizes", Usage, "preset {name} resizes to the input's size"},
    {Code::PresetBytes, "preset_bytes", Usage, "input \"{name}\" takes bytes"},
    {Code::MeanAbovePixels, "mean_above_pixels", Usage,
     "mean {given} is above every pixel, which are 0 to {wanted}"},
    {Code::Int8NeedsSamples, "int8_needs_samples", Usage,
     "int8 was not tried: it needs samples to measure ranges and judge answers on"},
    {Code::DropNeedsClasses, "drop_needs_classes", Usage,
     "counting samples whose class changes needs outputs that are class scores"},
    {Code::NoClasses, "no_classes", Usage,
     "{model}: no output looks like class scores, which {name} needs"},
    {Code::NoClassesInAnswer, "no_classes_in_answer", Model,
     "{model}: its outputs do not give {name}"},
    {Code::OutputShape, "output_shape", Model,
     "the output {name} has another shape when a layer is rounded, as the boxes of a detector do: "
     "outputs cannot be compared element by element"},
    {Code::MetricCommand, "metric_command", Model, "the command {detail}"},

    {Code::NotRanges, "not_ranges", Model, "calibration {file}: it is {found}"},
    {Code::RangesLack, "ranges_lack", Model, "{file}: it lacks the tensor \"{name}\" of {model}"},
    {Code::RangesLackPart, "ranges_lack_part", Model, "the ranges lack {name}"},
    {Code::RangesOfOther, "ranges_of_other", Model,
     "{file}: its ranges are of another network, {found}"},
    {Code::RangesEmpty, "ranges_empty", Model, "{file}: it holds no samples"},
    {Code::SourceUnknown, "source_unknown", Model, "{file}: {detail}"},
    {Code::NoSamplesLeft, "no_samples_left", Usage,
     "{file} does not say where its samples come from"},
    {Code::TargetMissed, "target_missed", Budget,
     "{model}: the answers do not meet the target: {found}; nothing was written"},
    {Code::TargetMissedOthers, "target_missed_others", Budget,
     "{model}: the answers do not meet the target: {found}; nothing was written"},
    {Code::TargetOutOfReach, "target_out_of_reach", Budget,
     "{model}: the answers do not meet the target, however many layers are kept in float; "
     "nothing was written"},
    {Code::NeedsInt8, "needs_int8", Model, "int8 needs a quantized model"},
    {Code::NoInt8File, "no_int8_file", Model, "{file}: there is no such file"},

    {Code::NotProfile, "not_profile", Model, "profile {file}: it is not JSON"},
    {Code::NotBenchmark, "not_benchmark", Model, "benchmark {file}: it is not JSON"},
    {Code::NotScores, "not_scores", Model, "{file}: {detail}"},
    {Code::NoTimes, "no_times", Model, "profile {file} has no times"},
    {Code::NoCalls, "no_calls", Model, "profile {file} has no row for each call"},
    {Code::OtherRun, "other_run", Model,
     "{file}: is of another model, other samples or other options"},
    {Code::JournalInUse, "journal_in_use", Model, "{file}: another sweep is writing to this file"},

    {Code::NoSuchBase, "no_such_base", Usage,
     "{given}: there is no such variant; the variants are: {found}"},
    {Code::ShapesUnfit, "shapes_unfit", Usage, ""},
    {Code::ColumnNeeds, "column_needs", Usage, "column \"{name}\" needs {wanted}"},
    {Code::ColumnOfDevice, "column_of_device", Usage,
     "column \"{name}\" needs device memory by {wanted}"},
    {Code::SortNeedsOne, "sort_needs_one", Usage, "sort {given}: name one column"},
    {Code::JobsAtOnce, "jobs_at_once", Model, "jobs that run at once disturb each other's times"},

    {Code::OpenSize, "open_size", Model, ""},
    {Code::AssumedSize, "assumed_size", Model, ""},
    {Code::TensorsNotCut, "tensors_not_cut", Model, ""},
    {Code::ListIsShort, "list_is_short", Model, ""},
    {Code::ArenaNotListed, "arena_not_listed", Model, ""},
    {Code::RowsHidden, "rows_hidden", Model, ""},
    {Code::PlacesHidden, "places_hidden", Model, ""},
    {Code::ColumnsDropped, "columns_dropped", Model, ""},
    {Code::RowsBelowTop, "rows_below_top", Model, ""},
    {Code::NotAdditive, "not_additive", Model, ""},
    {Code::LoadWorkApart, "load_work_apart", Model, ""},

    {Code::OverLimit, "over_limit", Model, ""},

    {Code::EngineDied, "engine_died", Model, "{model}: engine {name} {detail}{found}"},
    {Code::EngineStuck, "engine_stuck", Model,
     "{model}: engine {name} did not stop when asked to and was killed{found}"},
    {Code::EngineSilent, "engine_silent", Model,
     "{model}: engine {name} gave no answer in {wanted} and was killed{found}"},
    {Code::CannotConfine, "cannot_confine", Usage,
     "this machine cannot keep a model from writing files or starting programs while it runs "
     "({detail})"},

    {Code::FileMissing, "file_missing", Model, "{file}: there is no such file; check the path"},
    {Code::FileUnreadable, "file_unreadable", Model, "{file}: cannot be {wanted}: {detail}"},
    {Code::NotAFile, "not_a_file", Model, "{file} is {found}"},
    {Code::FileEmpty, "file_empty", Model,
     "{file} is empty; it was not written to the end, or not downloaded"},
    {Code::FormatUnknown, "format_unknown", Model, ""},
    {Code::FileBroken, "file_broken", Model, ""},

    {Code::NoCommand, "no_command", Usage, "there is no command \"{name}\"{detail}"},
    {Code::NoOption, "no_option", Usage, "there is no option {name}{detail}"},
    {Code::OptionValue, "option_value", Usage, "{name}: {detail}"},
    {Code::OptionEffect, "option_effect", Usage, "{name} has no effect: {detail}"},
    {Code::RequestBroken, "request_broken", Usage, "the request: {detail}"},
    {Code::NoModel, "no_model", Usage, "there is no model"},
    {Code::NoDevice, "no_device", Usage, ""},
    {Code::NoColumn, "no_column", Usage, ""},
    {Code::NoInput, "no_input", Usage, ""},
    {Code::NoSamples, "no_samples", Usage,
     "there are no samples: neither a folder of them nor random ones were asked for"},
    {Code::NeedsLabels, "needs_labels", Usage, "accuracy needs labels"},
    {Code::QuantizedAlready, "quantized_already", Model, ""},
    {Code::NothingToQuantize, "nothing_to_quantize", Model, ""},
    {Code::NothingToShow, "nothing_to_show", Model, ""},
};

constexpr bool is_in_order() {
  if (std::size(kRows) != kCodes) return false;
  for (std::size_t i = 0; i < kCodes; ++i)
    if (static_cast<std::size_t>(kRows[i].code) != i) return false;
  return true;
}
static_assert(is_in_order(), "one row for each code, in their order");

const CodeRow& row(Code code) { return kRows[static_cast<std::size_t>(code)]; }

struct FieldName {
  std::string_view name;
  std::string ErrorFields::*field;
};
constexpr FieldName kFields[] = {
    {"file", &ErrorFields::file},     {"model", &ErrorFields::model},
    {"name", &ErrorFields::name},     {"given", &ErrorFields::given},
    {"found", &ErrorFields::found},   {"wanted", &ErrorFields::wanted},
    {"detail", &ErrorFields::detail},
};

// Null: no field is called so.
const std::string* find(std::string_view name, const Error& error) {
  if (name == "message") return &error.message;
  for (const FieldName& known : kFields)
    if (known.name == name) return &(error.fields().*known.field);
  return nullptr;
}

}  // namespace

std::string_view code_name(Code code) { return row(code).name; }

const ErrorFields& Error::fields() const {
  static const ErrorFields kNone;
  return about ? *about : kNone;
}

Error make_error(Code code, ErrorFields fields, std::string message) {
  return {std::move(message), row(code).kind, code,
          std::make_shared<const ErrorFields>(std::move(fields))};
}

Error make_error(Code code, ErrorFields fields) {
  Error error = make_error(code, std::move(fields), std::string());
  error.message = with_fields(row(code).sentence, error);
  return error;
}

Error coded(Code code, ErrorFields fields, Error error) {
  if (error.code != Code::General) return error;
  error.code = code;
  error.about = std::make_shared<const ErrorFields>(std::move(fields));
  return error;
}

Error error_in(std::string_view where, Error error) {
  error.message.insert(0, std::string(where) + ": ");
  return error;
}

std::string with_fields(std::string_view pattern, const Error& error) {
  std::string out;
  while (!pattern.empty()) {
    const std::size_t open = std::min(pattern.find('{'), pattern.size());
    out += pattern.substr(0, open);
    pattern.remove_prefix(open);
    const std::size_t close = pattern.find('}');
    const std::string* value =
        close == pattern.npos ? nullptr : find(pattern.substr(1, close - 1), error);
    const std::size_t used =
        value != nullptr ? close + 1 : std::min<std::size_t>(1, pattern.size());
    out += value != nullptr ? std::string_view(*value) : pattern.substr(0, used);
    pattern.remove_prefix(used);
  }
  return out;
}

}  // namespace strata

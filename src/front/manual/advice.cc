#include "manual/advice.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace strata::manual {

namespace {

struct Advice {
  Code code;
  std::string_view pattern;      // with_fields() fills it
  std::string_view python = {};  // the same in Python; empty: in_words_of() turns the pattern
};

// A pattern without {message} is for codes to whose sentences nothing is added on the way.
constexpr Advice kAdvice[] = {
    {Code::EngineName, "{message}; `strata engines` lists those here",
     "{message}; strata.engines() lists those here"},
    {Code::EngineMissing,
     "{message}; looked for\n  {found}\n`make engines` in strata's source folder builds the "
     "engines that it comes with"},
    {Code::EngineNotHere, "{message}; `strata engines` says what there is",
     "{message}; strata.engines() says what there is"},
    {Code::NeedsOwnFile,
     "{message}; take an engine that opens it with --engine, or give this one a file of its own "
     "with --pair {name}=FILE,…"},
    {Code::ScriptNeedsEngine,
     "{message}. Build strata where libtorch is installed, or export the model in Python:\n"
     "  torch.export.save(torch.export.export(model, (x,)), \"model.pt2\")",
     "{message}. Give strata.stat() the module itself, or export it:\n  "
     "torch.export.save(torch.export.export(model, (x,)), \"model.pt2\")"},
    {Code::NoInputShape, "{message}; give them with --input {name}=1x3x224x224",
     "{message}; give them with inputs={\"{name}\": (1, 3, 224, 224)}"},
    {Code::NoFileFor, "--pair has no file for {name}", "no file was given for {name}"},

    {Code::OutsideData, "{message}; if you trust the model, allow it with --allow-outside-data"},
    {Code::SeveralModels, "{message}; choose one with --model"},
    {Code::NoLayer, "{message}; `strata stat` lists the layers",
     "{message}; the rows of strata.stat() name the layers"},
    {Code::NoNetwork, "{message}; `strata zoo` lists them", "{message}; strata.zoo() lists them"},
    {Code::OpenSizes, "{message}; give the open sizes with --dim",
     "{message}; give the open sizes with dim={\"NAME\": SIZE}"},
    {Code::OpenWork, "{message}; give them with --dim NAME=SIZE",
     "{message}; give them with dim={\"NAME\": SIZE}"},
    {Code::OpenInput, "{message} with --dim or --input",
     "{message} with dim={\"NAME\": SIZE} or inputs"},
    {Code::NoElements, "{message}; give them with --input FILE",
     "{message}; give them with inputs"},
    {Code::NotFinite, "{message}, or count them with --allow-nonfinite of `strata calibrate`",
     "{message}, or count them with allow_nonfinite=True of strata.calibrate()"},

    {Code::NoSamples, "there are no samples: give a folder with --data, or --random for a dry run",
     "there are no samples: give a folder with data, or random=True for a dry run"},
    {Code::NeedsLabels, "{message}: give them with --labels FILE",
     "{message}: give them with labels"},
    {Code::EndlessSamples, "{message} with --samples"},
    {Code::ImageSize, "{message}; resize it with --resize"},
    {Code::ImageSides, "--{message}", "{message}"},
    {Code::PresetChannels, "{message}; take --preset unit, or give --mean and --std",
     "{message}; take preset=\"unit\", or give mean and std"},
    {Code::PresetResizes, "{message}; leave out --resize and --crop"},
    {Code::PresetBytes, "{message}; give them as they are with --preset raw",
     "{message}; give them as they are with preset=\"raw\""},
    {Code::MeanAbovePixels, "{message}; for pixels of 0 to 255 add --scale 1",
     "{message}; for pixels of 0 to 255 add scale=1"},
    {Code::Int8NeedsSamples, "{message}; give them with --data, or --random for a dry run"},
    {Code::DropNeedsClasses, "--max-drop needs outputs that are class scores"},
    {Code::NoClasses,
     "{model}: no output looks like class scores, which --metric {name} needs; take sqnr or "
     "cosine, or give --metric-cmd",
     "{model}: no output looks like class scores, which metric=\"{name}\" needs; take "
     "\"sqnr\" or \"cosine\", or give metric_cmd"},
    {Code::NoClassesInAnswer,
     "{model}: its outputs do not give --metric {name}; take sqnr or cosine, or give --metric-cmd",
     "{model}: its outputs do not give metric=\"{name}\"; take \"sqnr\" or \"cosine\", or give "
     "metric_cmd"},
    {Code::OutputShape, "{message}; give --metric-cmd"},
    {Code::MetricCommand, "--metric-cmd: {message}"},

    {Code::NotRanges, "{message}; make one with `strata calibrate MODEL -o FILE`",
     "{message}; make one with strata.calibrate(model, output=FILE)"},
    {Code::RangesLack, "{message}; make it for this model with `strata calibrate`",
     "{message}; make it for this model with strata.calibrate()"},
    {Code::RangesLackPart, "{message}; make them for this model with `strata calibrate`",
     "{message}; make them for this model with strata.calibrate()"},
    {Code::RangesOfOther, "{message}; make them for {model} with `strata calibrate`",
     "{message}; make them for {model} with strata.calibrate()"},
    {Code::RangesEmpty, "{message}; run `strata calibrate` to its end",
     "{message}; run strata.calibrate() to its end"},
    {Code::SourceUnknown, "{message}; give them with --data"},
    {Code::NoSamplesLeft,
     "{message}: give samples to judge answers on with --data, or --random for a dry run",
     "{message}: give samples to judge answers on with data, or random=True for a dry run"},
    {Code::TargetMissed, "{message}. Keep layers in float with --keep-float auto, or ask for less",
     "{message}. Keep layers in float with keep_float=\"auto\", or ask for less"},
    {Code::TargetMissedOthers, "{message}. Give more samples with --held-out, or ask for less"},
    {Code::TargetOutOfReach, "{message}. Try --method mse or percentile, or ask for less",
     "{message}. Try method=\"mse\" or \"percentile\", or ask for less"},
    {Code::NeedsInt8, "{message}; give one with --int8 {model}=FILE",
     "{message}; give one with int8={\"{model}\": FILE}"},
    {Code::NoInt8File, "{message}; check --int8"},

    {Code::NotProfile, "{message}; save one with `strata stat MODEL --format json -o FILE`",
     "{message}; save one with strata.stat(model).save(FILE)"},
    {Code::NotBenchmark, "{message}; save one with `strata bench MODEL --format json -o FILE`",
     "{message}; save one with strata.bench(model).save(FILE)"},
    {Code::NotScores, "{message}; name another file with -o",
     "{message}; name another file with output"},
    {Code::NoTimes,
     "{message}: save one of a measured run (`strata stat MODEL --time --format json -o FILE`), or "
     "state a speed, such as 50GFLOP/s",
     "{message}: save one of a measured run, strata.stat(model, timing=True).save(FILE), or state "
     "a speed, such as 50GFLOP/s"},
    {Code::NoCalls, "{message}: save it with `--report calls` and the columns layer, call and time",
     "{message}: save it with report=\"calls\" and the columns layer, call and time"},
    {Code::OtherRun, "{message}; name another file with -o, or write over it with --fresh",
     "{message}; name another file with output, or write over it with fresh=True"},
    {Code::JournalInUse, "{message}; wait for it, or give another with -o",
     "{message}; wait for it, or give another with output"},

    {Code::NoDevice, "{message}; `strata devices` lists them, and --device-file adds one",
     "{message}; strata.devices() lists them, and device_file adds one"},
    {Code::NoModel, "{message}: name a file, or zoo:NAME", "{message}: name a file, or zoo:NAME"},
    {Code::NoSuchBase, "--base {message}", "base {message}"},
    {Code::ShapesUnfit, "--shapes {message}", "shapes {message}"},
    {Code::ColumnNeeds, "column \"{name}\" needs --{wanted}", "column \"{name}\" needs {wanted}"},
    {Code::ColumnOfDevice, "column \"{name}\" needs --device-memory {wanted}",
     "column \"{name}\" needs device_memory=\"{wanted}\""},
    {Code::SortNeedsOne, "--{message}", "{message}"},
    {Code::JobsAtOnce, "--jobs {given}: {message}", "jobs={given}: {message}"},

    {Code::OpenSize, "{message} (--dim {name}=… sets it)",
     "{message} (dim={\"{name}\": SIZE} sets it)"},
    {Code::AssumedSize, "{message} (--dim {name}=… assumes it)",
     "{message} (dim={\"{name}\": SIZE} assumes it)"},
    {Code::TensorsNotCut, "{message}; --dim assumes one", "{message}; dim assumes one"},
    {Code::ListIsShort, "{message} (--format json lists them)",
     "{message} (the rows of the document have them)"},
    {Code::ArenaNotListed, "{message}; --arena lists them"},
    {Code::RowsHidden, "{message} (--all shows them)"},
    {Code::PlacesHidden, "{message} (--all shows every place)"},
    {Code::ColumnsDropped, "{message} (--width 0 shows all)", "{message} (width=0 shows all)"},
    {Code::RowsBelowTop, "{message}; --top 0 shows all", "{message}; top=0 shows all"},
    {Code::NotAdditive, "{message}; --leave-one-out measures that"},
    {Code::LoadWorkApart, "{message} (--load-work adds them)"},

    {Code::OverLimit, "{message}; if you trust the file, raise the limit with --limit"},

    {Code::EngineDied,
     "{message}; try another --engine, or this one with other options or --threads"},
    {Code::EngineSilent,
     "{message}; if it is slow and does not hang, give it longer with --max-wait"},
    {Code::CannotConfine, "{message}; if you trust the model, add --trust-model"},
};

// Options without a value.
constexpr std::string_view kFlags[] = {"all",       "allow-nonfinite", "allow-outside-data",
                                       "exact",     "fresh",           "leave-one-out",
                                       "load-work", "memory",          "random",
                                       "roofline",  "strict",          "trust-model"};

// `keep_float` for `keep-float`.
std::string keyword_of(std::string_view option) {
  if (option == "time") return "timing=True";
  std::string keyword(option);
  std::replace(keyword.begin(), keyword.end(), '-', '_');
  if (std::find(std::begin(kFlags), std::end(kFlags), option) != std::end(kFlags))
    keyword += "=True";
  return keyword;
}

bool is_part_of_option(char c) {
  return std::islower(static_cast<unsigned char>(c)) != 0 ||
         std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-';
}

thread_local Audience current_audience = Audience::Program;

std::string python_advice(const Advice& advice, const Error& error) {
  const std::string own(advice.python.empty() ? in_words_of(Audience::Python, advice.pattern)
                                              : std::string(advice.python));
  if (error.code != Code::ColumnNeeds) {
    Error named = error;  // a message may begin with the option that is wrong
    if (named.message.starts_with("--"))
      named.message = in_words_of(Audience::Python, named.message);
    return with_fields(own, named);
  }
  ErrorFields fields = error.fields();  // `wanted` is an option by its name
  fields.wanted = keyword_of(fields.wanted);
  return with_fields(own, make_error(error.code, std::move(fields), error.message));
}

}  // namespace

Audience audience_from_name(std::string_view name) {
  return name == "python" ? Audience::Python : Audience::Program;
}

AudienceScope::AudienceScope(Audience audience)
    : before_(std::exchange(current_audience, audience)) {}
AudienceScope::~AudienceScope() { current_audience = before_; }
Audience audience() { return current_audience; }

std::string in_words_of(Audience audience, std::string_view sentence) {
  if (audience == Audience::Program) return std::string(sentence);
  std::string out;
  while (!sentence.empty()) {
    const std::size_t at = std::min(sentence.find("--"), sentence.size());
    const bool is_inside = at > 0 && at < sentence.size() && is_part_of_option(sentence[at - 1]);
    out += sentence.substr(0, at);
    sentence.remove_prefix(at);
    if (sentence.empty()) break;
    std::size_t end = 2;
    while (end < sentence.size() && is_part_of_option(sentence[end])) ++end;
    const std::string_view option = sentence.substr(2, end - 2);
    out += is_inside || option.empty() ? std::string(sentence.substr(0, end)) : keyword_of(option);
    sentence.remove_prefix(end);
  }
  return out;
}

std::string advised_for(Audience audience, const Error& error) {
  for (const Advice& advice : kAdvice)
    if (advice.code == error.code)
      return audience == Audience::Python ? python_advice(advice, error)
                                          : with_fields(advice.pattern, error);
  // A mistake in the text of an option is named by it.
  return error.message.starts_with("--") ? in_words_of(audience, error.message) : error.message;
}

std::string advised(const Error& error) { return advised_for(audience(), error); }

}  // namespace strata::manual

#include "manual/advice.h"

#include <string_view>

namespace strata::manual {

namespace {

struct Advice {
  Code code;
  std::string_view pattern;  // with_fields() fills it
};

// A pattern without {message} is for codes to whose sentences nothing is added on the way.
constexpr Advice kAdvice[] = {
    {Code::EngineName, "{message}; `strata engines` lists those here"},
    {Code::EngineMissing, "{message}; looked for\n  {found}"},
    {Code::EngineNotHere, "{message}; `strata engines` says what there is"},
    {Code::NeedsOwnFile, "{message}; give it a file of its own with --pair {name}=FILE,…"},
    {Code::ScriptNeedsEngine,
     "{message}. Build strata where libtorch is installed, or export the model in Python:\n"
     "  torch.export.save(torch.export.export(model, (x,)), \"model.pt2\")"},
    {Code::NoInputShape, "{message}; give them with --input {name}=1x3x224x224"},
    {Code::NoFileFor, "--pair has no file for {name}"},

    {Code::OutsideData, "{message}; if you trust the model, allow it with --allow-outside-data"},
    {Code::SeveralModels, "{message}; choose one with --model"},
    {Code::NoLayer, "{message}; `strata stat` lists the layers"},
    {Code::NoNetwork, "{message}; `strata zoo` lists them"},
    {Code::OpenSizes, "{message}; give the open sizes with --dim"},
    {Code::OpenWork, "{message}; give them with --dim NAME=SIZE"},
    {Code::OpenInput, "{message} with --dim or --input"},
    {Code::NoElements, "{message}; give them with --input FILE"},
    {Code::NotFinite, "{message}, or count them with --allow-nonfinite of `strata calibrate`"},

    {Code::EndlessSamples, "{message} with --samples"},
    {Code::ImageSize, "{message}; say --resize"},
    {Code::ImageSides, "--{message}"},
    {Code::PresetChannels, "{message}; say --preset unit, or --mean and --std"},
    {Code::PresetResizes, "{message}; leave out --resize and --crop"},
    {Code::PresetBytes, "{message}; give them as they are with --preset raw"},
    {Code::MeanAbovePixels, "{message}; for pixels of 0 to 255 add --scale 1"},
    {Code::Int8NeedsSamples, "{message}; give them with --data, or --random for a dry run"},
    {Code::DropNeedsClasses, "--max-drop needs outputs that are scores of classes"},
    {Code::NoClasses,
     "{model}: no output looks like scores of classes, which --metric {name} needs; take sqnr or "
     "cosine, or give --metric-cmd"},
    {Code::NoClassesInAnswer,
     "{model}: its outputs do not give --metric {name}; take sqnr or cosine, or give --metric-cmd"},
    {Code::OutputShape, "{message}; give --metric-cmd"},
    {Code::MetricCommand, "--metric-cmd: {message}"},

    {Code::NotRanges, "{message}; make one with `strata calibrate MODEL -o FILE`"},
    {Code::RangesLack, "{message}; make it for this model with `strata calibrate`"},
    {Code::RangesLackPart, "{message}; make them for this model with `strata calibrate`"},
    {Code::RangesOfOther, "{message}; make them for {model} with `strata calibrate`"},
    {Code::RangesEmpty, "{message}; run `strata calibrate` to its end"},
    {Code::SourceUnknown, "{message}; give them with --data"},
    {Code::NoSamplesLeft,
     "{message}: give samples to judge answers on with --data, or --random for a dry run"},
    {Code::TargetMissed,
     "{message}. Keep layers in floats with --keep-float auto, or ask for less"},
    {Code::TargetMissedOthers, "{message}. Give more samples with --held-out, or ask for less"},
    {Code::TargetOutOfReach, "{message}. Try --method mse or percentile, or ask for less"},
    {Code::NeedsInt8, "{message}; give one with --int8 {model}=FILE"},
    {Code::NoInt8File, "{message}; check --int8"},

    {Code::NotProfile, "{message}; save one with `strata stat MODEL --format json -o FILE`"},
    {Code::NotBenchmark, "{message}; save one with `strata bench MODEL --format json -o FILE`"},
    {Code::NotScores, "{message}; name another file with -o"},
    {Code::NoTimes,
     "{message}: save one of a measured run (`strata stat MODEL --time --format json -o FILE`), or "
     "state a speed, such as 50GFLOP/s"},
    {Code::NoCalls,
     "{message}: save it with `--report calls` and the columns layer, call and time"},
    {Code::OtherRun, "{message}; name another file with -o, or write over it with --fresh"},
    {Code::JournalInUse, "{message}; wait for it, or give another with -o"},

    {Code::NoSuchBase, "--base {message}"},
    {Code::ShapesUnfit, "--shapes {message}"},
    {Code::ColumnNeeds, "column \"{name}\" needs --{wanted}"},
    {Code::ColumnOfDevice, "column \"{name}\" needs --device-memory {wanted}"},
    {Code::SortNeedsOne, "--{message}"},
    {Code::JobsAtOnce, "--jobs {given}: {message}"},

    {Code::OpenSize, "{message} (--dim {name}=… sets it)"},
    {Code::AssumedSize, "{message} (--dim {name}=… assumes it)"},
    {Code::TensorsNotCut, "{message}; --dim assumes one"},
    {Code::ListIsShort, "{message} (--format json lists them)"},
    {Code::ArenaNotListed, "{message}; --arena lists them"},
    {Code::RowsHidden, "{message} (--all shows them)"},
    {Code::PlacesHidden, "{message} (--all shows every place)"},
    {Code::ColumnsDropped, "{message} (--width 0 shows all)"},
    {Code::RowsBelowTop, "{message}; --top 0 shows all"},
    {Code::NotAdditive, "{message}; --leave-one-out measures that"},
    {Code::LoadWorkApart, "{message} (--load-work adds them)"},

    {Code::OverLimit, "{message}; if you trust the file, raise the limit with --limit"},

    {Code::EngineDied,
     "{message}; try another --engine, or this one with other options or --threads"},
    {Code::EngineSilent,
     "{message}; if it is slow and does not hang, give it longer with --max-wait"},
};

}  // namespace

std::string advised(const Error& error) {
  for (const Advice& advice : kAdvice)
    if (advice.code == error.code) return with_fields(advice.pattern, error);
  return error.message;
}

}  // namespace strata::manual

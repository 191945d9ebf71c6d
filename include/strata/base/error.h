// Errors: a code for the program that asks, a sentence for the person who reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace strata {

enum class ErrorKind : std::uint8_t {
  Model,   // the file or the network in it is wrong: exit code 1
  Usage,   // the caller asked for something that does not exist: exit code 2
  Budget,  // a check that the caller set has failed: exit code 3
  Bug,     // strata itself is wrong: exit code 70
};

// Callers compare the code and never read the sentence. A failure that no caller has to tell from
// others ("this file is broken, here") is General. Notes have codes, too, where the caller can say
// what its users may do. src/core/base/error.cc has a row for each.
enum class Code : std::uint8_t {
  General,

  // Engines.
  EngineFailed,
  EngineUnsupported,  // an operator, a type, a device or a request that the engine does not have
  EngineWrongInput,
  OutOfMemory,
  Cancelled,
  EngineName,         // no name that an engine can have
  EngineMissing,      // not on this machine; `found` is the places that were searched
  EngineNotHere,      // the same in a row of a table, without the places
  NeedsOwnFile,       // the engine does not open ONNX files
  ScriptNeedsEngine,  // a TorchScript file, and no engine that runs it
  NoInputShape,       // a TorchScript file, whose inputs have no shapes
  NoFileFor,          // the model has no file for the engine

  // Models.
  OutsideData,    // weights in a file outside of the model's folder
  SeveralModels,  // a file holds more than one, and it was not said which
  OnlyCompiled,   // a file holds machine code, of which an engine alone knows what to do
  NoLayer,        // no layer is called so
  NoNetwork,      // no network of the zoo is called so
  OpenSizes,      // memory is planned for sizes in numbers
  OpenWork,       // times and shipped bytes need sizes in numbers
  OpenInput,      // an input with an open size cannot be made up
  NoElements,     // an input of a type that cannot be made up
  NotFinite,      // the model computes NaN or infinity

  // Samples.
  EndlessSamples,     // random samples, and not said how many
  ImageSize,          // an image that is not resized, of another size than the input
  ImageSides,         // sizes to resize or crop to that do not fit the input
  PresetChannels,     // a preset for three channels, and an input with one
  PresetResizes,      // a preset that resizes, and another size
  PresetBytes,        // a preset that makes floats, and an input that takes bytes
  MeanAbovePixels,    // a mean that is of another scale than the pixels
  Int8NeedsSamples,   // int8 is not tried without samples
  DropNeedsClasses,   // a limit for samples with another class, and outputs that are none
  NoClasses,          // a metric that needs scores of classes, before the model is run
  NoClassesInAnswer,  // the same, after it
  OutputShape,        // an output that changes its shape, so that elements cannot be compared
  MetricCommand,      // a command that judges outputs failed

  // Ranges, and models made with them.
  NotRanges,           // a file that is not a file of ranges
  RangesLack,          // a file of ranges lacks a tensor of the model
  RangesLackPart,      // ranges in memory lack a tensor of the model
  RangesOfOther,       // a file of ranges is of another network than the model
  RangesEmpty,         // a file of ranges has seen no samples
  SourceUnknown,       // how the samples of a file of ranges were made is not understood
  NoSamplesLeft,       // a file of ranges does not say where others of its samples come from
  TargetMissed,        // a quantized model does not reach what was asked for
  TargetMissedOthers,  // the same, on other samples than those that it was chosen with
  TargetOutOfReach,    // no choice of layers reaches it
  NeedsInt8,           // no int8 can be made of the model
  NoInt8File,          // the given int8 model is not there

  // Results of earlier runs.
  NotProfile,    // a file that is not a profile
  NotBenchmark,  // a file that is not a benchmark
  NotScores,     // a file that is not a journal of a sensitivity
  NoTimes,       // a profile of a model that was not run
  NoCalls,       // a profile without a row for each call
  OtherRun,      // the file to go on with is of another run
  JournalInUse,  // another sweep writes to the file

  // Requests.
  NoSuchBase,      // no variant is called as the base
  ShapesUnfit,     // sizes that do not fit the inputs
  ColumnNeeds,     // a column of what was not asked for: `time`, `memory`, `roofline`, `view`
  ColumnOfDevice,  // a column of a model of device memory that was not asked for
  SortNeedsOne,    // a table is sorted by one column
  JobsAtOnce,      // a note: jobs at once disturb each other

  // Notes of what a table leaves out.
  OpenSize,        // a size that the caller can set
  AssumedSize,     // a size that only data tells; the caller can assume one
  TensorsNotCut,   // tensors of any size, which no cut ships
  ListIsShort,     // the whole list is in another format
  ArenaNotListed,  // the places in an arena
  RowsHidden,      // constants and views
  PlacesHidden,    // places that ship more than their neighbours
  ColumnsDropped,  // for lack of width
  RowsBelowTop,    // after the first of a ranking
  NotAdditive,     // drops of layers that do not add up
  LoadWorkApart,   // work on constants, which the totals do not have

  OverLimit,  // a file asks for more than the limit for its size

  // Processes of jobs.
  EngineDied,     // an engine took its process with it
  EngineStuck,    // an engine did not stop when it was asked to
  EngineSilent,   // an engine gave no answer within the time that it was given
  CannotConfine,  // this machine cannot confine the process that runs a model

  // Files.
  FileMissing,     // nothing is at the path
  FileUnreadable,  // it cannot be opened, mapped or read; `detail` is the system's reason
  NotAFile,        // a directory, a device or a pipe where a file is needed
  FileEmpty,       // it has no bytes
  FormatUnknown,   // in no format of models that strata reads; `found` is what it looks like
  FileBroken,      // in a known format, `name`, but damaged, cut off or against its rules

  // Commands and their options.
  NoCommand,          // no command is called so
  NoOption,           // the command has no such option
  OptionValue,        // an option does not take the value
  OptionEffect,       // an option has no effect without another one, or beside it
  RequestBroken,      // the JSON of a request is none
  NoModel,            // it was not said which model
  NoDevice,           // no device is called so
  NoColumn,           // no column is called so, or none is left
  NoInput,            // the model has no such input
  NoSamples,          // neither a folder of samples nor random ones
  NeedsLabels,        // accuracy, and the samples have no labels
  QuantizedAlready,   // a model that is to be quantized has quantized layers
  NothingToQuantize,  // a model without a layer that could be quantized
  NothingToShow,      // the document has nothing that the format or the chart shows
};
inline constexpr std::size_t kCodes = static_cast<std::size_t>(Code::NothingToShow) + 1;

// `out_of_memory`: for those who cannot compare the number.
std::string_view code_name(Code code);

// The subjects of an error's sentence. Fields that a code does not use are empty.
struct ErrorFields {
  std::string file = {};    // that is wrong, or in the way
  std::string model = {};   // that was asked for
  std::string name = {};    // of an engine, an input, a layer, a column, a metric
  std::string given = {};   // what the caller said
  std::string found = {};   // what there is
  std::string wanted = {};  // what there should be
  std::string detail = {};  // what an engine, a command or an earlier failure says
};

struct Error {
  std::string message;  // one sentence: what is wrong and where
  ErrorKind kind = ErrorKind::Model;
  Code code = Code::General;
  std::shared_ptr<const ErrorFields> about = {};

  const ErrorFields& fields() const;
};

// The code's own sentence, with the fields in it.
Error make_error(Code code, ErrorFields fields = {});
// In the caller's words.
Error make_error(Code code, ErrorFields fields, std::string message);
// Adds a code and fields to an error that has none yet. Its sentence and kind stay.
Error coded(Code code, ErrorFields fields, Error error);
// Returns the error with words before its sentence that say where: `sample 3 (cat.png): …`
Error error_in(std::string_view where, Error error);

// The words in braces replaced by the message or the field of that name: `{message}; see {file}`.
// How a caller adds to a sentence what its users can do.
std::string with_fields(std::string_view pattern, const Error& error);

// A sentence of the library's, as the caller's users shall read it.
using Phrase = std::function<std::string(const Error&)>;
inline std::string phrased(const Phrase& phrase, const Error& error) {
  return phrase ? phrase(error) : error.message;
}

}  // namespace strata

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
  EngineName,     // not a valid name of an engine
  EngineMissing,  // the engine is not on this machine; `found` lists the places that were searched
  EngineNotHere,  // like EngineMissing, in a row of a table and without the places
  NeedsOwnFile,   // the engine does not open ONNX files
  ScriptNeedsEngine,  // no engine here runs a TorchScript file
  NoInputShape,       // the inputs of a TorchScript file have no shapes
  NoFileFor,          // the model has no file for the engine

  // Models.
  OutsideData,    // weights in a file outside of the model's folder
  SeveralModels,  // the file holds several models and the caller chose none
  OnlyCompiled,   // the file holds machine code, which only an engine can run
  NoLayer,        // there is no layer of this name
  NoNetwork,      // the zoo has no network of this name
  OpenSizes,      // a plan of memory needs every size as a number
  OpenWork,       // times and shipped bytes need every size as a number
  OpenInput,      // an input with an open size cannot be generated
  NoElements,     // an input of this type cannot be generated
  NotFinite,      // the model computes NaN or infinity

  // Samples.
  EndlessSamples,     // random samples without a number of samples
  ImageSize,          // an image has another size than the input and is not resized
  ImageSides,         // sizes to resize or crop to that do not fit the input
  PresetChannels,     // a preset for three channels, and an input with one
  PresetResizes,      // a preset that resizes, and a size in addition
  PresetBytes,        // a preset makes floats, but the input takes bytes
  MeanAbovePixels,    // a mean that is of another scale than the pixels
  Int8NeedsSamples,   // int8 is not tried without samples
  DropNeedsClasses,   // a limit on changed classes, but the outputs are not class scores
  NoClasses,          // the metric needs class scores; found before the model ran
  NoClassesInAnswer,  // like NoClasses, found after the run
  OutputShape,        // an output that changes its shape, so that elements cannot be compared
  MetricCommand,      // a command that judges outputs failed

  // Ranges, and models made with them.
  NotRanges,           // a file that is not a file of ranges
  RangesLack,          // a file of ranges lacks a tensor of the model
  RangesLackPart,      // ranges in memory lack a tensor of the model
  RangesOfOther,       // a file of ranges is of another network than the model
  RangesEmpty,         // a file of ranges holds no samples
  SourceUnknown,       // the file of ranges does not say how its samples were made
  NoSamplesLeft,       // the file of ranges does not say where to find more samples
  TargetMissed,        // the quantized model misses the target
  TargetMissedOthers,  // it meets the target only on the samples that it was chosen with
  TargetOutOfReach,    // no choice of layers reaches it
  NeedsInt8,           // the model cannot be quantized
  NoInt8File,          // the given int8 model does not exist

  // Results of earlier runs.
  NotProfile,    // a file that is not a profile
  NotBenchmark,  // a file that is not a benchmark
  NotScores,     // a file that is not a journal of a sensitivity
  NoTimes,       // a profile of a model that was not run
  NoCalls,       // a profile without a row for each call
  OtherRun,      // the file to resume from belongs to another run
  JournalInUse,  // another sweep writes to the file

  // Requests.
  NoSuchBase,      // there is no variant with the name of the base
  ShapesUnfit,     // sizes that do not fit the inputs
  ColumnNeeds,     // the column needs an option: `time`, `memory`, `roofline` or `view`
  ColumnOfDevice,  // the column needs another model of device memory
  SortNeedsOne,    // a table is sorted by exactly one column
  JobsAtOnce,      // a note: jobs at once disturb each other

  // Notes of what a table leaves out.
  OpenSize,        // a size that the caller can set
  AssumedSize,     // a size that depends on the data; the caller can assume one
  TensorsNotCut,   // tensors of any size, which no cut ships
  ListIsShort,     // the whole list is in another format
  ArenaNotListed,  // the places in an arena
  RowsHidden,      // constants and views
  PlacesHidden,    // places that ship more than their neighbours
  ColumnsDropped,  // columns that do not fit the width
  RowsBelowTop,    // rows after the first ones of a ranking
  NotAdditive,     // drops of layers that do not add up
  LoadWorkApart,   // work on constants, which the totals do not have

  OverLimit,  // a file asks for more than the limit for its size

  // Processes of jobs.
  EngineDied,     // an engine crashed or ended its process
  EngineStuck,    // an engine did not stop when asked to
  EngineSilent,   // an engine did not respond within the time limit
  CannotConfine,  // this machine cannot confine the process that runs a model

  // Files.
  FileMissing,     // nothing is at the path
  FileUnreadable,  // it cannot be opened, mapped or read; `detail` is the system's reason
  NotAFile,        // a directory, a device or a pipe where a file is needed
  FileEmpty,       // it has no bytes
  FormatUnknown,   // not in a format that strata reads; `found` is what it looks like
  FileBroken,      // in a known format, `name`, but damaged, cut off or against its rules

  // Commands and their options.
  NoCommand,          // there is no command of this name
  NoOption,           // the command has no such option
  OptionValue,        // an option does not take the value
  OptionEffect,       // an option has no effect without another one, or beside it
  RequestBroken,      // a request is not valid JSON, or not a request
  NoModel,            // the request names no model
  NoDevice,           // there is no device of this name
  NoColumn,           // there is no column of this name, or none is left
  NoInput,            // the model has no such input
  NoSamples,          // neither a folder of samples nor random samples were given
  NeedsLabels,        // accuracy needs labels, and the samples have none
  QuantizedAlready,   // the model to quantize has quantized layers already
  NothingToQuantize,  // a model without a layer that could be quantized
  NothingToShow,      // the document has nothing that the format or the chart shows
};
inline constexpr std::size_t kCodes = static_cast<std::size_t>(Code::NothingToShow) + 1;

// `out_of_memory`: the code's name, for callers that cannot compare the number.
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

// Makes an error with the code's own sentence, in which the fields are filled in.
Error make_error(Code code, ErrorFields fields = {});
// Makes an error with a sentence in the caller's words.
Error make_error(Code code, ErrorFields fields, std::string message);
// Adds a code and fields to an error that has none yet. Its sentence and kind stay.
Error coded(Code code, ErrorFields fields, Error error);
// Returns the error with words before its sentence that say where: `sample 3 (cat.png): …`
Error error_in(std::string_view where, Error error);

// Replaces the words in braces by the message or the field of that name: `{message}; see {file}`.
// Callers use it to add advice to a sentence.
std::string with_fields(std::string_view pattern, const Error& error);

// Rewords a sentence of the library for the caller's users.
using Phrase = std::function<std::string(const Error&)>;
inline std::string phrased(const Phrase& phrase, const Error& error) {
  return phrase ? phrase(error) : error.message;
}

}  // namespace strata

// From a float model to an int8 file: chosen, judged, looked at, written and timed.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/engine/engine.h"
#include "strata/measure/bench.h"
#include "strata/measure/timing.h"
#include "strata/quant/keep_float.h"
#include "strata/quant/layers.h"
#include "strata/quant/parts.h"
#include "strata/quant/qdq.h"

namespace strata {

// Below this the answers of an int8 model are called bad, and `automatic` keeps layers in floats.
inline constexpr double kGoodSqnr = 20;  // dB: noise of a hundredth of the answers' power

struct QuantizeTask {
  const Engine* engine = nullptr;
  std::string engine_name, engine_path;  // for the processes that latency is measured in
  SessionOptions session = {};           // as the written model will be run
  const Model* model = nullptr;          // with sizes, as it is run
  const Model* to_write = nullptr;       // the same with its open sizes; nullptr: `model`
  std::string name;                      // of the model, in messages
  std::vector<QuantLayer> layers;        // of both
  FillElements fill = {};
  ModelSource floats = {};                  // the original
  TensorRanges ranges = {};                 // of all quant_tensors()
  StaysFloat keep = {};                     // as asked for
  bool automatic = false;                   // choose what else stays in floats
  std::optional<AnswerTarget> target = {};  // nullopt: of `automatic` kGoodSqnr, else none
  // Samples to judge answers on, at most so many; an error if there are none.
  std::function<Result<Dataset>(std::int64_t most)> held_out;
  std::int64_t samples = 16;  // of them
  bool reduce_range = false;  // QdqPlan
  std::string output;         // the file to write
  std::string exclude;        // the list of nodes that stay in floats
  bool time = true;           // also measure what it brings
  double seconds = 0;         // for that; 0: by how long the model takes
  std::string scratch;        // a folder for files in between; needed by `time`
  std::uint64_t seed = 0;     // of inputs that times are measured with
};

// What goes on, and the wish to end it.
struct QuantizeObserver {
  // A stage is `judging answers`, `rounding one part at a time`, `timing layers`, …; `share` of
  // it is done.
  std::function<void(std::string_view stage, double share)> progress = {};
  const std::atomic<bool>* stop = nullptr;
};

// Seconds of one row in one model.
struct RowTime {
  double median = -1;                // -1: not measured, or in no kernel of its own
  std::optional<Interval> interval;  // 95 %, between sessions; nullopt: not known
};

// How many times as fast, from sessions of both that ran side by side.
struct RowSpeedUp {
  double ratio = 1;
  std::optional<Interval> interval;
  // Whether it is certain to be faster or slower: the interval leaves out 1.
  bool sure() const { return interval && (interval->low > 1 || interval->high < 1); }
};

// Where the rest of the time goes. All rows and those of layers add up to the total.
struct RestRow {
  std::string_view name;  // `other operators`, `conversions`, `layout`, `outside kernels`
  RowTime floats, written;
  std::optional<RowSpeedUp> speed_up = {};
};

enum class RunsIn : std::uint8_t { Unknown, Float, Int8 };
std::string_view name(RunsIn runs);  // `unknown`, `float`, `int8`

struct QuantizedLayer {
  std::string path, block;
  bool int8 = false;  // as written
  // Of a layer in floats: `named` by the user, for the `answers`, for the `speed`, or because an
  // activation beside it stays in floats (`edge`).
  std::string reason;
  RunsIn runs = RunsIn::Unknown;  // on the engine, with all its optimizations
  std::string kernel;             // that computes it there: `QLinearConv`
  bool input_rounded = false, output_rounded = false;
  RowTime floats, written;
  std::optional<RowSpeedUp> speed_up;  // nullopt: not measured, or in no kernel of its own
  std::optional<double> weights_drop;  // of its weights alone; where `automatic` needed it
};

struct QuantizedTensor {
  std::string label;  // of a QuantPart
  bool rounded = false;
  std::string reason;  // if not: `named`, `answers`, or `layers` if nothing reads it in int8
  std::optional<double> drop;
};

struct QuantizeOutcome {
  std::vector<QuantizedLayer> layers;
  std::vector<QuantizedTensor> tensors;  // all that a file of int8 throughout rounds
  std::vector<RestRow> rest;             // empty: not timed
  std::string data;                      // that answers are judged on, in words
  std::vector<SampleScore> got;          // of the written model, run by the engine
  std::vector<SampleScore> promised;     // of the same plan, simulated in floats
  // Samples that `automatic` chose with, which are none of those that `got` is of if
  // `judged_on_others`. 0: nothing was chosen.
  std::size_t chosen_on = 0;
  bool judged_on_others = false;
  std::string not_judged;  // why there are no scores
  std::optional<AnswerTarget> target;
  int tried = 0;               // models that were made and judged
  std::size_t int8_nodes = 0;  // beside layers
  std::int64_t int8_bytes = 0;
  std::optional<BenchResult> bench;   // floats, int8
  std::vector<std::string> excluded;  // nodes of the original that stay in floats
  std::string not_looked;             // why all layers' `runs` is Unknown
  std::string not_timed;              // why there are no times
  bool disturbed = false;             // other work ran while layers were timed: nothing is sure
  bool interrupted = false;           // after the model was written

  // Whether the written model gives what was promised, to half a dB: false where the 95 % interval
  // of their difference, sample by sample, leaves out all that is less. nullopt: cannot be known,
  // as from a single sample.
  std::optional<bool> kept_promise() const;
};

// Writes the model and the list of nodes that stay in floats. Nothing is written if a target is
// not met, if a layer that was to stay in floats runs in int8, or if the work is stopped before.
Result<QuantizeOutcome> quantize_model(const QuantizeTask& task,
                                       const QuantizeObserver& observer = {});

}  // namespace strata

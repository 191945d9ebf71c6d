// Turns a float model into an int8 file: chooses what to quantize, judges the answers, checks which
// kernels run, writes the file and times it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/observer.h"
#include "strata/bench/bench.h"
#include "strata/edit/layers.h"
#include "strata/edit/qdq.h"
#include "strata/engine/engine.h"
#include "strata/measure/timing.h"
#include "strata/sensitivity/keep_float.h"
#include "strata/sensitivity/parts.h"

namespace strata {

// Answers of an int8 model below this SQNR are called bad, and `automatic` then keeps layers in
// floats.
inline constexpr double kGoodSqnr = 20;  // dB: the noise has a hundredth of the answers' power

struct QuantizeTask {
  const Engine* engine = nullptr;
  std::string engine_name, engine_path;  // for the processes that latency is measured in
  SessionOptions session = {};           // as the written model will be run
  const Model* model = nullptr;          // with the sizes it is run with
  const Model* to_write = nullptr;       // the same model with its open sizes; nullptr: `model`
  std::string name;                      // of the model, for messages
  std::vector<QuantLayer> layers;        // the layers of both models
  FillElements fill = {};
  ModelSource floats = {};                  // the original
  TensorRanges ranges = {};                 // for all quant_tensors()
  StaysFloat keep = {};                     // what the user wants to keep
  bool automatic = false;                   // choose what else to keep in float
  std::optional<AnswerTarget> target = {};  // nullopt: kGoodSqnr if `automatic`, else none
  // Returns at most this many samples to judge answers on; an error if there are none.
  std::function<Result<Dataset>(std::int64_t most)> held_out;
  std::int64_t samples = 16;  // how many of them to use
  bool reduce_range = false;  // QdqPlan
  std::string output;         // the file to write
  std::string exclude;        // the file for the list of nodes that stay in float
  bool time = true;           // also measure the speedup
  double seconds = 0;         // time for that; 0: depends on how long the model takes
  std::string scratch;        // a folder for intermediate files; `time` needs it
  std::uint64_t seed = 0;     // for the inputs that times are measured with
  std::string program = {};   // the program that processes are started from: BenchOptions::program
};

// Time of one row in one model, in seconds.
struct RowTime {
  double median = -1;                // -1: not measured, or it has no kernel of its own
  std::optional<Interval> interval;  // 95 %, between sessions; nullopt: not known
};

// The speedup of a row, from sessions of both models that ran side by side.
struct RowSpeedUp {
  double ratio = 1;
  std::optional<Interval> interval;
  // True if it is certainly faster or slower: the interval does not contain 1.
  bool sure() const { return interval && (interval->low > 1 || interval->high < 1); }
};

// Where the rest of the time goes. These rows and those of the layers add up to the total.
struct RestRow {
  std::string name;  // `other operators`, `conversions`, `layout`, `outside kernels`
  RowTime floats, written;
  std::optional<RowSpeedUp> speed_up = {};
};

enum class RunsIn : std::uint8_t { Unknown, Float, Int8 };
std::string_view name_of(RunsIn runs);  // `unknown`, `float`, `int8`

struct QuantizedLayer {
  std::string path, block;
  bool int8 = false;  // as written
  // Why a layer stays in float: `named` by the user, for the `answers`, for the `speed`, or
  // because an activation next to it stays in float (`edge`).
  std::string reason;
  RunsIn runs = RunsIn::Unknown;  // on the engine, with all its optimizations
  std::string kernel;             // the kernel that computes it there: `QLinearConv`
  bool input_rounded = false, output_rounded = false;
  RowTime floats, written;
  std::optional<RowSpeedUp> speed_up;  // nullopt: not measured, or it has no kernel of its own
  std::optional<double> weights_drop;  // from rounding its weights alone, if `automatic` needed it
};

struct QuantizedTensor {
  std::string label;  // label of the QuantPart
  bool rounded = false;
  std::string reason;  // if not: `named`, `answers`, or `layers` if nothing reads it in int8
  std::optional<double> drop;
};

struct QuantizeOutcome {
  std::vector<QuantizedLayer> layers;
  std::vector<QuantizedTensor> tensors;  // everything that a fully int8 file rounds
  std::vector<RestRow> rest;             // empty: not timed
  std::string data;                      // the data that answers are judged on, in words
  std::vector<SampleScore> got;          // scores of the written model, run by the engine
  std::vector<SampleScore> promised;     // scores of the same plan, simulated in float
  // The number of samples that `automatic` chose with; 0 if nothing was chosen. If
  // `judged_on_others`, `got` comes from other samples.
  std::size_t chosen_on = 0;
  bool judged_on_others = false;
  std::string not_judged;  // why there are no scores
  std::optional<AnswerTarget> target;
  int tried = 0;               // models that were built and judged
  std::size_t int8_nodes = 0;  // in addition to those of layers
  std::int64_t int8_bytes = 0;
  std::optional<BenchResult> bench;   // floats first, then int8
  std::vector<std::string> excluded;  // nodes of the original that stay in float
  std::string not_looked;             // why `runs` is Unknown for all layers
  std::string not_timed;              // why there are no times
  bool disturbed = false;             // other work ran during timing, so nothing is certain
  bool interrupted = false;           // the job was stopped after the model was written

  // True if the written model keeps the promise, to within half a dB; false if the 95 % interval of
  // the difference, sample by sample, excludes everything smaller; nullopt if that cannot be known,
  // for example from a single sample.
  std::optional<bool> kept_promise() const;
};

// Writes the model and the list of nodes that stay in float. Writes nothing if a target is not
// met, if a layer that should stay in float runs in int8, or if the job is stopped earlier.
Result<QuantizeOutcome> quantize_model(const QuantizeTask& task, const Observer& observer = {});

}  // namespace strata

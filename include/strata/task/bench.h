// The job behind `strata bench`: models × engines × precisions × threads × batches, each compared
// with the others of its model.
//
// Every variant runs in its own processes, which are started from a program that calls
// worker_main(): `method.program` or, if that is empty, the running program itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/base/observer.h"
#include "strata/bench/bench.h"
#include "strata/infer/infer.h"
#include "strata/report/bench.h"
#include "strata/task/caller.h"
#include "strata/task/data.h"
#include "strata/task/worker.h"

namespace strata {

// A named model: one file for every engine, or one file per engine.
struct BenchModel {
  std::string name = {};    // empty: taken from the file's name
  std::string source = {};  // a file or `zoo:NAME`, for all engines; empty: see `files`
  std::vector<std::pair<std::string, std::string>> files = {};  // engine, file
  std::string int8 = {};  // its quantized form, a file; empty: made when it is needed

  // Empty if there is no file for the engine.
  std::string file_for(const std::string& engine) const;
  std::vector<std::string> sources() const;
};

// Gives unnamed models the names of their files; models with equal names get their whole paths.
void name_models(std::vector<BenchModel>& models);

// One choice of input sizes: `min`, `opt` or `max`. `mix` has no sizes of its own: every inference
// takes the sizes of another choice.
struct ShapeChoice {
  std::string name;
  // Sizes of an input, or of a symbol in the shapes, which has one size. An empty name means the
  // only input.
  std::vector<std::pair<std::string, Dims>> sizes = {};
};

// `min=1x3x224x224,opt=…,max=…`: these choices, and a mix if there are several. Sizes are
// `1x3x224x224` for the only input, `x:1x16+mask:1x16`, or `sequence:16` for an open size.
Result<std::vector<ShapeChoice>> parse_shape_choices(std::string_view text);

struct BenchRequest {
  std::vector<BenchModel> models;
  std::vector<EngineStyle> engines = {};     // empty: those of the files, or onnxruntime
  std::vector<std::string> precisions = {};  // `fp32`, `int8`, …; empty, or "": as stored
  std::vector<std::int64_t> batches = {};    // empty, or 0: the file's own
  std::vector<int> threads = {};             // empty: 1
  std::string engine_path = {}, device = {}, provider = {};
  std::string base = {};  // the start of a variant's label; empty: the first that runs

  InferOptions sizes = {};               // for all models
  std::vector<ShapeChoice> shapes = {};  // each one is a separate comparison
  std::vector<std::string> inputs = {};  // `[NAME=]FILE`; empty: random elements
  std::uint64_t seed = 0;                // for random inputs and weights
  DataRequest data = {};  // for calibrating int8 models that have to be made; no path: random

  BenchOptions method = {};  // `base`, `progress` and `limits.stop` are set by the job
  int aa_trials = 0;         // above 0: compares the base with itself instead, this many times
  // Called after each comparison with everything measured so far; an error ends the job.
  std::function<Status(const BenchRun&)> keep = {};
  Caller caller = {};
};

// A variant that cannot be run becomes a row that says why. BenchRun::complete is false if the job
// was stopped.
Result<BenchRun> run_bench(const BenchRequest& request, const Observer& observer = {});

}  // namespace strata

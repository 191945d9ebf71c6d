// Runs a model once over samples and sketches each watched tensor. Memory does not depend on the
// number of samples.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "strata/calibrate/sketch.h"
#include "strata/data/dataset.h"
#include "strata/engine/engine.h"
#include "strata/measure/timing.h"

namespace strata {

// A tensor to watch: a value of the model's main graph, of type f32, f16, bf16 or f64.
struct Watched {
  std::string tensor;              // its name in the model
  std::string layer;               // path of the layer that makes it; empty: an input
  std::string block = {};          // `stage1:0:0:act:fmb`, if the network has such names
  std::int64_t channel_axis = -1;  // -1: not by channel
};

// The tensors that a quantized model needs ranges for, in running order, each once: outputs of
// layers, after their norm and activation; sums, concatenations and pools between layers;
// activation functions. Tensors inside a layer are not included (unless int8 kernels do not fuse
// its activation), so that engines still run the layer as one kernel, and neither are outputs of
// operators that only pass elements on. Needs inferred types.
std::vector<Watched> watched_tensors(const Model& model, bool per_channel = false);

struct SketchedSamples {
  std::vector<Sketch> sketches;  // one for each watched tensor
  std::int64_t samples = 0;      // samples that they contain
};

struct CalibrateOptions {
  SessionOptions session = {};   // `fetch` is set by calibrate()
  bool allow_nonfinite = false;  // count them; otherwise an error names the first layer with one
  const std::atomic<bool>* stop = nullptr;  // set it to end early with the results so far
  std::function<void(std::int64_t samples)> progress = {};
  // Called with the results so far; an error ends the pass.
  std::function<Status(SketchedSamples)> keep = {};
  double keep_seconds = 2;  // at least this long between two calls, which take 2 % of the time
};

// Runs the samples of `data` in order, starting with number `before.samples`. A pass that was
// stopped resumes from its own result, and gives the same result as an uninterrupted one. `before`
// is empty for a pass from the start. Channel axes count from the front.
//
// Samples are read while the engine runs. Tensors are sketched where the engine has them,
// on all sketch threads at once, before it runs again.
Result<SketchedSamples> calibrate(const Engine& engine, const ModelSource& source,
                                  const Model& model, const Dataset& data,
                                  std::span<const Watched> watched, const CalibrateOptions& options,
                                  SketchedSamples before = {});

}  // namespace strata

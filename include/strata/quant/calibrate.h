// One pass of a model over samples, with a sketch of each tensor that is looked at. What
// it holds does not depend on the number of samples.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "strata/engine/engine.h"
#include "strata/measure/dataset.h"
#include "strata/measure/timing.h"
#include "strata/quant/sketch.h"

namespace strata {

// A tensor to look at: a value of the model's main graph, of f32, f16, bf16 or f64.
struct Watched {
  std::string tensor;              // its name in the model
  std::string layer;               // path of the layer that makes it; empty: an input
  std::string block = {};          // `stage1:0:0:act:fmb`, where the network has such names
  std::int64_t channel_axis = -1;  // -1: channels are not told apart
};

// What quantized models need ranges of, in running order, each tensor once: the ends of
// layers, after their norm and activation; sums, concatenations and pools between them;
// activation functions. What lies inside of a layer is not among them (unless its
// activation is one that int8 kernels do not fuse), so that engines still run it as one
// kernel, and neither is what only passes elements on. Needs inferred types.
std::vector<Watched> watched_tensors(const Model& model, bool per_channel = false);

struct SketchedSamples {
  std::vector<Sketch> sketches;  // one for each watched tensor
  std::int64_t samples = 0;      // that are in them
};

struct CalibrateOptions {
  SessionOptions session = {};   // `fetch` is set by calibrate()
  bool allow_nonfinite = false;  // counted; otherwise an error names the first layer with one
  const std::atomic<bool>* stop = nullptr;  // set to end early with what there is
  std::function<void(std::int64_t samples)> progress = {};
  // What there is so far, about so often; an error ends the pass.
  std::function<Status(const SketchedSamples&)> keep = {};
  double keep_seconds = 30;
};

// Looks at the samples of `data` in order, from number `before.samples` on: a pass that
// was stopped goes on with what it gave, and ends as if it never had been. `before` is
// empty for a pass from the start. Channel axes count from the front.
//
// Samples are read while the engine runs. Tensors are sketched where the engine has them,
// on all sketch threads at once, before it runs again.
Result<SketchedSamples> calibrate(const Engine& engine, const ModelSource& source,
                                  const Model& model, const Dataset& data,
                                  std::span<const Watched> watched, const CalibrateOptions& options,
                                  SketchedSamples before = {});

}  // namespace strata

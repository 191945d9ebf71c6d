// One way to run a model: which file, on which engine, how.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/engine.h"

namespace strata {

struct Variant {
  std::string model;   // what it is a variant of: `resnet50`
  std::string file;    // that the engine opens
  std::string inputs;  // an .npz with the elements of every input
  std::string engine;  // `onnxruntime`
  std::string engine_path = {};
  std::string style = {};  // as the user wrote it after the engine's name: `opt=off`
  SessionOptions session = {};
  std::int64_t batch = 1;  // samples in one inference
  std::string shape = {};  // `min`, `opt`, `max`, `mix` where sizes are varied
  // More files like `inputs`: each inference takes one of them all, in random rounds in
  // which each comes up once. Taking it is not timed.
  std::vector<std::string> mix = {};
  // Of the file itself where that is not fp32: `int8` for a quantized one, which is opened
  // with no precision asked for.
  std::string stored = {};

  // What it computes in: `fp32` if nothing else is said.
  std::string precision() const;
  // Another answer than fp32's is expected, within limits.
  bool is_lossy() const { return precision() != "fp32" && precision() != "fp64"; }
  // `onnxruntime:opt=off int8 2 threads batch 4`: what is not the usual, in this order.
  std::string label() const;
};

// `onnxruntime`, `onnxruntime:opt=off,arena=0`: an engine's name and options. `opt` is
// off, basic, extended or all; every other key=value goes to the engine as it stands.
struct EngineStyle {
  std::string engine, style;
  StrataOptimization optimization = STRATA_OPT_ALL;
  std::vector<std::string> options;
};
Result<EngineStyle> parse_engine_style(const std::string& text);

}  // namespace strata

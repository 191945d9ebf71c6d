// One way to run a model: which file, on which engine, and how.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/engine.h"

namespace strata {

struct Variant {
  std::string model;   // the model it is a variant of: `resnet50`
  std::string file;    // the file that the engine opens
  std::string inputs;  // an .npz with the elements of every input
  std::string engine;  // `onnxruntime`
  std::string engine_path = {};
  std::string style = {};  // what the user wrote after the engine's name: `opt=off`
  SessionOptions session = {};
  std::int64_t batch = 1;  // samples in one inference
  std::string shape = {};  // `min`, `opt`, `max`, `mix` if sizes vary
  // More files like `inputs`. Each inference takes one of all these files, in random rounds in
  // which each is taken once. Switching between them is not timed.
  std::vector<std::string> mix = {};
  // The file's own precision if that is not fp32: `int8` for a quantized file, which is opened
  // without asking for a precision.
  std::string stored = {};

  // The precision that it computes in: `fp32` unless stated.
  std::string precision() const;
  // True if the output may differ from fp32's within a tolerance.
  bool is_lossy() const { return precision() != "fp32" && precision() != "fp64"; }
  // `onnxruntime:opt=off int8 2 threads batch 4`: everything that is not the default, in this
  // order.
  std::string label() const;
};

// `onnxruntime`, `onnxruntime:opt=off,arena=0`: an engine's name and options. `opt` is off, basic,
// extended or all; `precision` is what it computes in, `fp32` or several, `fp32+bf16`. Every other
// key=value is passed to the engine unchanged.
struct EngineStyle {
  std::string engine, style;                 // the style is without its precisions
  std::vector<std::string> precisions = {};  // none: those that all engines are asked for
  StrataOptimization optimization = STRATA_OPT_ALL;
  std::vector<std::string> options;
};
Result<EngineStyle> parse_engine_style(const std::string& text);

}  // namespace strata

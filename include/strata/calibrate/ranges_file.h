// The results of a calibration in a file: sketches, from which any kind of range can be chosen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/calibrate/range.h"
#include "strata/calibrate/sketch.h"

namespace strata {

struct TensorSketch {
  std::string name;   // name of the value in the model
  std::string layer;  // path of the layer that produces it
  Sketch sketch;
  std::string block = {};  // `stage1:0:0:act:fmb`, if the network numbers its layers this way
  bool operator==(const TensorSketch&) const = default;
};

struct Calibration {
  static constexpr std::int64_t kSchema = 1;

  std::string model;  // path, as given
  std::string hash;   // hash of the graph; calibrations of different graphs are not merged
  std::uint64_t samples = 0;
  // The number that was asked for. If it is more than `samples`, the run was stopped and can
  // continue.
  std::uint64_t planned = 0;
  bool random = false;      // made-up data: the ranges mean nothing
  std::string data = {};    // in words: `100 of 5000 images in photos, …`
  std::string engine = {};  // `onnxruntime 1.27.0`
  std::string run = {};     // fingerprint of everything that the sketches depend on, for resuming
  // Where the samples come from, as options of the command line: `data`, `offset`, `preset`, …
  // Empty in merged files.
  std::map<std::string, std::string> source = {};
  RangeOptions choice = {};  // the user's choice of ranges, for readers who make none themselves
  std::vector<TensorSketch> tensors = {};
  bool operator==(const Calibration&) const = default;
};

// docs/calibration-file.md says what is in it. Text that is not valid UTF-8 is made valid.
std::string calibration_to_json(const Calibration& calibration);
// Returns a calibration or, for any other text, an error of one sentence that contains `label`.
Result<Calibration> calibration_from_json(std::string_view json, std::string_view label);

// Written under another name and renamed, so there is never half a file.
Status write_calibration(const Calibration& calibration, const std::string& path);
// Checks that the file may be written. Only another calibration is replaced.
Status check_calibration_file(const std::string& path);
Result<Calibration> read_calibration(const std::string& path);

// Adds the other's samples as if they had been part of this run. Both must be of the same graph and
// have the same tensors; otherwise `into` is left unchanged.
Status merge(Calibration& into, const Calibration& other);

}  // namespace strata

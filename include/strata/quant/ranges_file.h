// What a calibration has seen, in a file: sketches, from which every range can be chosen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/quant/range.h"
#include "strata/quant/sketch.h"

namespace strata {

struct TensorSketch {
  std::string name;   // of the value in the model
  std::string layer;  // path of the layer that makes it
  Sketch sketch;
  std::string block = {};  // `stage1:0:0:act:fmb`, where the network numbers its layers so
  bool operator==(const TensorSketch&) const = default;
};

struct Calibration {
  static constexpr std::int64_t kSchema = 1;

  std::string model;  // path, as given
  std::string hash;   // of the graph; calibrations of different ones are not merged
  std::uint64_t samples = 0;
  // As asked for; more than `samples`: the run was stopped, and can go on.
  std::uint64_t planned = 0;
  bool random = false;       // made-up data: ranges that mean nothing
  std::string data = {};     // in words: `100 of 5000 images in photos, …`
  std::string engine = {};   // `onnxruntime 1.27.0`
  std::string run = {};      // fingerprint of all that the sketches depend on, for going on
  // Where the samples come from, as options of the command line: `data`, `offset`, `preset`, …
  // Empty in merged files.
  std::map<std::string, std::string> source = {};
  RangeOptions choice = {};  // of ranges: the user's, for those who have none of their own
  std::vector<TensorSketch> tensors = {};
  bool operator==(const Calibration&) const = default;
};

// docs/calibration-file.md says what is in it. Text that is no UTF-8 is made to be.
std::string calibration_to_json(const Calibration& calibration);
// A calibration, or one sentence with `label` in it, whatever the text.
Result<Calibration> calibration_from_json(std::string_view json, std::string_view label);

// Written under another name and renamed: never half a file.
Status write_calibration(const Calibration& calibration, const std::string& path);
Result<Calibration> read_calibration(const std::string& path);

// As if all samples of the other had been in this run. Both must be of the same graph and
// have the same tensors; else `into` stays as it is.
Status merge(Calibration& into, const Calibration& other);

}  // namespace strata

// The engines that work on this machine, as a document.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "strata/document/document.h"

namespace strata {

struct TriedPrecision {
  std::string name;    // `fp16`
  std::string reason;  // why it does not work; empty: it does
};

struct TriedDevice {
  std::string name, note;  // `cpu`, what the engine says about it
  std::vector<TriedPrecision> precisions = {};
};

struct TriedEngine {
  std::string name;
  std::string missing = {};  // why the engine is missing, one sentence; empty: it is there
  std::string failed = {};   // why the trial failed; empty: it succeeded
  bool timed_out = false;    // it failed because it did not answer in time
  std::string release = {}, plugin = {}, library = {}, formats = {};
  std::vector<TriedDevice> devices = {};
};

std::string engines_to_text(std::span<const TriedEngine> engines);
// A row for each precision of each device.
Document engines_document(std::span<const TriedEngine> engines);

}  // namespace strata

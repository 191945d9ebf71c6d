// Whether two runs see the same: a number for all that their results depend on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/engine_options.h"
#include "strata/measure/dataset.h"

namespace strata::cli {

// FNV-1a, eight bytes at a time.
class Fingerprint {
 public:
  void add(std::string_view text);
  void add_number(std::uint64_t number);
  std::string text() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

// The file, and size and time of those that weights are in.
Status add_model(Fingerprint& all, const LoadedModel& loaded, const EngineModel& model);
// Names and order of the samples and how they are made, but not what is in their files;
// and the sizes of the inputs.
void add_data(Fingerprint& all, const LoadedModel& loaded, const Dataset& data);
void add_engine(Fingerprint& all, const Engine& engine, const SessionOptions& session);

}  // namespace strata::cli

// Tells whether two runs see the same data: one number for everything that their results depend on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "strata/data/dataset.h"
#include "strata/task/model.h"

namespace strata {

class Fingerprint {
 public:
  void add(std::string_view text) { hash_.add_words(text); }
  void add_number(std::uint64_t number) { hash_.add_word(number); }
  // Adds the bytes of the file, and the size and time of other files with weights.
  Status add_model(const Model& loaded, const EngineModel& model);
  // Adds the names and order of the samples and how they are made, but not the contents of their
  // files; and the sizes of the model's inputs.
  void add_data(const Model& loaded, const Dataset& data);
  void add_engine(const Engine& engine, const SessionOptions& session);

  std::string text() const { return hash_.text(); }  // 16 hex digits

 private:
  Hash hash_;
};

}  // namespace strata

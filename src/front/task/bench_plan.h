// Turns a request into variants: every combination, with its files or the reason why it cannot be
// run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/report/engines.h"
#include "strata/task/bench.h"
#include "task/bench_models.h"

namespace strata {

// The request with default choices filled in. Models with equal names are distinguished by their
// files. It is an error if there is nothing to run.
Result<BenchRequest> with_usual_choices(BenchRequest request);

// A variant, or why it cannot be run.
struct PlannedVariant {
  Variant variant;
  std::string refusal = {};           // why it cannot be run; empty: it can be tried
  std::string source = {};            // the file as the user knows it
  std::string inputs = {};            // in words
  std::optional<double> joules = {};  // from counts
  std::string lacks = {};             // why an engine that needs weights refuses the file
};

// Variants that are compared with each other.
struct PlannedGroup {
  std::string model, shape;
  std::vector<PlannedVariant> variants;
  std::size_t base = 0;  // one that can be tried, if there is any
};

// The engines' answers about formats and precisions, each asked once, in a process of its own.
class EngineFacts {
 public:
  // Both arguments must outlive this object.
  EngineFacts(const BenchRequest& request, const Observer& observer)
      : request_(request), observer_(observer) {}
  // Why the engine cannot be used at all; empty: it can.
  std::string missing(const std::string& engine);
  std::string refuses_format(const std::string& engine, const ReadyFile& file);
  bool opens(const std::string& engine, std::string_view format);
  std::string refuses_precision(const std::string& engine, const std::string& precision);

 private:
  const Result<TriedEngine>& engine(const std::string& name);
  const BenchRequest& request_;
  const Observer& observer_;
  std::map<std::string, Result<TriedEngine>> engines_;
};

// All groups of one model of a request whose choices are filled in. An error means that the model
// itself has a problem; a problem of single variants is in their `refusal`.
Result<std::vector<PlannedGroup>> plan_model(const BenchModel& model, const BenchRequest& request,
                                             ModelFiles& files, EngineFacts& engines,
                                             const Observer& observer);

}  // namespace strata

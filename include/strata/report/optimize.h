// What run_optimize() says of the file that it wrote: to the user, and beside the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/report/bench.h"

namespace strata {

// How close answers in int8 come to those in floats.
struct Int8Answer {
  std::optional<double> sqnr = {}, top1 = {};  // dB, %
  std::size_t samples = 0;
  bool random = true;        // samples that were made up
  std::string mistake = {};  // empty: good enough
};

struct OptimizedModel {
  std::string model, output;
  std::string command;  // that runs the output as it was measured; empty: the caller gave none
  double budget_seconds = 0;
  BenchResult last;              // the final comparison; it has a winner
  std::optional<SpeedUp> check;  // the file as written against as measured; nullopt: interrupted
  std::optional<Int8Answer> answer = {};  // if the winner is in int8
  std::vector<std::string> notes = {};    // sentences

  const VariantResult& winner() const { return last.variants[*last.winner]; }
  const VariantResult& base() const { return last.variants[last.base]; }
  const SpeedUp& gain() const { return *last.speed_ups[*last.winner]; }
  bool is_slower() const { return check && check->interval.high < 1; }
};

// What more time would make surer, in words; empty: nothing.
std::vector<std::string> optimize_doubts(const OptimizedModel& optimized);

// Set for int8 whose ranges and answers come from samples that were made up; else empty.
std::string random_warning(const OptimizedModel& optimized);

// `time_option` is what the caller calls the time limit: `--max-time`.
std::string optimize_text(const OptimizedModel& optimized,
                          const std::string& time_option = "a time limit of");
// `tried`: all that was measured on the way.
Document optimize_document(const OptimizedModel& optimized, const BenchRun& tried,
                           const std::string& time_option = "a time limit of");
// That document as JSON.
std::string optimize_receipt(const OptimizedModel& optimized, const BenchRun& tried);

}  // namespace strata

// The report of run_optimize() on the file that it wrote: for the user, and beside the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/report/bench.h"

namespace strata {

// The distance between int8 and float answers.
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
  std::optional<Int8Answer> answer = {};   // if the winner is in int8
  std::vector<std::string> notes = {};     // sentences
  std::vector<std::string> programs = {};  // files that run the output as it was measured

  const VariantResult& winner() const { return last.variants[*last.winner]; }
  const VariantResult& base() const { return last.variants[last.base]; }
  const SpeedUp& gain() const { return *last.speed_ups[*last.winner]; }
  bool is_slower() const { return check && check->interval.high < 1; }
};

// Names the findings that more time would make surer; empty if there are none.
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

// What `strata optimize` says of the file that it wrote: to the user, and beside the file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/report/bench.h"

namespace strata::cli {

// How close answers in int8 come to those in floats.
struct Int8Answer {
  std::optional<double> sqnr = {}, top1 = {};  // dB, %
  std::size_t samples = 0;
  bool random = true;   // samples that were made up
  std::string mistake;  // empty: good enough
};

struct OptimizeOutcome {
  std::string model, output;
  std::string command;  // that runs the output as it was measured
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
std::vector<std::string> doubts(const OptimizeOutcome& outcome);

// int8 whose ranges and answers come from samples that were made up; empty: not so.
std::string random_warning(const OptimizeOutcome& outcome);

std::string optimize_text(const OptimizeOutcome& outcome);
// `tried`: all that was measured on the way.
std::string optimize_receipt(const OptimizeOutcome& outcome, const BenchRun& tried);

}  // namespace strata::cli

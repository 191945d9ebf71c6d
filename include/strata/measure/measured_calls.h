// Measurements made elsewhere: the time of each call of a module by itself, and its memory, in runs
// of the module where it lives. Strata's Python package writes such a file; it reports every run,
// and all statistics are made here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/graph/graph.h"
#include "strata/measure/memory.h"
#include "strata/measure/timing.h"

namespace strata {

// A call of a module.
struct MeasuredCall {
  std::string path;        // of the module; empty: the network
  std::uint32_t call = 0;  // how often it was called before in the same run
  // The time of each recorded run, without the modules that it called and without the cost of
  // recording.
  std::vector<double> seconds;
  // Bytes in one run, if memory was measured: taken, and given back before its end, without the
  // modules that it called; in use at its end; the most in use meanwhile.
  std::optional<KernelMemory> memory;
};

struct MeasuredCalls {
  std::string engine;  // `torch 2.13.0 (cpu)`
  int threads = 0;
  double first_seconds = 0;
  std::vector<double> warmup;
  ProbeCost probe;
  bool partial = false;  // ended early
  // Unrecorded and recorded runs as measured, and how long each waited for a processor; waits are
  // empty if that is not known. Sessions follow one another.
  std::vector<double> runs, waits, recorded, recorded_waits;
  std::vector<std::size_t> sessions, recorded_sessions;
  std::vector<MeasuredCall> calls;
};

// `label` names the text in errors.
Result<MeasuredCalls> read_measured_calls(std::string_view json, std::string_view label);

// The times by the model's nodes: those of a module call count at the nodes that it runs itself.
// Calls that run none are part of what is outside of layers.
Timing timing_of(const MeasuredCalls& calls, const Model& model);

// Returns the measured memory; nullopt if none was measured.
std::optional<MemoryTrace> memory_of(const MeasuredCalls& calls, const Model& model);

}  // namespace strata

// One opened model of the fake engine, and what is done with it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "network.h"
#include "options.h"
#include "strata/engine/plugin.h"
#include "strata/graph/graph.h"

namespace strata::fake {

struct OwnPort {
  std::string name;
  std::vector<std::int64_t> dims;
  std::vector<std::string> symbols;
  std::vector<const char*> symbol_pointers;
  StrataPort port{};
};

// Fills the error and returns the status.
StrataStatus fail(StrataError* error, StrataStatus status, std::string_view message);

}  // namespace strata::fake

struct StrataSession {
  std::string bytes;    // of the model's file, without weights outside it
  strata::Model model;  // for the bound inputs' shapes
  strata::fake::Options options;
  double speed = 1;
  std::int32_t dtype = 0;  // the type that it was asked to compute in; 0: as stored
  bool fuse = false;
  std::uint32_t trace = 0;
  std::vector<strata::fake::OwnPort> inputs, outputs;
  std::vector<StrataPort> input_table;
  std::vector<strata::TensorId> output_ids;
  std::uint64_t input_hash = 0;
  strata::fake::Plan plan;

  std::vector<strata::fake::KernelTime> recorded;
  std::vector<strata::fake::ModuleTime> modules;  // of the same runs
  std::int64_t runs = 0, own_clock = 0;
  std::uint64_t traced_runs = 0;
  std::atomic<bool> cancelled = false;

  std::int64_t& clock() { return options.clock != nullptr ? *options.clock : own_clock; }
};

namespace strata::fake {

StrataStatus open_session(const StrataOpen* open, StrataSession** out, StrataError* error);
StrataStatus bind(StrataSession* session, const StrataTensor* inputs, std::uint64_t count,
                  StrataError* error);

StrataStatus run(StrataSession* session, StrataError* error);
StrataStatus run_traced(StrataSession* session, StrataTrace* trace, StrataError* error);

// The kernels that runs were recorded to have run, and those that a run will run.
StrataStatus give_kernels(StrataSession* session, void* user, StrataOnKernel each,
                          StrataError* error);
StrataStatus give_plan(StrataSession* session, void* user, StrataOnKernel each, StrataError* error);
StrataStatus give_modules(StrataSession* session, void* user, StrataOnModuleCall each,
                          StrataError* error);

// Fails as the options ask for, if this is the run that shall; OK otherwise.
StrataStatus misbehave(StrataSession& session, StrataError* error);
// Crashes or hangs if the environment variable says so: STRATA_FAKE_LOAD, STRATA_FAKE_PROBE.
void misbehave_if(const char* variable);

}  // namespace strata::fake

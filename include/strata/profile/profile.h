// The result of profiling a model: rows with typed columns, totals, and the facts that a
// reader needs to trust them. Every report is made from a Profile.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strata/base/certainty.h"
#include "strata/base/result.h"
#include "strata/cost/amount.h"
#include "strata/cost/recorded_memory.h"
#include "strata/document/document.h"
#include "strata/graph/graph.h"
#include "strata/infer/infer.h"
#include "strata/profile/options.h"

namespace strata {

struct ArenaBlock {
  std::string tensor;
  std::string first, last;  // layers that write it (empty: an input) and that read it last
  std::int64_t offset = 0, bytes = 0;
};

// Offsets of all activations in one block of memory.
struct ArenaLayout {
  std::int64_t bytes = 0;
  std::int64_t bound = 0;  // no plan can be smaller
  std::int64_t alignment = 0;
  std::vector<ArenaBlock> blocks;
  bool listed = true;  // in tables; JSON always has the blocks
};

// An eager run on a device, simulated (strata/cost/device_memory.h), or the one that was recorded
// (strata/cost/recorded_memory.h). Bytes.
struct DeviceFacts {
  std::string model;  // `pytorch-cuda`, `recorded`
  std::int64_t weights = 0, inputs = 0;
  std::int64_t peak_allocated = 0;  // weights and inputs included
  std::int64_t peak_reserved = 0;   // -1: not known
  std::string peak_layer;           // empty: before the first
};

struct Timing;

// Words that follow the engine's name: `, optimizations off`, `, eager`; "" for a usual run.
std::string_view view_text(std::string_view view);

// The receipt of a measurement: how times were measured. Seconds.
struct TimingFacts {
  std::string engine;  // `onnxruntime 1.27.0`
  // `optimized`: as the engine really runs it; `source`: one kernel for each node; `eager`: as the
  // modules of PyTorch call their operators
  std::string view;
  int threads = 0;                                 // 0: the engine's own choice
  std::size_t runs = 0, recorded = 0, warmup = 0;  // runs that count
  std::size_t all_runs = 0;                        // also those that others disturbed
  std::size_t sessions = 1;                        // that the runs are of
  double median = 0, mad = 0, low = 0, high = 0;   // end to end; low and high: 95 %, or 0
  std::string withheld;                            // why there is no interval, one sentence
  double open = 0, first = 0;
  double probe = 0;  // taken off each kernel
  bool disturbed = false, noisy = false, partial = false;
  double cpu_seconds = 0, wall_seconds = 0;
  std::int64_t involuntary = 0;
  double wait_seconds = -1;   // of all threads, ready but not running; -1: cannot be read
  double steal_seconds = -1;  // that a hypervisor gave to others; -1: cannot be read
  double pressure = -1;       // share of time in which something waited for a processor, of the
                              // whole machine; -1: cannot be read
  bool waits_read = true;     // false: wall time less processor time was taken for the waiting
  double slowed = -1;         // how far the processor was below its best pace; -1: not known
  std::vector<double> samples;
  std::vector<std::string> unassigned;  // nodes that no kernel runs, for an unknown reason
};

struct MemoryTrace;
struct Roofline;
struct KernelPlan;

// Memory that an engine took while it ran. Bytes.
struct TakenFacts {
  std::string engine, view;
  std::int64_t peak = 0, left = 0;
  std::int64_t weights = -1;  // -1: the engine does not tell
  std::string peak_layer;
};

// The machine's two limits (strata/machine/roofline.h).
struct RooflineFacts {
  double flops_per_second = 0, bytes_per_second = 0;
  int threads = 0;
  std::string kernel;  // what the first was measured with
};

// The limit that a layer meets first, and how near it comes.
struct RoofPlace {
  std::string bound;              // `compute`, `memory`, `neither`; empty: unknown
  std::optional<double> percent;  // of what the machine allows
};

struct Profile {
  static constexpr int kSchema = 2;  // of its document

  struct TensorFacts {
    std::string name, dtype, shape;
  };
  struct ModelFacts {
    std::string path;
    std::string graph_hash;  // of names, operators and shapes; weights do not enter; empty
                             // if the analysis did not need it
    std::uint64_t file_bytes = 0;
    std::string producer;
    std::int64_t ir_version = 0;
    std::vector<std::pair<std::string, std::int64_t>> opsets;
    std::uint64_t nodes = 0;
    std::vector<TensorFacts> inputs, outputs;
  };
  // Work on constants, which is done once, when the model is loaded.
  struct LoadWork {
    Expr macs, flops;
    bool in_totals = false;
  };
  struct AliveTensor {
    std::string tensor;
    std::string layer;  // that made it; empty for an input of the network
    Expr bytes;
  };
  // The two readings of quantized tensors: as the integers that engines hold, or literally.
  static constexpr const char* kIntegers = "integers";
  static constexpr const char* kAsStored = "as_stored";
  struct Memory {
    Expr peak_bytes;
    Certainty certainty = Certainty::Exact;
    std::string peak_layer;
    std::vector<AliveTensor> at_peak;  // largest first
    // The reading of quantized tensors: kIntegers or kAsStored. Empty if there are none.
    std::string reading;
    // For a recorded training step: the peak of each phase, and the memory that autograd keeps for
    // the backward pass, by the module that first asks for it.
    std::vector<PhaseMemory> phases;
    std::vector<std::pair<std::string, std::int64_t>> saved;
  };

  // The figures that readers look for first, of all layers.
  struct Summary {
    struct Largest {
      std::string layer;
      double share = 0;  // of the whole: 0 to 1
    };
    struct Slow {
      std::string layer;
      double seconds = 0;
      RoofPlace place = {};
    };
    Expr params, param_bytes;
    Amount macs;
    Certainty macs_work = Certainty::Exact;
    bool counts_macs = false;  // the convention counts MACs
    std::optional<Largest> most_params = {}, most_macs = {};
    std::vector<Slow> slowest = {};  // the slowest first; empty if nothing was timed
  };

  ModelFacts model;
  std::optional<Summary> summary = {};  // nullopt if only some of the layers are counted
  std::string convention;
  std::string energy_model;
  ReportKind report = ReportKind::Tape;
  std::vector<std::pair<std::string, std::string>> options;  // as the caller gave them
  std::vector<Column> columns;
  std::vector<ProfileRow> rows;
  RowSource source;   // in place of `rows` (ProfileView::row_by_row)
  RowEdges edges;     // where the analysis is in depth (AnalysisOptions::in_depth)
  ProfileRow totals;  // no cells: rows that do not add up
  std::size_t hidden_rows = 0;
  std::optional<LoadWork> load_work;  // nullopt: there is none
  Memory memory;
  std::optional<ArenaLayout> arena;
  std::optional<DeviceFacts> device;
  std::optional<TimingFacts> timing;
  std::optional<TakenFacts> taken;
  std::optional<RooflineFacts> roofline;
  std::vector<std::pair<std::string, std::string>> machine;  // that measured; else empty
  std::vector<Inference::Symbol> symbols;
  std::vector<std::string> unknown_ops;
  std::vector<std::string> notes;
  std::vector<std::string> asides = {};  // notes that change no figure
  std::string abridged;                  // Document::abridged

  // Every additive total is an exact number or formula.
  bool is_exact() const;
};

// An engine's measurements, and their name; nullptr if there are none.
struct Measurements {
  const Timing* timing = nullptr;
  const MemoryTrace* memory = nullptr;
  const KernelPlan* plan = nullptr;    // what an engine would run; times tell the same
  const Roofline* roofline = nullptr;  // of the machine; says something only with times
  const Roofline* reasons = nullptr;   // for the summary, if no column needs it
  TimingFacts timing_facts = {};       // engine, view and threads; the rest follows
  std::vector<std::pair<std::string, std::string>> machine = {};  // strata/machine/machine.h
  bool interrupted = false;  // columns of what could not be measured any more are empty
};

struct ProfileOptions : AnalysisOptions, Measurements, ProfileView {};

std::vector<std::string> column_names();

// All stages at once, for one table (strata/profile/analysis.h has them one by one).
Result<Profile> make_profile(const Model& model, const Inference& inference,
                             const ProfileOptions& options);

// The layers as a table, and all else as facts.
Document profile_document(const Profile& profile);
Document profile_document(Profile&& profile);  // takes its rows, and nothing else
// That document as JSON; docs/json-schema.md describes it.
std::string profile_to_json(const Profile& profile);
// Reads such JSON back, also that of version 0.1; additions of newer versions are ignored. `label`
// names it in errors, each of which is one sentence.
Result<Profile> profile_from_json(std::string_view json, std::string_view label);
// From a file.
Result<Profile> read_profile(const std::string& path);

}  // namespace strata

// Where to split a network between an edge machine and a server: the times of its
// layers on both, from saved profiles or stated speeds, and the least latency over all
// ways to divide it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/cost/cut.h"
#include "strata/profile/profile.h"

namespace strata {

struct MachineSpeed {
  double flops_per_second = 0;
  std::optional<double> bytes_per_second;  // memory; a layer takes the longer of the two
};
// `50GFLOP/s`, `50GFLOP/s,20GB/s`
Result<MachineSpeed> parse_machine_speed(std::string_view text);

struct LayerTimes {
  std::vector<double> seconds;     // by Layers::list, for one call
  std::vector<std::string> notes;  // what they leave out or assume, a sentence each
};

// Work and bytes by strata's own counting. Sizes that only the data tells are taken at
// their upper bound; work without one is left out, and a note says so. An open size of
// the inputs is an error that names it.
Result<LayerTimes> times_from_speed(const Model& model, const Costs& costs, const Layers& layers,
                                    const MachineSpeed& speed);

// Column `time` (seconds of one call, the median) of a profile of calls, found by path
// and call. A layer that computes nothing need not be in it. `label` names it.
Result<LayerTimes> times_from_profile(const Model& model, const Costs& costs, const Layers& layers,
                                      const Profile& profile, std::string_view label);

struct SplitOptions {
  double link_bytes_per_second = 0;
  double round_trip_seconds = 0;
  Precision precision = Precision::Raw;  // of what goes to the server
  bool returns_results = true;           // the results go back to the edge, as they are
  // Bytes sent for an element of a floating-point input: 1 as uint8, 0.1 as a JPEG of a tenth of
  // that. nullopt: in `precision`.
  std::optional<double> input_bytes = {};
  Phrase phrase = {};  // of notes
};

// Links that break-even speeds are looked for between, in bytes per second.
inline constexpr double kSlowestLink = 1e3 / 8;
inline constexpr double kFastestLink = 1e12 / 8;

// A unit that runs on one machine or the other: a layer together with the bodies that its nodes
// run.
struct SplitStep {
  std::uint32_t layer = kNone;  // index into Layers::list
  bool computes = false;        // it does more than make constants and views
};

// An activation and its reshaped views, which are one piece of memory.
struct SplitTensor {
  TensorId tensor = kNone;
  std::uint32_t maker = kNone;  // step; kNone: an input of the network
  double bytes = 0;             // shipped once, however many steps read it
};

// The latency of a choice over the link: fixed_seconds + bytes · (seconds per byte)
struct PartitionLine {
  double fixed_seconds = 0;
  double bytes = 0;
  double at(double seconds_per_byte) const { return fixed_seconds + bytes * seconds_per_byte; }
};

struct Partition {
  std::vector<bool> on_edge;           // by step
  std::vector<std::uint32_t> shipped;  // tensors that go to the server
  double up_bytes = 0, down_bytes = 0;
  double edge_seconds = 0, server_seconds = 0, round_trip_seconds = 0;

  bool is_all_edge() const;
  bool is_all_server() const;
  PartitionLine line() const {
    return {edge_seconds + server_seconds + round_trip_seconds, up_bytes + down_bytes};
  }
};

// Links between which a choice is the best, in seconds per byte.
struct EnvelopePiece {
  double from = 0, to = 0;  // seconds per byte
  Partition best;
};

struct Split {
  SplitOptions options;
  std::vector<SplitStep> steps;  // in the order in which they run
  std::vector<SplitTensor> tensors;
  Partition best, all_edge, all_server;
  std::vector<EnvelopePiece> pieces;  // from the fastest link to the slowest
  std::vector<std::string> notes;

  // Seconds from input to results.
  double latency(const Partition& partition, double link_bytes_per_second) const {
    return partition.line().at(1 / link_bytes_per_second);
  }
};

Result<Split> find_split(const Model& model, const Costs& costs, const Layers& layers,
                         const LayerTimes& edge, const LayerTimes& server,
                         const SplitOptions& options);

// `all on the edge`, `all on the server`, `after layer3.0.relu and 2 more`: the layers
// whose tensors are shipped.
std::string describe(const Model& model, const Costs& costs, const Layers& layers,
                     const Split& split, const Partition& partition);

}  // namespace strata

// Which steps of a network to run on which of two machines so that the result arrives soonest. The
// inputs are at the edge, and the results are wanted there. Steps run one after the other, and a
// machine waits for what it needs. Nothing that was sent to the server comes back except the
// results.
//
// With x seconds to ship a byte, the latency of a choice is a straight line in x, and
// the best choice at every link speed is the lower envelope of all lines. There are
// exponentially many choices; each point of the envelope is one minimum s-t cut.
#pragma once

#include <cstdint>
#include <vector>

#include "strata/profile/split.h"

namespace strata {

struct PartitionProblem {
  static constexpr std::uint32_t kInput = 0xffffffff;

  struct Step {
    double edge_seconds = 0, server_seconds = 0;
  };
  struct Tensor {
    std::uint32_t maker = kInput;        // step; kInput: given at the edge
    std::vector<std::uint32_t> readers;  // steps
    double bytes = 0;                    // shipped once, however many steps on the server read it
    bool can_be_shipped = true;          // false: its readers run where it is made
    double result_bytes = 0;             // shipped back if the server makes it; 0: not a result
  };
  std::vector<Step> steps;
  std::vector<Tensor> tensors;
  double round_trip_seconds = 0;  // paid once if the server does anything

  // True if every maker and reader is a step, no number is negative, infinite or NaN, and all bytes
  // together can be counted.
  bool is_valid() const;
};

// Computes the cost of a choice. The edge's steps must not need anything that the server makes.
Partition evaluate(const PartitionProblem& problem, std::vector<bool> on_edge);
Partition all_edge(const PartitionProblem& problem);
Partition all_server(const PartitionProblem& problem);

// The choice with the least latency; among equal ones, one that needs no link, if there is one.
Partition best_partition(const PartitionProblem& problem, double seconds_per_byte);

// The best choice for every link from `from` to `to` seconds per byte (from ≤ to): pieces in order,
// each starting where the previous one ends.
std::vector<EnvelopePiece> best_partitions(const PartitionProblem& problem, double from, double to);

}  // namespace strata

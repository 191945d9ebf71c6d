// Which steps of a network to run on which of two machines, so that a result is there
// soonest. The inputs are at the edge and the results are wanted there. Steps run one
// after the other and a machine waits for what it needs; what was sent to the server
// does not come back but for the results.
//
// With x seconds to ship a byte, the latency of a choice is a straight line in x, and
// the best choice at every link speed is the lower envelope of all lines. There are
// exponentially many choices; each point of the envelope is one minimum s-t cut.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace strata {

struct PartitionProblem {
  static constexpr std::uint32_t kInput = 0xffffffff;

  struct Step {
    double edge_seconds = 0, server_seconds = 0;
  };
  struct Tensor {
    std::uint32_t maker = kInput;        // step; kInput: given at the edge
    std::vector<std::uint32_t> readers;  // steps
    double bytes = 0;                    // shipped once, however many steps of the server read it
    bool can_be_shipped = true;          // false: whoever reads it runs where it is made
    double result_bytes = 0;             // shipped back if the server makes it; 0: no result
  };
  std::vector<Step> steps;
  std::vector<Tensor> tensors;
  double round_trip_seconds = 0;  // paid once if the server does anything

  // Every maker and reader is a step, no number is negative, infinite or NaN.
  bool is_valid() const;
};

// latency = fixed_seconds + bytes · (seconds per byte)
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

// What a choice costs. The edge's steps must not need what the server makes.
Partition evaluate(const PartitionProblem& problem, std::vector<bool> on_edge);
Partition all_edge(const PartitionProblem& problem);
Partition all_server(const PartitionProblem& problem);

// The least latency over all choices; of equal ones, one with no link if there is one.
Partition best_partition(const PartitionProblem& problem, double seconds_per_byte);

// The best choice for every link from `from` to `to` seconds per byte (from ≤ to):
// pieces in order, each from where the one before it ends.
struct EnvelopePiece {
  double from = 0, to = 0;  // seconds per byte
  Partition best;
};
std::vector<EnvelopePiece> best_partitions(const PartitionProblem& problem, double from, double to);

}  // namespace strata

#include "profile/partition.h"

#include <algorithm>
#include <cmath>

#include "profile/min_cut.h"

namespace strata {

namespace {

constexpr std::uint32_t kSource = 0;  // the edge
constexpr std::uint32_t kSink = 1;    // the server
constexpr std::uint32_t kFirstStep = 2;

bool is_amount(double number) { return number >= 0 && std::isfinite(number); }

// The least sum of step times and shipping, without the round trip. A step pays the edge's time if
// it stays with the source, and the server's if it goes to the sink. A tensor has its own vertex
// between its maker and its readers, so that it is paid for once. A reader at the edge forces the
// maker to the edge.
std::vector<bool> least_cut(const PartitionProblem& problem, double seconds_per_byte) {
  double sum = 0;
  for (const auto& step : problem.steps) sum += step.edge_seconds + step.server_seconds;
  for (const auto& tensor : problem.tensors)
    sum += (tensor.bytes + tensor.result_bytes) * seconds_per_byte;
  // Times become integers in a unit so small that rounding does not matter: 2^-55 of their sum.
  const double units = sum > 0 ? std::ldexp(1.0, 55) / sum : 1;
  const auto capacity = [&](double seconds) { return std::llround(seconds * units); };

  const auto steps = static_cast<std::uint32_t>(problem.steps.size());
  const auto tensors = static_cast<std::uint32_t>(problem.tensors.size());
  MinCut network(kFirstStep + steps + tensors);
  for (std::uint32_t s = 0; s < steps; ++s) {
    network.add(kFirstStep + s, kSink, capacity(problem.steps[s].edge_seconds));
    network.add(kSource, kFirstStep + s, capacity(problem.steps[s].server_seconds));
  }
  for (std::uint32_t t = 0; t < tensors; ++t) {
    const PartitionProblem::Tensor& tensor = problem.tensors[t];
    const bool is_input = tensor.maker == PartitionProblem::kInput;
    const std::uint32_t maker = is_input ? kSource : kFirstStep + tensor.maker;
    const std::uint32_t shipped = kFirstStep + steps + t;
    network.add(
        maker, shipped,
        tensor.can_be_shipped ? capacity(tensor.bytes * seconds_per_byte) : MinCut::kInfinite);
    for (std::uint32_t reader : tensor.readers) {
      network.add(shipped, kFirstStep + reader, MinCut::kInfinite);
      if (!is_input) network.add(kFirstStep + reader, maker, MinCut::kInfinite);
    }
    if (!is_input) network.add(kSource, maker, capacity(tensor.result_bytes * seconds_per_byte));
  }
  network.run(kSource, kSink);
  std::vector<bool> on_edge(steps);
  for (std::uint32_t s = 0; s < steps; ++s) on_edge[s] = network.is_on_source_side(kFirstStep + s);
  return on_edge;
}

class EnvelopeFinder {
 public:
  explicit EnvelopeFinder(const PartitionProblem& problem) : problem_(problem) {}

  std::vector<EnvelopePiece> find(double from, double to) {
    Partition first = best_partition(problem_, from);
    if (from >= to) return {{from, to, std::move(first)}};
    Partition last = best_partition(problem_, to);
    pieces_.push_back({from, to, std::move(first)});
    between(last, to, 0);
    pieces_.back().to = to;
    return std::move(pieces_);
  }

 private:
  // Adds all pieces between the last one and `right`, which is best at `to`. Where the two lines
  // meet, either no line is below them or another one is.
  void between(const Partition& right, double to, int depth) {
    const PartitionLine a = pieces_.back().best.line();
    const PartitionLine b = right.line();
    if (a.bytes <= b.bytes) return;  // its slope is no larger, so it is still the best at `to`
    const double meet = (b.fixed_seconds - a.fixed_seconds) / (a.bytes - b.bytes);
    const double left = pieces_.back().from;
    if (!(meet < to)) return;
    if (!(meet > left) || depth > kDeepest) return finish(right, std::max(meet, left), to);
    Partition middle = best_partition(problem_, meet);
    const double least = a.at(meet);
    if (middle.line().at(meet) >= least * (1 - kSame)) return finish(right, meet, to);
    between(middle, meet, depth + 1);
    between(right, to, depth + 1);
  }

  void finish(const Partition& next, double meet, double to) {
    pieces_.back().to = meet;
    if (pieces_.back().from >= meet) pieces_.pop_back();
    pieces_.push_back({meet, to, next});
  }

  static constexpr int kDeepest = 60;
  static constexpr double kSame = 1e-12;  // rounding error, relative to a latency
  const PartitionProblem& problem_;
  std::vector<EnvelopePiece> pieces_;
};

}  // namespace

bool PartitionProblem::is_valid() const {
  if (!is_amount(round_trip_seconds)) return false;
  double all_bytes = 0;
  for (const Tensor& tensor : tensors) all_bytes += tensor.bytes + tensor.result_bytes;
  if (all_bytes > static_cast<double>(Expr::kMaxNumber)) return false;
  for (const Step& step : steps)
    if (!is_amount(step.edge_seconds) || !is_amount(step.server_seconds)) return false;
  for (const Tensor& tensor : tensors) {
    if (!is_amount(tensor.bytes) || !is_amount(tensor.result_bytes)) return false;
    if (tensor.maker != kInput && tensor.maker >= steps.size()) return false;
    for (std::uint32_t reader : tensor.readers)
      if (reader >= steps.size()) return false;
  }
  return true;
}

bool Partition::is_all_edge() const {
  return std::find(on_edge.begin(), on_edge.end(), false) == on_edge.end();
}

bool Partition::is_all_server() const {
  return !on_edge.empty() && std::find(on_edge.begin(), on_edge.end(), true) == on_edge.end();
}

Partition evaluate(const PartitionProblem& problem, std::vector<bool> on_edge) {
  Partition partition;
  partition.on_edge = std::move(on_edge);
  for (std::size_t s = 0; s < problem.steps.size(); ++s) {
    if (partition.on_edge[s])
      partition.edge_seconds += problem.steps[s].edge_seconds;
    else
      partition.server_seconds += problem.steps[s].server_seconds;
  }
  for (std::uint32_t t = 0; t < problem.tensors.size(); ++t) {
    const PartitionProblem::Tensor& tensor = problem.tensors[t];
    const bool at_edge =
        tensor.maker == PartitionProblem::kInput || partition.on_edge[tensor.maker];
    const bool is_read = std::any_of(tensor.readers.begin(), tensor.readers.end(),
                                     [&](std::uint32_t r) { return !partition.on_edge[r]; });
    if (at_edge && is_read) {
      partition.shipped.push_back(t);
      partition.up_bytes += tensor.bytes;
    }
    if (!at_edge) partition.down_bytes += tensor.result_bytes;
  }
  if (!partition.is_all_edge()) partition.round_trip_seconds = problem.round_trip_seconds;
  return partition;
}

Partition all_edge(const PartitionProblem& problem) {
  return evaluate(problem, std::vector<bool>(problem.steps.size(), true));
}

Partition all_server(const PartitionProblem& problem) {
  return evaluate(problem, std::vector<bool>(problem.steps.size(), false));
}

// The round trip is the same for every choice that uses the link, so the best of those is the
// minimum cut, unless that is the choice without a link.
Partition best_partition(const PartitionProblem& problem, double seconds_per_byte) {
  Partition local = all_edge(problem);
  Partition cut = evaluate(problem, least_cut(problem, seconds_per_byte));
  const bool is_better = cut.line().at(seconds_per_byte) < local.line().at(seconds_per_byte);
  return is_better ? cut : local;
}

std::vector<EnvelopePiece> best_partitions(const PartitionProblem& problem, double from,
                                           double to) {
  return EnvelopeFinder(problem).find(from, to);
}

}  // namespace strata

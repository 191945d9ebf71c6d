// The results of `strata bench` as text: one function per output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/base/result.h"
#include "strata/bench/bench.h"
#include "strata/report/report.h"

namespace strata {

// Variants that do the same work, and so can be compared with each other: by the time of
// one sample, where batches differ.
struct BenchGroup {
  std::string model;       // `resnet50`
  std::string shape = {};  // `min`, `opt`, `max`, `mix` where sizes are varied
  BenchResult result = {};
  // Joules of an inference from counts and published figures, not measured; as variants.
  std::vector<std::optional<double>> modelled_joules = {};
};

// The A/A check of one variant.
struct BenchAa {
  Variant variant;
  AaCheck check;
};

struct BenchRun {
  static constexpr int kSchema = 2;  // of its document

  std::string program;                                       // `strata 0.1.0`
  std::string started = {};                                  // `2024-05-01T12:00:00Z`
  std::vector<std::pair<std::string, std::string>> options;  // as the caller gave them
  BenchOptions method = {};                                  // how it was measured
  std::vector<std::pair<std::string, std::string>> machine;  // named_facts(), before it began
  std::vector<BenchGroup> groups = {};
  std::vector<BenchAa> aa = {};
  bool complete = true;  // false: interrupted, or still going on

  bool has_results() const;  // true if anything was measured
  std::string why_failed()
      const;  // why the first failed variant could not be run; empty: all could
};

enum class BenchLayout : std::uint8_t {
  Own,
  Torchblade,  // the columns of TorchBlade's published table, seconds called seconds
};

// The variants as a table, every sample as facts (docs/bench.md), and for people what follows from
// it in sentences, with a bar for every median.
Document bench_document(const BenchRun& run, BenchLayout layout = BenchLayout::Own);

std::string bench_to_table(const BenchRun& run, const TableStyle& style = {},
                           BenchLayout layout = BenchLayout::Own);
std::string bench_to_markdown(const BenchRun& run, BenchLayout layout = BenchLayout::Own);
// Times in seconds, sizes in bytes; a cell is empty where a figure is not known, or not
// carried by the samples.
std::string bench_to_csv(const BenchRun& run, BenchLayout layout = BenchLayout::Own);
std::string bench_to_json(const BenchRun& run);
// Reads such JSON back, also that of version 0.1; additions of newer versions are ignored. `label`
// names it in errors, each of which is one sentence.
Result<BenchRun> bench_from_json(std::string_view json, std::string_view label);

// `Up to 2.72× [2.70, 2.74] over torch: maskrcnn on onnxruntime, 1.76× at p99`; empty if
// nothing can be said to be faster.
std::string bench_headline(const BenchRun& run);

}  // namespace strata

// The claims of a file about a network: anybody's table, trace or profile in one form. Numbers have
// the unit that the file states, turned into seconds, bytes and counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::lint {

// The quantity in a column.
enum class Meaning : std::uint8_t {
  Other,  // a number that no check looks at
  Parameters,
  Macs,
  Flops,
  ReadBytes,
  WrittenBytes,
  MovedBytes,      // read and written
  TensorBytes,     // of what a layer gives to others, or of a tensor
  AllocatedBytes,  // that were asked for while the row ran
  Seconds,
  SecondsShare,  // percent of the whole
  FramesPerSecond,
  FlopsPerSecond,
  BytesPerSecond,
  Samples,  // runs that a number is of
  Batch,
  Variation,  // standard deviation over mean, as a share
};

enum class Statistic : std::uint8_t {
  Value,  // the file does not say
  Mean,
  Median,
  Percentile,
  Deviation,  // standard deviation
  Extreme,    // the least or the greatest
  Sum,        // of all runs
};

struct ClaimColumn {
  std::string title;  // as the file has it
  Meaning meaning = Meaning::Other;
  Statistic statistic = Statistic::Value;
  double quantile = 0;    // of a percentile: 0.99
  bool adds_up = false;   // the total is the sum of the rows
  std::string unit = {};  // as the heading states it, `ms`; empty: it states none
};

// A printed number stands for all that are rounded to it.
struct ClaimNumber {
  double value = 0;
  double rounding = 0;  // half a unit of the last digit that is printed
  double low() const { return value - rounding; }
  double high() const { return value + rounding; }
};

using ClaimShape = std::vector<std::int64_t>;

struct ClaimRow {
  std::string name;                      // the layer, or all labels: `MaskRCNN / Torch / fp16`
  std::vector<std::string> labels = {};  // what tells it from others, one for each label column
  std::string type = {};                 // `Conv2d`; empty: not known
  std::vector<ClaimShape> inputs = {}, outputs = {};
  std::optional<std::size_t> parent = {};                // the row that this one is a part of
  std::vector<std::optional<ClaimNumber>> numbers = {};  // as many as columns
  std::vector<double> samples = {};                      // seconds of each run
  bool is_sum = false;                                   // of the rows below it, to the digit
  bool is_tensors = false;                               // what crosses a boundary, and no layer
};

struct ClaimTable {
  std::string title = {};  // `cpu`; empty: the file has one table
  std::string about = {};  // the heading above it; empty: there is none
  std::string place = {};  // in the file: `line 12`; empty: not known
  std::vector<std::string> label_titles = {};
  std::vector<ClaimColumn> columns = {};
  std::vector<ClaimRow> rows = {};
  std::vector<ClaimRow> totals = {};  // that the file states for the whole table
  bool own_work = false;  // rows do something beside their parts, as functions in a trace do

  // The first column of that meaning and statistic.
  std::optional<std::size_t> find(Meaning meaning, Statistic statistic) const;
  // The first of that meaning: a value, a mean, a median or a sum, in this order.
  std::optional<std::size_t> find_typical(Meaning meaning) const;
  std::optional<ClaimNumber> at(const ClaimRow& row, std::optional<std::size_t> column) const;
  std::vector<std::vector<std::size_t>> children() const;  // by row
};

struct Claims {
  std::string file;
  std::string format;  // `torchstat`, `csv`, …
  std::vector<ClaimTable> tables = {};
  // The device's peaks; nullopt if nobody stated them.
  std::optional<double> peak_flops_per_s = {}, peak_bytes_per_s = {};
  std::optional<std::size_t> samples = {};  // runs behind each number, where no column says
  std::vector<std::string> notes = {};      // a sentence each: what was left out, what was joined
};

}  // namespace strata::lint

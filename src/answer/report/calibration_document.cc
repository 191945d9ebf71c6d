#include "strata/report/calibration.h"

#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/visible.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr std::int64_t kBytes = sizeof(float);

Cell words(std::string text) { return {std::move(text), Certainty::Exact}; }
Cell real(double number) { return {number, Certainty::Exact}; }
Cell whole(std::uint64_t number) {
  return {Expr(static_cast<std::int64_t>(number)), Certainty::Exact};
}

// The shortest text that is this number again, and not that of the nearest double.
Cell exact(float number) { return real(std::strtod(fmt::format("{}", number).c_str(), nullptr)); }
Cell exact(const std::optional<float>& number) { return number ? exact(*number) : Cell{}; }

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  const std::size_t shown = std::min(names.size(), kShown);
  std::string text = visible(fmt::format("{}", fmt::join(std::span(names).first(shown), ", ")));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// Labels each tensor with its layer, and with its own name where the layer is not enough.
std::vector<std::string> labels(const std::vector<TensorSketch>& tensors) {
  const auto key = [](const TensorSketch& tensor) {
    return std::pair<std::string_view, std::string_view>(tensor.layer, tensor.block);
  };
  std::map<std::pair<std::string_view, std::string_view>, int> uses;
  for (const TensorSketch& tensor : tensors) ++uses[key(tensor)];
  std::vector<std::string> out;
  for (const TensorSketch& tensor : tensors) {
    if (tensor.layer.empty())
      out.push_back(tensor.name == "input" ? tensor.name : fmt::format("input {}", tensor.name));
    else if (uses[key(tensor)] > 1)
      out.push_back(fmt::format("{} ({})", tensor.layer, tensor.name));
    else
      out.push_back(tensor.layer);
  }
  return out;
}

std::string choice_text(const RangeOptions& ranges) {
  std::string text(name_of(ranges.choice));
  if (ranges.choice == RangeChoice::Percentile) text += fmt::format(" {}", ranges.percentile);
  return text + (ranges.scheme.symmetric ? ", symmetric" : "");
}

class Builder {
 public:
  Builder(const Calibration& calibration, const RangeOptions& ranges)
      : calibration_(calibration), ranges_(ranges), labels_(labels(calibration.tensors)) {}

  Result<Document> make() {
    if (Status status = check(ranges_.scheme); !status) return failure(status);
    name_columns();
    for (std::size_t i = 0; i < calibration_.tensors.size(); ++i)
      if (Status status = add_row(calibration_.tensors[i], labels_[i]); !status)
        return failure(status);
    add_totals();
    add_notes();
    add_facts();
    add_answer();
    document_.tables.push_back(std::move(table_));
    return std::move(document_);
  }

 private:
  void name_columns() {
    const std::string sqnr = fmt::format("SQNR int{} (dB)", ranges_.scheme.bits);
    table_.shown_columns = {
        {"layer", "Layer", Unit::Text, false, 0},
        {"path", "Path", Unit::Text, false, 2},
        {"elements", "Elements", Unit::Count, true, 1},
        {"kept", fmt::format("All {} kept", calibration_.samples), Unit::Bytes, true, 1},
        {"min", "Min", Unit::Number, false, 0},
        {"max", "Max", Unit::Number, false, 0},
        {"low", "Low", Unit::Number, false, 0},
        {"high", "High", Unit::Number, false, 0},
        {"sqnr", sqnr, Unit::Decibels, false, 0}};
    table_.columns = table_.shown_columns;
    table_.columns[1] = {"block", "Block", Unit::Text, false, 2};
    const Column more[] = {{"tensor", "Tensor", Unit::Text, false, 3},
                           {"scale", "Scale", Unit::Number, false, 3},
                           {"zero_point", "Zero point", Unit::Count, false, 3},
                           {"zeros", "Zeros", Unit::Count, false, 3},
                           {"nans", "NaN", Unit::Count, false, 3},
                           {"infinities", "Infinite", Unit::Count, false, 3},
                           {"random", "Random", Unit::Text, false, 3, ColumnType::Truth}};
    table_.columns.insert(table_.columns.end(), std::begin(more), std::end(more));
  }

  Status add_row(const TensorSketch& tensor, const std::string& label) {
    const Sketch& sketch = tensor.sketch;
    const std::uint64_t count = sketch.count();
    std::vector<Cell> both = {
        calibration_.samples == 0 ? Cell{} : whole(count / calibration_.samples),
        whole(count * kBytes), exact(sketch.min()), exact(sketch.max())};
    std::optional<Quantization> numbers;
    std::optional<double> sqnr;
    if (sketch.min()) {
      auto range = choose_range(sketch, ranges_);
      if (!range) return failure_in(label, range);
      numbers = quantization(*range, ranges_.scheme);
      sqnr = sqnr_db(sketch, *numbers);
      both.push_back(exact(range->low));
      both.push_back(exact(range->high));
    } else {
      both.resize(both.size() + 2);
    }
    TableRow row;
    // Where the network numbers its layers, that is the name that fits into a line.
    row.shown = tensor.block.empty() ? std::vector<Cell>{label, ""}
                                     : std::vector<Cell>{tensor.block, label};
    row.shown.insert(row.shown.end(), both.begin(), both.end());
    row.shown.push_back(!numbers            ? Cell()
                        : !sqnr             ? words("")
                        : std::isinf(*sqnr) ? words("inf")
                                            : real(*sqnr));
    row.cells = {tensor.layer, tensor.block};
    row.cells.insert(row.cells.end(), both.begin(), both.end());
    const std::vector<Cell> more = {sqnr,
                                    tensor.name,
                                    numbers ? exact(numbers->scale) : Cell{},
                                    numbers ? Cell(numbers->zero_point) : Cell{},
                                    sketch.zeros(),
                                    sketch.nans(),
                                    sketch.infinities(),
                                    calibration_.random};
    row.cells.insert(row.cells.end(), more.begin(), more.end());
    table_.rows.push_back(std::move(row));
    if (sqnr && std::isfinite(*sqnr) && (worst_.empty() || *sqnr < worst_sqnr_)) {
      worst_ = label;
      worst_sqnr_ = *sqnr;
    }
    if (sketch.min() && *sketch.min() == *sketch.max()) constant_.push_back(label);
    if (sketch.nans() + sketch.infinities() > 0)
      nonfinite_.push_back(
          fmt::format("{} ({} NaN, {} infinite)", label, sketch.nans(), sketch.infinities()));
    return {};
  }

  void add_totals() {
    std::uint64_t elements = 0;
    for (const TensorSketch& tensor : calibration_.tensors) {
      elements += tensor.sketch.count();
      sketch_bytes_ += tensor.sketch.heap_bytes() + sizeof(Sketch);
    }
    table_.totals.cells.resize(table_.columns.size());
    if (calibration_.samples > 0) table_.totals.cells[2] = whole(elements / calibration_.samples);
    table_.totals.cells[3] = whole(elements * kBytes);
    table_.totals.shown.assign(
        table_.totals.cells.begin(),
        table_.totals.cells.begin() + static_cast<std::ptrdiff_t>(table_.shown_columns.size()));
    kept_bytes_ = elements * kBytes;
  }

  void add_notes() {
    const auto note = [&](std::string text) { document_.notes.emplace_back(std::move(text)); };
    // The answer says these first.
    if (calibration_.random)
      note("RANDOM samples: a dry run; these ranges say nothing about real data");
    if (calibration_.planned > calibration_.samples)
      note(fmt::format("PARTIAL: {} of {} samples were seen", calibration_.samples,
                       calibration_.planned));
    if (!calibration_.data.empty()) note(fmt::format("samples: {}", calibration_.data));
    note(fmt::format(
        "{}ranges by {}",
        calibration_.engine.empty() ? "" : fmt::format("run on {}; ", calibration_.engine),
        choice_text(ranges_)));
    note(fmt::format("keeping every activation would have taken {}; the sketches take {}",
                     human_bytes(static_cast<double>(kept_bytes_)),
                     human_bytes(static_cast<double>(sketch_bytes_))));
    if (!constant_.empty()) note(fmt::format("the same in every element: {}", listed(constant_)));
    if (!nonfinite_.empty())
      document_.notes.emplace_back(
          fmt::format("not finite, and left out of the ranges: {}", listed(nonfinite_)), true);
  }

  // Says which tensor loses most, and whether the samples are fit to quantize with.
  void add_answer() {
    std::string text =
        fmt::format("Ranges of {} tensor{} from {} sample{}, by {}", calibration_.tensors.size(),
                    calibration_.tensors.size() == 1 ? "" : "s", calibration_.samples,
                    calibration_.samples == 1 ? "" : "s", choice_text(ranges_));
    if (!worst_.empty())
      text += fmt::format(". {} loses most in int{}: SQNR {:.1f} dB", visible(worst_),
                          ranges_.scheme.bits, worst_sqnr_);
    text += ".\n";
    Meaning meaning = Meaning::Plain;
    if (calibration_.random) {
      text +=
          "RANDOM samples: a dry run; these ranges say nothing about real data. Repeat it with "
          "real samples.\n";
      meaning = Meaning::Refused;
    } else if (calibration_.planned <= calibration_.samples) {
      text +=
          "Sure as far as the samples are like real inputs: extremes outside of them are cut "
          "off.\n";
    }
    if (calibration_.planned > calibration_.samples)
      text += fmt::format("PARTIAL: {} of {} samples were seen. Run it to its end.\n",
                          calibration_.samples, calibration_.planned);
    Section answer = answer_section(std::move(text));
    answer.meaning = meaning;
    document_.sections = {std::move(answer), {.table = "tensors"}};
  }

  void add_facts() {
    document_.facts = {{"model", FilePath{calibration_.model}},
                       {"graph_hash", calibration_.hash},
                       {"engine", calibration_.engine},
                       {"data", calibration_.data},
                       {"random_data", calibration_.random},
                       {"samples", calibration_.samples},
                       {"planned_samples", calibration_.planned},
                       {"choice", choice_text(ranges_)},
                       {"bits", ranges_.scheme.bits},
                       {"kept_bytes", kept_bytes_},
                       {"sketch_bytes", sketch_bytes_}};
  }

  const Calibration& calibration_;
  const RangeOptions& ranges_;
  std::vector<std::string> labels_;
  Document document_ = new_document("calibration");
  Table table_{.name = "tensors"};
  std::vector<std::string> constant_, nonfinite_;
  std::string worst_;  // the tensor with the lowest SQNR
  double worst_sqnr_ = 0;
  std::uint64_t kept_bytes_ = 0, sketch_bytes_ = 0;
};

}  // namespace

Result<Document> calibration_document(const Calibration& calibration, const RangeOptions& ranges) {
  return Builder(calibration, ranges).make();
}

}  // namespace strata

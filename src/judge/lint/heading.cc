#include "lint/heading.h"

#include <array>
#include <string>

#include "lint/number.h"

namespace strata::lint {

namespace {

struct Unit {
  std::string_view text;
  double factor;
};
constexpr Unit kTimes[] = {{"s", 1},     {"sec", 1},   {"seconds", 1}, {"ms", 1e-3},
                           {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}};
constexpr Unit kBytes[] = {{"b", 1},          {"bytes", 1},         {"kb", 1024.0},
                           {"mb", 1048576.0}, {"gb", 1073741824.0}, {"kib", 1024.0},
                           {"mib", 1048576.0}};

// Words in small letters, with the unit in parentheses or brackets apart.
struct Words {
  std::string text;  // `_` between words: `mean`, `mem_read`
  std::string unit;  // as the heading has it
};

Words words_of(std::string_view title) {
  Words out;
  const std::size_t open = title.find_first_of("([");
  std::string_view name = title;
  if (open != title.npos) {
    const std::size_t close = title.find_first_of(")]", open);
    if (close != title.npos) {
      out.unit = trimmed(title.substr(open + 1, close - open - 1));
      name = title.substr(0, open);
    }
  }
  for (char c : trimmed(name)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '%' || c == '+' ||
                        c == '/' || static_cast<unsigned char>(c) >= 0x80;
    if (c >= 'A' && c <= 'Z')
      out.text += static_cast<char>(c - 'A' + 'a');
    else if (letter)
      out.text += c;
    else if (!out.text.empty() && out.text.back() != '_')
      out.text += '_';
  }
  while (out.text.ends_with('_')) out.text.pop_back();
  return out;
}

bool take_suffix(std::string& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.resize(text.size() - suffix.size());
  return true;
}

struct Name {
  std::string_view text;
  Meaning meaning;
  bool adds_up;
};
constexpr Name kNames[] = {
    {"params", Meaning::Parameters, true},
    {"parameters", Meaning::Parameters, true},
    {"macs", Meaning::Macs, true},
    {"macc", Meaning::Macs, true},
    {"madd", Meaning::Macs, true},
    {"mult_adds", Meaning::Macs, true},
    {"flops", Meaning::Flops, true},
    {"read", Meaning::ReadBytes, true},
    {"mem_r", Meaning::ReadBytes, true},
    {"mem_read", Meaning::ReadBytes, true},
    {"memread", Meaning::ReadBytes, true},
    {"write", Meaning::WrittenBytes, true},
    {"mem_w", Meaning::WrittenBytes, true},
    {"mem_write", Meaning::WrittenBytes, true},
    {"memwrite", Meaning::WrittenBytes, true},
    {"mem", Meaning::MovedBytes, true},
    {"mem_rw", Meaning::MovedBytes, true},
    {"memr+w", Meaning::MovedBytes, true},
    {"activation", Meaning::TensorBytes, true},
    {"memory", Meaning::TensorBytes, true},
    {"mem_alloc", Meaning::AllocatedBytes, true},
    {"duration", Meaning::Seconds, true},
    {"time", Meaning::Seconds, true},
    {"realtime", Meaning::Seconds, true},
    {"latency", Meaning::Seconds, true},
    {"fps", Meaning::FramesPerSecond, false},
    {"throughput", Meaning::FramesPerSecond, false},
    {"flops_per", Meaning::FlopsPerSecond, false},
    {"bytes_per", Meaning::BytesPerSecond, false},
    {"n", Meaning::Samples, false},
    {"runs", Meaning::Samples, false},
    {"count", Meaning::Samples, false},
    {"batch", Meaning::Batch, false},
    {"batch_size", Meaning::Batch, false},
    {"cv", Meaning::Variation, false},
};

const Name* find_name(std::string_view text) {
  for (const Name& name : kNames)
    if (name.text == text) return &name;
  return nullptr;
}

struct StatisticWord {
  std::string_view text;
  Statistic statistic;
  double quantile;
};
constexpr StatisticWord kStatistics[] = {
    {"median", Statistic::Median, 0},       {"mean", Statistic::Mean, 0},
    {"average", Statistic::Mean, 0},        {"avg", Statistic::Mean, 0},
    {"std_dev", Statistic::Deviation, 0},   {"stddev", Statistic::Deviation, 0},
    {"std", Statistic::Deviation, 0},       {"min", Statistic::Extreme, 0},
    {"max", Statistic::Extreme, 0},         {"p50", Statistic::Median, 0},
    {"p90", Statistic::Percentile, 0.9},    {"90th_p", Statistic::Percentile, 0.9},
    {"p95", Statistic::Percentile, 0.95},   {"95th_p", Statistic::Percentile, 0.95},
    {"p99", Statistic::Percentile, 0.99},   {"99th_p", Statistic::Percentile, 0.99},
    {"p999", Statistic::Percentile, 0.999}, {"p99_9", Statistic::Percentile, 0.999},
};

// Takes `median_` off `median_latency`, or all of `median`.
const StatisticWord* take_statistic(std::string& text) {
  for (const StatisticWord& word : kStatistics) {
    if (text == word.text) {
      text.clear();
      return &word;
    }
    if (text.starts_with(std::string(word.text) + "_")) {
      text.erase(0, word.text.size() + 1);
      return &word;
    }
  }
  return nullptr;
}

template <std::size_t N>
const Unit* find_unit(const Unit (&units)[N], std::string_view text) {
  for (const Unit& unit : units)
    if (unit.text == text) return &unit;
  return nullptr;
}

std::string small(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_bytes(Meaning meaning) {
  return meaning == Meaning::ReadBytes || meaning == Meaning::WrittenBytes ||
         meaning == Meaning::MovedBytes || meaning == Meaning::TensorBytes ||
         meaning == Meaning::AllocatedBytes;
}

}  // namespace

TextColumn text_column(std::string_view title) {
  const std::string text = words_of(title).text;
  if (text == "type" || text == "layertype") return TextColumn::Type;
  if (text == "input" || text == "in_shape" || text == "input_shape") return TextColumn::Input;
  if (text == "output" || text == "out_shape" || text == "output_shape") return TextColumn::Output;
  if (text == "index" || text.empty()) return TextColumn::Index;
  return TextColumn::None;
}

Heading parse_heading(std::string_view title) {
  Heading out;
  ClaimColumn& column = out.column;
  column.title = std::string(trimmed(title));
  // Two words differ in case only: `FLOPs` is work and `FLOPS` a rate.
  if (column.title == "FLOPS" || column.title == "FLOP/s") {
    column.meaning = Meaning::FlopsPerSecond;
    return out;
  }
  Words words = words_of(title);
  std::string unit = small(words.unit);
  std::string text = words.text;
  if (const StatisticWord* word = take_statistic(text)) {
    column.statistic = word->statistic;
    column.quantile = word->quantile;
  }
  // `median_s`, `latency_ms`, `elements_mb`: the last word is a unit.
  if (unit.empty())
    for (const Unit& time : kTimes) {
      const std::string ending = "_" + std::string(time.text);
      if (text == time.text)
        text.clear(), unit = time.text;
      else if (take_suffix(text, ending))
        unit = time.text;
      if (!unit.empty()) break;
    }
  if (text.empty() && column.statistic != Statistic::Value) {
    text = unit == "fps" ? "fps" : "time";
    if (unit == "fps") unit.clear();
  }
  const Name* name = find_name(text);
  if (name == nullptr) return out;
  column.meaning = name->meaning;
  column.adds_up = name->adds_up && column.statistic != Statistic::Median &&
                   column.statistic != Statistic::Percentile &&
                   column.statistic != Statistic::Deviation &&
                   column.statistic != Statistic::Extreme;
  column.unit = words.unit.empty() ? unit : words.unit;
  if (column.meaning == Meaning::Seconds) {
    if (unit == "%") {
      column.meaning = Meaning::SecondsShare;
    } else if (const Unit* time = find_unit(kTimes, unit)) {
      out.factor = time->factor;
    } else {
      column.unit.clear();
    }
  } else if (is_bytes(column.meaning)) {
    if (const Unit* bytes = find_unit(kBytes, unit)) out.factor = bytes->factor;
  }
  return out;
}

}  // namespace strata::lint

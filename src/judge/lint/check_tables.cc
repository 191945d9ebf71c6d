// A network has the same parameters and the same work in every table of a document.
#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "lint/checks.h"
#include "lint/number.h"
#include "lint/shape.h"
#include "strata/base/number_text.h"
#include "strata/base/text_map.h"

namespace strata::lint {

namespace {

constexpr Meaning kQuantities[] = {Meaning::Parameters, Meaning::Macs, Meaning::Flops};
constexpr double kTolerance = 1e-6;  // of additions

// `mobilenetv2` of `MobileNet_V2`: small letters and digits.
std::string plain(std::string_view name) {
  std::string out;
  for (const char letter : name) {
    const auto c = static_cast<unsigned char>(letter);
    if (std::isalnum(c) || c >= 0x80) out += static_cast<char>(std::tolower(c));
  }
  return out;
}

bool is_one_of(std::string_view title, std::initializer_list<std::string_view> words) {
  std::string name = plain(title.substr(0, title.find('(')));
  return std::find(words.begin(), words.end(), name) != words.end();
}

// True if each row is a network.
bool lists_networks(const ClaimTable& table) {
  return !table.label_titles.empty() &&
         is_one_of(table.label_titles.front(), {"model", "models", "network", "networks", "net",
                                                "architecture", "arch", "backbone"});
}

// Counters differ on purpose.
bool compares_counters(const ClaimTable& table) {
  return std::any_of(table.label_titles.begin(), table.label_titles.end(), [](const auto& title) {
    return is_one_of(title, {"tool", "counter", "convention", "library", "method"});
  });
}

// Rows are layers, which add up to one network.
bool lists_layers(const ClaimTable& table) {
  return table.rows.size() > 1 && !lists_networks(table) &&
         std::any_of(table.rows.begin(), table.rows.end(),
                     [](const ClaimRow& row) { return !row.type.empty() || !row.outputs.empty(); });
}

// The figures of one network in one table.
struct Statement {
  std::size_t table = 0;
  std::string name, key;           // as it is written, and plain
  const ClaimRow* row = {};        // nullptr: the sum of all rows
  std::vector<std::int64_t> size;  // of the input, the last two axes; empty: not stated
  std::optional<double> batch;
};

// The last two axes, or a square.
std::vector<std::int64_t> size_of(const ClaimShape& shape) {
  if (shape.size() == 1) return {shape[0], shape[0]};
  return shape.size() < 2 ? ClaimShape{} : ClaimShape{shape.end()[-2], shape.end()[-1]};
}

// `224`, `224x224` or `1x3x224x224`; also as a word of a sentence.
std::vector<std::int64_t> size_in(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" ,;:()"), text.size());
    const std::string_view word = text.substr(0, end);
    const auto shape = parse_shape(word);
    if (shape && shape->size() > 1) return size_of(*shape);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::vector<std::int64_t> stated_size(const ClaimTable& table, const ClaimRow& row) {
  if (!row.inputs.empty()) return size_of(row.inputs.front());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto number = table.at(row, c);
    if (number && is_one_of(table.columns[c].title,
                            {"input", "inputsize", "resolution", "size", "imagesize", "image"}))
      return size_of({std::llround(number->value)});
  }
  for (std::size_t i = 1; i < row.labels.size(); ++i)
    if (auto size = size_in(row.labels[i]); !size.empty()) return size;
  return size_in(table.about);
}

std::optional<double> stated_batch(const ClaimTable& table, const ClaimRow& row) {
  const auto number = table.at(row, table.find_typical(Meaning::Batch));
  return number ? std::optional(number->value) : std::nullopt;
}

// The network in a heading: `Layers of MobileNet V2, 224x224` names `mobilenet_v2`. The longest of
// several; empty if there is none.
std::string named_in(std::string_view heading, const TextMap<std::string, std::string>& networks) {
  std::vector<std::string> words;
  while (!heading.empty()) {
    const std::size_t end = std::min(heading.find(' '), heading.size());
    if (std::string word = plain(heading.substr(0, end)); !word.empty())
      words.push_back(std::move(word));
    heading.remove_prefix(std::min(end + 1, heading.size()));
  }
  constexpr std::size_t kMaxWords = 4;  // of a name
  std::string best;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string joined;
    for (std::size_t j = i; j < std::min(i + kMaxWords, words.size()); ++j) {
      joined += words[j];
      if (joined.size() > best.size() && networks.contains(joined)) best = joined;
    }
  }
  return best;
}

std::vector<Statement> statements_of(const Claims& claims) {
  std::vector<Statement> out;
  TextMap<std::string, std::string> networks;  // by plain name
  for (std::size_t t = 0; t < claims.tables.size(); ++t) {
    const ClaimTable& table = claims.tables[t];
    if (!lists_networks(table) || compares_counters(table)) continue;
    for (const ClaimRow& row : table.rows) {
      if (row.labels.empty() || plain(row.labels.front()).empty()) continue;
      const std::string& name = row.labels.front();
      out.push_back(
          {t, name, plain(name), &row, stated_size(table, row), stated_batch(table, row)});
      networks.emplace(out.back().key, name);
    }
  }
  for (std::size_t t = 0; t < claims.tables.size(); ++t) {
    const ClaimTable& table = claims.tables[t];
    if (!lists_layers(table)) continue;
    const std::string key = named_in(table.about, networks);
    if (key.empty()) continue;
    const auto& inputs = table.rows.front().inputs;
    out.push_back({t, networks.at(key), key, nullptr,
                   inputs.empty() ? size_in(table.about) : size_of(inputs.front()), std::nullopt});
  }
  return out;
}

// The number of a statement; the sum of the layers where it is about all of them.
std::optional<ClaimNumber> number_of(const ClaimTable& table, const Statement& statement,
                                     std::size_t column) {
  if (statement.row != nullptr) return table.at(*statement.row, column);
  if (!table.totals.empty()) return table.at(table.totals.front(), column);
  ClaimNumber sum;
  for (const ClaimRow& row : table.rows) {
    if (row.parent) continue;
    const auto number = table.at(row, column);
    if (!number) return std::nullopt;
    sum.value += number->value;
    sum.rounding += number->rounding;
  }
  return sum;
}

bool differ(const ClaimNumber& a, const ClaimNumber& b) {
  return std::abs(a.value - b.value) > a.rounding + b.rounding + kTolerance * std::abs(a.value);
}

// Labels other than the name, such as a precision, under the same heading.
bool have_same_labels(const ClaimTable& left, const ClaimRow& a, const ClaimTable& right,
                      const ClaimRow& b) {
  for (std::size_t i = 1; i < std::min(left.label_titles.size(), a.labels.size()); ++i)
    for (std::size_t j = 1; j < std::min(right.label_titles.size(), b.labels.size()); ++j)
      if (plain(left.label_titles[i]) == plain(right.label_titles[j]) &&
          plain(a.labels[i]) != plain(b.labels[j]))
        return false;
  return true;
}

bool are_comparable(const Claims& claims, const Statement& a, const Statement& b) {
  if (a.key != b.key || a.table == b.table) return false;
  if (!a.size.empty() && !b.size.empty() && a.size != b.size) return false;
  if (a.batch.value_or(1) != b.batch.value_or(1)) return false;
  return a.row == nullptr || b.row == nullptr ||
         have_same_labels(claims.tables[a.table], *a.row, claims.tables[b.table], *b.row);
}

// `"FLOPs" is 327.1 M in the table at line 3`
std::string text_of(const Claims& claims, const Statement& statement, std::size_t column,
                    const ClaimNumber& number) {
  const ClaimTable& table = claims.tables[statement.table];
  const std::string where = !table.title.empty()   ? fmt::format("\"{}\"", table.title)
                            : !table.place.empty() ? fmt::format("the table at {}", table.place)
                                                   : fmt::format("table {}", statement.table + 1);
  const std::string sum = statement.row != nullptr || !table.totals.empty()
                              ? ""
                              : fmt::format(", the sum of {} rows,", table.rows.size());
  return fmt::format("\"{}\" is {}{} in {}", table.columns[column].title, human(number.value), sum,
                     where);
}

std::string meaning_of(Meaning quantity, double ratio) {
  if (quantity == Meaning::Parameters)
    return "one of them counts other tensors, or is of another variant of the network";
  if (ratio > 1.8 && ratio < 2.2)
    return "the smaller counts a multiply-add as one operation, the larger as two";
  return "the two count different operators, or are of different input sizes";
}

class TablePairs {
 public:
  TablePairs(const Claims& claims, std::vector<Finding>& findings)
      : claims_(claims), findings_(findings) {}

  void compare(const Statement& a, const Statement& b, Meaning quantity) {
    const ClaimTable &left = claims_.tables[a.table], &right = claims_.tables[b.table];
    const auto own = left.find_typical(quantity), other = right.find_typical(quantity);
    if (!own || !other) return;
    const auto x = number_of(left, a, *own), y = number_of(right, b, *other);
    if (!x || !y || !(x->value > 0) || !(y->value > 0) || !differ(*x, *y)) return;
    const double ratio = std::max(x->value, y->value) / std::min(x->value, y->value);
    const std::string key = fmt::format("{} {} {}", a.table, b.table, static_cast<int>(quantity));
    const auto [place, is_new] = places_.try_emplace(key, findings_.size());
    if (is_new) findings_.push_back({.check = "tables", .table = left.title});
    Finding& finding = findings_[place->second];
    if (finding.rows.empty() || finding.rows.back() != a.name) finding.rows.push_back(a.name);
    if (double& worst = worst_[key]; ratio > worst) {
      worst = ratio;
      finding.row = a.name;
      finding.evidence =
          fmt::format("{}, and {}: {:.2f} times as much in one of them",
                      text_of(claims_, a, *own, *x), text_of(claims_, b, *other, *y), ratio);
      finding.meaning = meaning_of(quantity, ratio);
    }
  }

 private:
  const Claims& claims_;
  std::vector<Finding>& findings_;
  TextMap<std::string, std::size_t> places_;  // findings, by tables and quantity
  TextMap<std::string, double> worst_;
};

}  // namespace

void check_tables(const Claims& claims, std::vector<Finding>& findings) {
  if (claims.tables.size() < 2) return;
  const std::vector<Statement> statements = statements_of(claims);
  TextMap<std::string, std::vector<const Statement*>> by_network;
  constexpr std::size_t kMost = 16;  // statements about one network that are compared
  TablePairs pairs(claims, findings);
  for (const Statement& statement : statements) {
    auto& earlier = by_network[statement.key];
    for (const Statement* other : earlier)
      if (are_comparable(claims, *other, statement))
        for (const Meaning quantity : kQuantities) pairs.compare(*other, statement, quantity);
    if (earlier.size() < kMost) earlier.push_back(&statement);
  }
}

}  // namespace strata::lint

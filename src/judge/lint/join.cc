#include "lint/join.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "lint/shape.h"
#include "strata/base/text_map.h"

namespace strata::lint {

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMaxPairs = std::size_t{1} << 23;  // of rows and layers

// `[inner, blocks, 3, 0]` of `inner_blocks.3.0`. What is in parentheses is not part of a name.
Words words_of(std::string_view name) {
  Words words;
  char last = ' ';
  name = name.substr(0, name.find('('));
  for (char c : name) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const char kind = digit ? '0' : letter ? 'a' : ' ';
    if (kind != ' ') {
      if (kind != last) words.emplace_back();
      words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    last = kind;
  }
  return words;
}

// True if `part` from `first` on occurs in `whole`, in this order.
bool occurs(const Words& part, std::size_t first, const Words& whole) {
  for (const std::string& word : whole)
    if (first < part.size() && part[first] == word) ++first;
  return first == part.size();
}

bool shapes_agree(const ClaimRow& row, const Row& layer) {
  const std::vector<ClaimShape> outputs = parse_shapes(layer.output);
  return row.outputs.empty() || outputs.empty() || row.outputs == outputs;
}

class Joiner {
 public:
  explicit Joiner(const RowList& layers) : layers_(layers) {
    for (const Row& layer : layers) {
      words_.push_back(words_of(layer.layer));
      exact_.emplace(layer.layer, &layer);
    }
  }

  // Nullptr: none, or several.
  const Row* find(const ClaimRow& row) const {
    if (const auto found = exact_.find(row.name); found != exact_.end())
      if (exact_.count(row.name) == 1) return found->second;
    const Words words = words_of(row.name);
    // Two words at least, of which one is not a number: `3` alone is in every name.
    for (std::size_t first = 0; first + 2 <= words.size(); ++first) {
      const Row* only = nullptr;
      std::size_t matches = 0;
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        if (!occurs(words, first, words_[i]) || !shapes_agree(row, layers_[i])) continue;
        only = &layers_[i];
        ++matches;
      }
      if (matches > 0) return matches == 1 ? only : nullptr;
    }
    return nullptr;
  }

 private:
  const RowList& layers_;
  std::vector<Words> words_;
  TextMultimap<std::string_view, const Row*> exact_;
};

std::optional<ClaimNumber> number_of(const Amount& amount) {
  const auto number = amount.number();
  return number ? std::optional(ClaimNumber{*number, 0}) : std::nullopt;
}

}  // namespace

void join_costs(Claims& claims, const RowList& layers) {
  const Joiner joiner(layers);
  std::size_t joined = 0, rows = 0;
  for (ClaimTable& table : claims.tables) {
    if (!table.find_typical(Meaning::Seconds) || table.find_typical(Meaning::Flops) ||
        table.rows.size() * layers.size() > kMaxPairs)
      continue;
    table.columns.push_back({.title = "FLOPs of the model", .meaning = Meaning::Flops});
    table.columns.push_back({.title = "bytes moved, of the model", .meaning = Meaning::MovedBytes});
    for (ClaimRow& row : table.rows) {
      row.numbers.resize(table.columns.size());
      ++rows;
      const Row* layer = joiner.find(row);
      if (layer == nullptr) continue;
      ++joined;
      row.numbers[table.columns.size() - 2] = number_of(layer->figures.flops);
      row.numbers.back() = number_of(layer->figures.read_bytes + layer->figures.write_bytes);
      if (row.type.empty()) row.type = layer->type;
      if (row.inputs.empty()) row.inputs = parse_shapes(layer->input);
      if (row.outputs.empty()) row.outputs = parse_shapes(layer->output);
    }
  }
  claims.notes.push_back(
      fmt::format("the model has the costs of {} of {} rows; the others have names that fit no "
                  "layer, or several",
                  joined, rows));
}

}  // namespace strata::lint

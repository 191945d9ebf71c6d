#include "compare/match_parts.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "ops/aten_rows.h"
#include "ops/registry.h"
#include "ops/tflite_table.h"
#include "strata/base/text_map.h"

namespace strata::compare {

namespace {

constexpr std::ptrdiff_t kMostParts = 64;  // a type with more is none that anybody joined

bool is_number(std::string_view word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
}

// `features.3.conv`, `Conv_12`: names that a layer put before them changes.
bool is_numbered(std::string_view name, std::string_view type) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("./"), name.size());
    const std::string_view word = name.substr(0, end);
    if (is_number(word)) return true;
    const std::size_t under = word.rfind('_');
    if (under != word.npos && is_number(word.substr(under + 1)) && word.substr(0, under) == type)
      return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

// Equal texts have equal numbers.
class Numbers {
 public:
  std::uint32_t of(std::string_view text) {
    return numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  TextMap<std::string_view, std::uint32_t> numbers_;  // views of rows, which stay
};

// Numbers of pairs: a name and how often it came before, a structure.
class PairNumbers {
 public:
  std::uint32_t of(std::uint64_t key) {
    return numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  NumberMap<std::uint32_t> numbers_;
};

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  seed ^= value + 0x9e3779b97f4a7c15 + (seed << 12) + (seed >> 4);
  return seed * 0xff51afd7ed558ccd;
}

std::uint64_t hash_of(const Figure& figure) {
  if (!figure.is_known()) return 1;
  return figure.real ? std::hash<double>()(*figure.real) : figure.count.hash();
}

// Knowledge of a structure that both sides share.
struct Known {
  bool input = false, output = false, params = false, macs = false;

  static Known of(std::span<const SideRow> rows) {
    Known out;
    for (const SideRow& row : rows) {
      out.input |= !row.input.empty();
      out.output |= !row.output.empty();
      out.params |= at(row.figures, Measure::Params).is_known();
      out.macs |= at(row.figures, Measure::Macs).is_known();
    }
    return out;
  }
  Known operator&(const Known& other) const {
    return {input && other.input, output && other.output, params && other.params,
            macs && other.macs};
  }

  // `types` stands for the row's type.
  std::uint64_t structure(const SideRow& row, std::uint64_t types) const {
    const TextHash text;
    std::uint64_t out = types;
    if (input) out = mixed(out, text(row.input));
    if (output) out = mixed(out, text(row.output));
    if (params) out = mixed(out, hash_of(at(row.figures, Measure::Params)));
    if (macs) out = mixed(out, hash_of(at(row.figures, Measure::Macs)));
    return out;
  }

  // MACs alone, which no layout of images changes.
  std::optional<std::uint64_t> work(const SideRow& row) const {
    const Figure& work = at(row.figures, Measure::Macs);
    if (!macs || !work.is_known() || work.count.is(0)) return std::nullopt;
    constexpr std::uint64_t kSeed = 0x6d616373;
    return mixed(kSeed, hash_of(work));
  }

  // The structure without the type, which says enough only of a row with MACs.
  std::optional<std::uint64_t> costs(const SideRow& row) const {
    const Figure& work = at(row.figures, Measure::Macs);
    if (!macs || !work.is_known() || work.count.is(0)) return std::nullopt;
    return mixed(structure(row, 0), hash_of(at(row.figures, Measure::Flops)));
  }
};

const OpRule* tflite_rule(std::string_view type) {
  const bool is_in_capitals =
      type.size() > 2 &&
      std::none_of(type.begin(), type.end(), [](unsigned char c) { return std::islower(c); });
  return is_in_capitals ? find_rule(kTflite, type, 0) : nullptr;
}

class Dictionary {
 public:
  std::uint32_t type(std::string_view text) {
    const auto [known, is_new] = types_.try_emplace(text, 0);
    if (is_new) known->second = texts.of(in_onnx(text));
    return known->second;
  }

  Numbers texts;
  PairNumbers names, structures;

 private:
  TextMap<std::string_view, std::uint32_t> types_;  // of parts
};

std::vector<Part> parts_of(std::span<const SideRow> rows, const Known& known, Dictionary& words) {
  std::vector<Part> out;
  out.reserve(rows.size());
  NumberMap<std::uint32_t> seen;  // how often a name and call came before
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    const std::size_t first = out.size();
    std::uint64_t types = 0;
    const bool joined = std::count(rows[r].type.begin(), rows[r].type.end(), '+') < kMostParts;
    for (std::string_view rest = rows[r].type;;) {
      const std::size_t plus = joined ? std::min(rest.find('+'), rest.size()) : rest.size();
      out.push_back({.row = r, .type = words.type(rest.substr(0, plus))});
      types = mixed(types, out.back().type);
      if (plus == rest.size()) break;
      rest.remove_prefix(plus + 1);
    }
    const std::uint64_t called = (std::uint64_t{words.texts.of(rows[r].name)} << 32) | rows[r].call;
    out[first].name = words.names.of(mixed(called, seen[called]++));
    out[first].structure = words.structures.of(known.structure(rows[r], types));
    if (const auto costs = known.costs(rows[r])) out[first].costs = words.structures.of(*costs);
    if (const auto work = known.work(rows[r])) out[first].macs = words.structures.of(*work);
    const std::string_view type = rows[r].type;
    out[first].numbered = is_numbered(rows[r].name, type.substr(0, type.find('+')));
    out[first].whole = out.size() == first + 1;
  }
  return out;
}

}  // namespace

std::pair<std::vector<Part>, std::vector<Part>> parts_of(std::span<const SideRow> before,
                                                         std::span<const SideRow> after) {
  const Known known = Known::of(before) & Known::of(after);
  Dictionary words;
  auto parts_before = parts_of(before, known, words);
  return {std::move(parts_before), parts_of(after, known, words)};
}

bool is_tflite_operator(std::string_view type) { return tflite_rule(type) != nullptr; }

std::string_view in_onnx(std::string_view type) {
  if (const OpRule* rule = tflite_rule(type)) return rule->like.empty() ? type : rule->like;
  if (type.empty() || !(std::islower(static_cast<unsigned char>(type[0])) || type[0] == '_'))
    return type;
  const OpRule* rule = find_rule(kAten, type, 0);
  return rule != nullptr && !rule->like.empty() ? rule->like : type;
}

}  // namespace strata::compare

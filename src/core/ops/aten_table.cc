#include "ops/aten_table.h"

#include <limits>

namespace strata {

namespace {

// The parts of `add_.Tensor`: `add`, whether it works in place, `.Tensor`.
struct AtenName {
  explicit AtenName(std::string_view op) {
    const std::size_t dot = op.find('.');
    name = op.substr(0, dot);
    if (dot != op.npos) overload = op.substr(dot);
    // `__and__` is not an `__and_` in place.
    in_place = name.size() > 1 && name.ends_with('_') && !name.ends_with("__");
    if (in_place) name.remove_suffix(1);
  }
  std::string_view name, overload;
  bool in_place = false;
};

// Rates how well a row with the same name fits: 0 if it does not.
int fit(const AtenName& row, const AtenName& asked) {
  const bool same_overload = row.overload == asked.overload;
  if ((!same_overload && !row.overload.empty()) || (row.in_place && !asked.in_place)) return 0;
  return 1 + (same_overload ? 1 : 0) + (row.in_place == asked.in_place ? 2 : 0);
}

// Names of attributes and places in memory are a dialect's own.
Traits completed(const Traits& own, const Traits& onnx) {
  Traits traits = onnx;
  traits.attributes = own.attributes;
  traits.strided = own.strided;
  traits.copies_unordered = own.copies_unordered;
  traits.changed = nullptr;
  if (own.kind != LayerKind::Unknown) traits.kind = own.kind, traits.kind_of = nullptr;
  if (own.kind_of != nullptr) traits.kind_of = own.kind_of;
  if (own.weights != kNoInput) traits.weights = own.weights;
  if (own.bias != kNoInput) traits.bias = own.bias;
  if (own.int8 != Int8Use::Unknown) traits.int8 = own.int8;
  if (own.clamp.is) traits.clamp = own.clamp;
  traits.data = own.data;
  traits.channels_last = own.channels_last;
  if (own.quantized != Quantized::Unknown) traits.quantized = own.quantized;
  return traits;
}

}  // namespace

AtenTable::AtenTable(std::span<const Family> families) {
  std::size_t count = 0;
  for (const Family& family : families) count += family.rules.size();
  rules_.reserve(count);
  by_name_.reserve(count);
  for (const Family& family : families)
    for (const OpRule& rule : family.rules) {
      OpRule& row = rules_.emplace_back(rule);
      const OpRule* onnx =
          rule.like.empty() ? nullptr : find_rule("", rule.like, std::numeric_limits<int>::max());
      if (onnx != nullptr) {
        if (row.cost == nullptr) row.cost = onnx->cost;
        row.traits = completed(rule.traits, onnx->traits);
      }
      if (row.traits.kind == LayerKind::Unknown) row.traits.kind = family.kind;
      by_name_[AtenName(row.name).name].push_back(&row);
    }
}

const OpRule* AtenTable::find(std::string_view domain, std::string_view op) const {
  const AtenName asked(op);
  const auto rows = by_name_.find(asked.name);
  if (rows == by_name_.end()) return nullptr;
  const OpRule* best = nullptr;
  int best_fit = 0;
  for (const OpRule* row : rows->second) {
    const int own_fit = row->domain == domain ? fit(AtenName(row->name), asked) : 0;
    if (own_fit > best_fit) best = row, best_fit = own_fit;
  }
  return best;
}

bool is_of_torch(std::string_view domain) {
  return domain == kAten || domain == kHigherOrder || domain == kTransformers ||
         domain == kQuantizedOps;
}

const AtenTable& aten_table() {
  // Never destroyed: an engine may end the process while a thread of ours looks something up.
  static const AtenTable& table = *new AtenTable(aten_families());
  return table;
}

bool works_in_place(const Node& node) { return node.domain == kAten && AtenName(node.op).in_place; }

}  // namespace strata

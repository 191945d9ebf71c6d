#include "cost/same_cost.h"

#include "base/pool.h"

namespace strata {

std::size_t hash_of(const NodeCost& cost) {
  WordHash hash;
  for (const Expr* figure : {&cost.params, &cost.macs, &cost.adds, &cost.muls, &cost.specials,
                             &cost.read_bytes, &cost.write_bytes})
    hash.add(figure->bits());
  hash.add(cost.learned);
  return hash.value();
}

bool is_same(const NodeCost& a, const NodeCost& b) {
  return is_same(a.params, b.params) && is_same(a.param_bytes, b.param_bytes) &&
         is_same(a.macs, b.macs) && is_same(a.adds, b.adds) && is_same(a.muls, b.muls) &&
         is_same(a.specials, b.specials) && is_same(a.read_bytes, b.read_bytes) &&
         is_same(a.weight_bytes, b.weight_bytes) && is_same(a.write_bytes, b.write_bytes) &&
         a.certainty == b.certainty && a.bytes_certainty == b.bytes_certainty &&
         a.learned == b.learned && a.folded == b.folded && a.at_load == b.at_load &&
         a.view == b.view && a.depends_on_branch == b.depends_on_branch;
}

}  // namespace strata

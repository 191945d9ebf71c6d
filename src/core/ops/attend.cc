#include "ops/attend.h"

#include "ops/part.h"

namespace strata {

void add_attention(CostContext& c, const Attend& sizes) {
  c.macs({{"batch", sizes.batch},
          {"heads", sizes.heads},
          {"queries", sizes.queries},
          {"keys", sizes.keys},
          {"head size", sizes.head}});
  c.macs({{"batch", sizes.batch},
          {"heads", sizes.heads},
          {"queries", sizes.queries},
          {"keys", sizes.keys},
          {"value size", sizes.value_head}});
  const TypeInfo scores =
      TypeInfo::tensor(DType::F32, {sizes.batch, sizes.heads, sizes.queries, sizes.keys});
  c.muls({{"scores", elements(scores.dims)}, {"scale", 1}});
  if (sizes.score_additions > 0)
    c.adds({{"scores", elements(scores.dims)}, {"masks and biases", sizes.score_additions}});
  add_work(c, {"Softmax", {tensor_of(scores)}}, {{scores}});
}

void add_rotation(CostContext& c, const Expr& count) {
  c.muls({{"rotated", count}, {"products", 2}});
  c.adds({{"rotated", count}, {"sums", 1}});
}

}  // namespace strata

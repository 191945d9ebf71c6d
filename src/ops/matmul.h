// Matrix products, for the families that have one of their own (quantized, fused).
#pragma once

#include "ops/cost_context.h"
#include "ops/shape_context.h"

namespace strata {

// numpy.matmul: the last two axes are the matrix, those before broadcast; a
// vector is a row on the left and a column on the right, and leaves no axis.
Result<Dims> matmul_dims(const ShapeContext& c, const Dims& a, const Dims& b);
// outputs × the size that inputs a and b have in common.
void matmul_macs(CostContext& c, std::size_t a, std::size_t b);

Status einsum_shape(ShapeContext& c);
void einsum_cost(CostContext& c);

}  // namespace strata

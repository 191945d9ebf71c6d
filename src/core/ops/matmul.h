// Matrix products, for families that have one of their own (quantized, fused).
#pragma once

#include "ops/cost_context.h"
#include "ops/shape_context.h"
#include "ops/traits.h"

namespace strata {

// numpy.matmul: the last two axes are the matrix, and those before them broadcast. A vector is a
// row on the left and a column on the right, and its axis is removed.
Result<Dims> matmul_dims(const ShapeContext& c, const Dims& a, const Dims& b);
// outputs × the size that inputs a and b share.
void matmul_macs(CostContext& c, std::size_t a, std::size_t b);
// Adds the cost of alpha·A·B + beta·C besides the product; factors of 1 cost nothing.
void scaled_sum(CostContext& c, std::size_t added, double alpha, double beta);

Status einsum_shape(ShapeContext& c);
void einsum_cost(CostContext& c);

inline constexpr AttributeName kGemmAttributes[] = {
    {Attr::TransposeFirst, "transA"},
    {Attr::TransposeSecond, "transB"},
    {Attr::ProductScale, "alpha", 1},
    {Attr::BiasScale, "beta", 1},
};

}  // namespace strata

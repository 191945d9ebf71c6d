#pragma once

namespace strata {

// The value that Student's distribution exceeds in absolute value with 5 % probability: 12.706 for
// one degree of freedom, 1.960 for very many. The degrees of freedom need not be whole.
double student_quantile(double freedom);

}  // namespace strata

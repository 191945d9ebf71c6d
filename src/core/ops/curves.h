// Activation functions of one number with their usual attributes, which is enough to follow the
// moments of activations through a network. Results are never computed with them.
#pragma once

namespace strata::curve {

double absolute(double x);
double elu(double x);
double error_function(double x);
double exponential(double x);
double gelu(double x);
double hard_sigmoid(double x);
double hard_swish(double x);
double leaky_relu(double x);
double mish(double x);
double relu(double x);
double relu6(double x);
double selu(double x);
double shrink(double x);
double sigmoid(double x);
double silu(double x);
double softplus(double x);
double softsign(double x);
double tanh(double x);
double thresholded_relu(double x);

}  // namespace strata::curve

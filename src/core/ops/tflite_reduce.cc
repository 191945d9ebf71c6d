// Reductions of TFLite: the axes are the second input.
#include "ops/sizes.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

// The newest version of ONNX that has the axes of every reduction as an input.
constexpr int kAxesAreInputs = 18;

template <Word onnx>
Recast reduction(const NodeView& c) {
  Recast other{onnx.view()};
  other.inputs = {input_of(c, 0), input_of(c, 1)};
  other.attributes = {{"keepdims", c.integer("keep_dims", 0)}};
  other.opset = kAxesAreInputs;
  return other;
}

// The place of the greatest along one axis, which is the second input.
Status arg_shape(ShapeContext& c) {
  const auto stated = c.scalar_of(1);
  const DType type = stated_dtype(c, DType::I64);
  if (!stated || !stated->is_number()) {
    c.set_unranked(0, type);
    return {};
  }
  const auto axis = c.axis(stated->value(), c.rank(0));
  if (!axis) return failure(axis);
  Dims dims;
  for (std::size_t i = 0; i < c.rank(0); ++i)
    if (i != *axis) dims.push_back(c.dims(0)[i]);
  c.set(0, type, std::move(dims));
  return {};
}

void compared_inputs(CostContext& c) {
  c.adds({{"inputs", c.in_elements(0)}, {"comparisons each", 1}});
}

constexpr Example kTfliteMean[] = {
    // Each of 49·1280 elements is added, and each of 1280 sums divided.
    {"f32[1,7,7,1280], i32[2]={1,2}",
     "keep_dims=0",
     "f32[1,1280]",
     {.macs = 0, .flops = 1280 * 50}},
    {"f32[N,7,7,8], i32[2]={1,2}", "keep_dims=1", "f32[N,1,1,8]"},
};
constexpr Example kTfliteReduced[] = {
    {"f32[2,8], i32[1]={1}", "keep_dims=0", "f32[2]", {.macs = 0, .flops = 16}}};
constexpr Example kTfliteAny[] = {{"bool[2,8], i32[1]={1}", "keep_dims=0", "bool[2]"}};
constexpr Example kTfliteArg[] = {
    {"f32[2,8], i32[]={1}", "dtype=6", "i32[2]", {.macs = 0, .flops = 16}}};
constexpr Example kTfliteCumulated[] = {
    {"f32[2,8], i32[]={1}", "", "f32[2,8]", {.macs = 0, .flops = 16}}};

constexpr OpRule tflite_reduction(OpRule rule) { return with_settings(rule, slots(1)); }

constexpr OpRule kTfliteReduceRules[] = {
    tflite_reduction(tflite_as<"ReduceMean", reduction<"ReduceMean">>("MEAN", kTfliteMean)),
    tflite_reduction(tflite_as<"ReduceSum", reduction<"ReduceSum">>("SUM", kTfliteReduced)),
    tflite_reduction(
        tflite_as<"ReduceProd", reduction<"ReduceProd">>("REDUCE_PROD", kTfliteReduced)),
    tflite_reduction(tflite_as<"ReduceMax", reduction<"ReduceMax">>("REDUCE_MAX", kTfliteReduced)),
    tflite_reduction(tflite_as<"ReduceMin", reduction<"ReduceMin">>("REDUCE_MIN", kTfliteReduced)),
    tflite_reduction(tflite_as<"ReduceMax", reduction<"ReduceMax">>("REDUCE_ANY", kTfliteAny)),
    tflite_reduction(tflite_as<"ReduceMin", reduction<"ReduceMin">>("REDUCE_ALL", kTfliteAny)),
    tflite_reduction(tflite("ARG_MAX", "ArgMax", arg_shape, compared_inputs, kTfliteArg)),
    tflite_reduction(tflite("ARG_MIN", "ArgMin", arg_shape, compared_inputs, kTfliteArg)),
    tflite_reduction(tflite("CUMSUM", "CumSum", like_input, adds_per_output<1>, kTfliteCumulated)),
};

}  // namespace

std::span<const OpRule> tflite_reduce_rules() { return kTfliteReduceRules; }

}  // namespace strata

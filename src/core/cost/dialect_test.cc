// A second dialect: operators with names, attributes and defaults of their own are rows of the same
// table. The rooms behind the rows infer and count them, and know what layers they are, without
// knowing that there are two dialects.
#include <gtest/gtest.h>

#include "ops/registry.h"
#include "strata/cost/convention.h"
#include "strata/cost/layers.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

constexpr std::string_view kDialect = "other";

// A window that fits n times into a padded size.
Expr places(const Expr& size, const Expr& window, std::int64_t stride, std::int64_t padding) {
  return floor_div(size + 2 * padding - window, stride) + 1;
}

std::int64_t first(std::span<const std::int64_t> list, std::int64_t otherwise) {
  return list.empty() ? otherwise : list[0];
}

Status convolution_shape(ShapeContext& c) {
  const Dims &x = c.dims(0), &w = c.dims(1);
  const std::int64_t stride = first(c.integers(Attr::Strides), 1);
  const std::int64_t padding = first(c.integers(Attr::Pads), 0);
  c.set(0, c.dtype(0),
        {x[0], w[0], places(x[2], w[2], stride, padding), places(x[3], w[3], stride, padding)});
  return {};
}

void convolution_cost(CostContext& c) {
  const Dims& w = c.dims(1);
  c.macs({{"outputs", c.out_elements(0)}, {"window", w[1] * w[2] * w[3]}});
}

Status like_first(ShapeContext& c) {
  c.set(0, c.dtype(0), c.dims(0));
  return {};
}

void one_each(CostContext& c) { c.adds({{"elements", c.out_elements(0)}}); }

constexpr AttributeName kNames[] = {{Attr::Groups, "groups", 1},
                                    {Attr::Strides, "stride"},
                                    {Attr::Pads, "padding"},
                                    {Attr::Dilations, "dilation"}};
constexpr OpRule kRows[] = {
    {.name = "convolution",
     .domain = kDialect,
     .shape = convolution_shape,
     .cost = convolution_cost,
     .traits = {.kind = LayerKind::Conv,
                .product = Product::Conv,
                .weights = 1,
                .bias = 2,
                .attributes = kNames}},
    {.name = "relu",
     .domain = kDialect,
     .shape = like_first,
     .cost = one_each,
     .traits = {.op = Op::Relu, .kind = LayerKind::ReLU, .activation = true}},
};

// x[1,8,8,8] → convolution, 3×3, 16 channels in `groups` → relu, in this dialect.
class SmallNetwork {
 public:
  explicit SmallNetwork(std::int64_t groups) : channels_{16, 8 / groups, 3, 3} {
    Graph& graph = model.graphs.empty() ? model.graphs.emplace_back() : model.graph();
    if (model.scopes.empty()) model.scopes.emplace_back();
    graph.tensors.resize(4);
    graph.tensors[0] = {.name = "x", .type = f32({1, 8, 8, 8}), .role = Role::Input};
    TensorData& weight = model.stored.emplace_back();
    weight.name = "weight";
    weight.dtype = DType::F32;
    weight.dims = model.keep(std::span<const std::int64_t>(channels_));
    graph.tensors[1] = {.name = "weight",
                        .type = f32({16, 8 / groups, 3, 3}),
                        .role = Role::Initializer,
                        .data = &weight};
    graph.tensors[2] = {.name = "h", .type = {}, .producer = 0};
    graph.tensors[3] = {.name = "y", .type = {}, .producer = 1};
    graph.inputs = {0};
    graph.outputs = {3};
    // Groups are stated where they are not the default.
    std::vector<Attribute> attributes = {{"stride", two_}, {"padding", one_}};
    if (groups != 1) attributes.push_back({"groups", groups});
    add("convolution", {0, 1}, {2}, attributes);
    add("relu", {2}, {3}, {});
  }

  Model model;

 private:
  static TypeInfo f32(Dims dims) { return TypeInfo::tensor(DType::F32, std::move(dims)); }
  void add(std::string_view op, std::vector<TensorId> inputs, std::vector<TensorId> outputs,
           const std::vector<Attribute>& attributes) {
    Node node;
    node.op = op;
    node.domain = kDialect;
    node.opset = 1;
    node.inputs = model.keep(std::span<const TensorId>(inputs));
    node.outputs = model.keep(std::span<const TensorId>(outputs));
    node.attributes = model.keep(std::span<const Attribute>(attributes));
    model.graph().nodes.push_back(node);
  }

  static constexpr std::int64_t kTwo[] = {2, 2}, kOne[] = {1, 1};
  const std::span<const std::int64_t> two_ = kTwo, one_ = kOne;
  const std::int64_t channels_[4];
};

class Dialect : public testing::Test {
 protected:
  Dialect() : families_(with_rows()), table_(families_), in_use_(table_) {}

 private:
  static std::vector<Family> with_rows() {
    std::vector<Family> all(families().begin(), families().end());
    all.push_back({"other", kRows});
    return all;
  }
  const std::vector<Family> families_;
  const OpTable table_;
  const TableInUse in_use_;
};

// 4×4 places of 16 channels, each a window of 3×3 of all 8 channels, or of the 4 of its group.
TEST_F(Dialect, IsInferredAndCounted) {
  for (const std::int64_t groups : {1, 2}) {
    SmallNetwork network(groups);
    ASSERT_TRUE(infer(network.model));
    EXPECT_EQ(text(network.model.graph().tensors[3].type->dims), "1×16×4×4");
    const Costs costs = count(network.model);
    EXPECT_EQ(costs.total.macs, Expr(4 * 4 * 16 * 3 * 3 * 8 / groups));
    EXPECT_EQ(costs.total.adds, Expr(4 * 4 * 16));
    EXPECT_EQ(costs.total.params, Expr(16 * 3 * 3 * 8 / groups));
    EXPECT_TRUE(costs.unknown_ops.empty());
  }
}

TEST_F(Dialect, HasTheSameKindsOfLayers) {
  SmallNetwork network(1);
  ASSERT_TRUE(infer(network.model));
  const Costs costs = count(network.model);
  const Layers layers = find_layers(network.model, costs);
  ASSERT_EQ(layers.list.size(), 2u);
  EXPECT_EQ(layers.list[0].kind, LayerKind::Conv);
  EXPECT_EQ(layers.list[1].kind, LayerKind::ReLU);
}

// Formulas of other tools use the groups, which this dialect calls otherwise and leaves out if 1.
TEST_F(Dialect, IsCountedByConventions) {
  for (const std::int64_t groups : {1, 2}) {
    SmallNetwork network(groups);
    ASSERT_TRUE(infer(network.model));
    const Costs costs = count(network.model);
    const auto fvcore = find_convention("fvcore");
    ASSERT_TRUE(fvcore) << fvcore.error().message;
    const auto counted = count_as(*fvcore, costs, find_layers(network.model, costs));
    EXPECT_EQ(counted.total[fvcore->headline()], Amount(4 * 4 * 16 * 3 * 3 * 8 / groups));
  }
}

// Without the rows the same network is unknown, not free.
TEST(WithoutDialect, OperatorsAreUnknown) {
  SmallNetwork network(1);
  ASSERT_TRUE(infer(network.model));
  const Costs costs = count(network.model);
  EXPECT_EQ(costs.unknown_ops.size(), 2u);
  EXPECT_EQ(costs.total.certainty, Certainty::LowerBound);
  EXPECT_EQ(find_layers(network.model, costs).list[0].kind, LayerKind::Unknown);
}

}  // namespace
}  // namespace strata

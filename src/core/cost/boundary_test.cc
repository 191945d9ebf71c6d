#include "strata/cost/boundary.h"

#include <string>

#include <gtest/gtest.h>

#include "cost/test_counted.h"

namespace strata {
namespace {

// A network and the module of each node: `encoder.0` for the node that makes it.
struct Found : test::Counted {
  Boundaries boundaries;

  // `encoder.0: x 1×4 → y 1×8 | …`, one line per boundary.
  std::string text() const {
    std::string out;
    for (const Boundary& boundary : boundaries.list) {
      out += std::string(boundary.depth, ' ');
      out += boundary.is_operation ? layer_path(model, costs, layers.list[boundary.layer])
             : boundary.scope == 0 ? "(network)"
                                   : std::string(model.scopes[boundary.scope].path);
      if (!boundary.is_operation && model.scopes[boundary.scope].call > 0)
        out += "#" + std::to_string(model.scopes[boundary.scope].call);
      out += ":";
      for (const BoundaryTensor& t : boundaries.inputs_of(boundary))
        out += " " + std::string(t.get().name);
      out += " →";
      for (const BoundaryTensor& t : boundaries.outputs_of(boundary))
        out += " " + std::string(t.get().name);
      out += "\n";
    }
    return out;
  }
};

using Modules = std::vector<std::pair<std::string, ScopeId>>;  // path, parent

Found find(std::string_view text, const Modules& modules, const std::vector<ScopeId>& of_nodes) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  if (model->scopes.empty()) model->scopes.emplace_back();
  for (const auto& [path, parent] : modules) {
    Scope scope;
    scope.path = scope.name = model->keep(path);
    scope.parent = parent;
    for (const Scope& other : model->scopes) scope.call += other.path == path ? 1 : 0;
    model->scopes.push_back(scope);
  }
  for (std::size_t i = 0; i < of_nodes.size(); ++i) model->graph().nodes.set_scope(i, of_nodes[i]);
  Found found{test::counted(std::move(*model)), {}};
  found.boundaries = find_boundaries(found.model, found.costs, found.layers);
  return found;
}

TEST(Boundaries, ContainersLeavesAndOperations) {
  const Found found = find(R"(
      input x f32[1,4]
      a = Relu(x)
      b = Sigmoid(a)
      c = Tanh(b)
      d = Add(a, c) name="/block/Add"
      e = Relu(d)
      output e)",
                           {{"stem", 0}, {"block", 0}, {"block.0", 2}, {"block.1", 2}, {"head", 0}},
                           {1, 3, 4, 2, 5});
  EXPECT_EQ(found.text(),
            "(network): x → e\n"
            " stem: x → a\n"
            " block: a → d\n"
            "  block.0: a → b\n"
            "  block.1: b → c\n"
            "  block.Add: a c → d\n"
            " head: d → e\n");
}

// A detection head that is called on two levels. The network's own tensors are in the file's order.
TEST(Boundaries, EachCallOfAModuleHasItsOwn) {
  const Found found = find(R"(
      input x f32[1,4]
      input y f32[1,2]
      a = Relu(y)
      b = Relu(x)
      output b
      output a)",
                           {{"head", 0}, {"head", 0}}, {1, 2});
  EXPECT_EQ(found.text(),
            "(network): x y → b a\n"
            " head: y → a\n"
            " head#1: x → b\n");
}

TEST(Boundaries, WeightsConstantsAndShapesDoNotCross) {
  const Found found = find(R"(
      input x f32[2,6]
      weight w f32[3]
      weight axis i64[1]={1}
      weight two i64[1]={2}
      u = Identity(w)
      s = Shape(x)
      n = Gather(s, axis) axis=0
      r = Concat(two, n) axis=0
      v = Reshape(x, r) name="/flat/Reshape"
      z = Relu(v)
      output z)",
                           {{"consts", 0}, {"body", 0}}, {1, 1, 1, 1, 0, 2});
  EXPECT_EQ(found.text(),
            "(network): x → z\n"
            " Reshape: x → v\n"
            " body: v → z\n");
  EXPECT_TRUE(found.boundaries.list[1].moves_nothing);
}

// Outputs are in the order they are made, inputs in the order they are read.
TEST(Boundaries, SeveralTensorsAreInRunningOrder) {
  const Found found = find(R"(
      input x f32[1,4]
      input y f32[1,4]
      input z f32[1,4]
      b = Relu(z)
      a = Relu(y)
      c = Relu(x)
      d = Sum(a, b, c)
      output d)",
                           {{"m", 0}, {"n", 0}}, {1, 1, 1, 2});
  EXPECT_EQ(found.text(),
            "(network): x y z → d\n"
            " m: z y x → b a c\n"
            " n: a b c → d\n");
}

// A tensor is read inside a module and also returned by the network: both count.
TEST(Boundaries, OutputOfTheNetworkThatIsReadInside) {
  const Found found = find(R"(
      input x f32[1,4]
      a = Relu(x)
      b = Relu(a)
      output a
      output b)",
                           {{"m", 0}, {"m.0", 1}, {"m.1", 1}}, {2, 3});
  EXPECT_EQ(found.text(),
            "(network): x → a b\n"
            " m: x → a b\n"
            "  m.0: x → a\n"
            "  m.1: a → b\n");
}

TEST(Boundaries, FileWithoutModulesHasOneForEachNode) {
  const Found found = find(R"(
      input x f32[1,4]
      a = Relu(x) name="first"
      b = Relu(a) name="second"
      output b)",
                           {}, {0, 0});
  EXPECT_EQ(found.text(), "(network): x → b\n first: x → a\n second: a → b\n");
}

}  // namespace
}  // namespace strata

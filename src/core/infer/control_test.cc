// Control flow: bodies are written as separate networks and put into the nodes of another.
#include <gtest/gtest.h>

#include "graph/text.h"
#include "ops/example.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

// A network whose nodes have bodies.
class WithBodies {
 public:
  explicit WithBodies(std::string_view text, int opset = 17) : model_(parse(text, opset)) {}

  // Gives node `node` of the network a body. Names that the body only reads refer to the network.
  WithBodies& body(std::size_t node, std::string_view attribute, std::string_view text,
                   int opset = 17) {
    Model& made = bodies_.emplace_back(parse(text, opset));
    Graph& graph = model_.graphs.emplace_back(std::move(made.graph()));
    graph.parent = &model_.graph();
    for (Tensor& tensor : graph.tensors) {
      if (tensor.role != Role::Activation || tensor.producer != kNone) continue;
      tensor.role = Role::Captured;
      tensor.outer = find(tensor.name);
    }
    Node owner = model_.graph().nodes[node];
    std::vector<Attribute> attributes(owner.attributes.begin(), owner.attributes.end());
    attributes.push_back({model_.keep(attribute), &graph});
    owner.attributes = model_.keep(std::span<const Attribute>(attributes));
    model_.graph().nodes.set(node, owner);
    return *this;
  }

  // All outputs as text, or what went wrong.
  std::string outputs() {
    const auto inferred = infer(model_);
    if (!inferred) return inferred.error().message;
    std::string text;
    for (const TensorId id : model_.graph().outputs) {
      const Tensor& tensor = model_.graph().tensors[id];
      text += (text.empty() ? "" : ", ") + example_text(tensor.type, tensor.value);
    }
    return text;
  }
  std::string runs(std::size_t body) const { return model_.graphs[1 + body].runs.text(); }
  // The type that a tensor in a body has afterwards.
  std::string inside(std::size_t body, std::string_view name) const {
    for (const Tensor& tensor : model_.graphs[1 + body].tensors) {
      if (tensor.name == name) return example_text(tensor.type, tensor.value);
    }
    return "not there";
  }

 private:
  static Model parse(std::string_view text, int opset) {
    auto model = model_from_text(text, opset);
    EXPECT_TRUE(model) << model.error().message;
    return model ? *std::move(model) : Model();
  }
  TensorId find(std::string_view name) const {
    const auto& tensors = model_.graph().tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].name == name) return static_cast<TensorId>(i);
    }
    ADD_FAILURE() << "no tensor " << name;
    return kNone;
  }

  Model model_;
  std::deque<Model> bodies_;
};

TEST(If, TakesTheBranchThatAKnownConditionNames) {
  WithBodies net(R"(
    input x f32[2,3]
    weight yes bool[]={true}
    y = If(yes)
    output y)");
  net.body(0, "then_branch", "a = Transpose(x)\noutput a");
  net.body(0, "else_branch", "b = Relu(x)\noutput b");
  EXPECT_EQ(net.outputs(), "f32[3,2]");
  EXPECT_EQ(net.runs(0), "1");
  EXPECT_EQ(net.runs(1), "0");
}

TEST(If, KeepsWhatBothBranchesShare) {
  WithBodies net(R"(
    input x f32[N,3,4]
    input c bool[]
    y, z = If(c)
    output y, z)");
  net.body(0, "then_branch", R"(
    a = Transpose(x) perm=0,2,1
    b = Flatten(x)
    output a, b)");
  net.body(0, "else_branch", R"(
    a = Relu(x)
    output a, a)");
  EXPECT_EQ(net.outputs(), "f32[N,branch,branch_2], f32[?]");
  EXPECT_EQ(net.runs(0), "1");
  EXPECT_EQ(net.runs(1), "1");
}

TEST(If, DoesNotTakeABranchThatCannotRun) {
  WithBodies net(R"(
    input x f32[2,3]
    input c bool[]
    y = If(c)
    output y)");
  net.body(0, "then_branch", "a = Squeeze(x) axes=0,\noutput a", 11);
  net.body(0, "else_branch", "a = Relu(x)\noutput a");
  EXPECT_EQ(net.outputs(), "f32[2,3]");
  EXPECT_EQ(net.runs(0), "0");
}

TEST(If, PassesKnownElementsOn) {
  WithBodies net(R"(
    input x f32[N,3,4]
    weight yes bool[]={true}
    s = If(yes)
    y = Reshape(x, s)
    output y)");
  net.body(0, "then_branch", "weight t i64[2]={0,12}\na = Identity(t)\noutput a");
  net.body(0, "else_branch", "weight t i64[1]={-1}\na = Identity(t)\noutput a");
  EXPECT_EQ(net.outputs(), "f32[N,12]");
}

constexpr std::string_view kSum = R"(
    input i i64[]
    input go bool[]
    input sum f32[?]
    next = Add(sum, x)
    on = Identity(go)
    output on, next, next)";

TEST(Loop, StacksOneElementPerIteration) {
  WithBodies net(R"(
    input x f32[N,8]
    input start f32[N,8]
    weight trips i64[]={5}
    weight go bool[]={true}
    last, all = Loop(trips, go, start)
    output last, all)");
  net.body(0, "body", kSum);
  EXPECT_EQ(net.outputs(), "f32[N,8], f32[5,N,8]");
  EXPECT_EQ(net.runs(0), "5");
}

// The standard says a scalar; a list of one would otherwise not be joined.
TEST(Loop, MayTakeItsCounterAsAListOfOne) {
  WithBodies net(R"(
    weight start i64[1]={7}
    weight trips i64[]={3}
    list = Loop(trips, _, start)
    output list)");
  net.body(0, "body", R"(
    input i i64[1]
    input go bool[]
    input list i64[?]
    more = Concat(list, i) axis=0
    on = Identity(go)
    output on, more)");
  EXPECT_EQ(net.outputs(), "i64[4]={7,0,1,2}");
  EXPECT_EQ(net.runs(0), "3");
}

// torch writes tensor_split so. What is cut off depends on the counter, which is 0 in the only
// step.
TEST(Loop, OfOneStepKnowsTheSizesInItsBody) {
  WithBodies net(R"(
    input x f32[8,4]
    weight trips i64[1]={1}
    weight go bool[]={true}
    weight start f32[4]
    last, all = Loop(trips, go, start)
    output all)");
  net.body(0, "body", R"(
    input i i64[1]
    input go bool[]
    input carried f32[4]
    weight ends i64[3]={0,5,8}
    weight one i64[]={1}
    weight axes i64[1]={0}
    from = Gather(ends, i)
    next = Add(i, one)
    to = Gather(ends, next)
    part = Slice(x, from, to, axes)
    on = Identity(go)
    output on, carried, part)");
  EXPECT_EQ(net.outputs(), "f32[1,5,4]");
  EXPECT_EQ(net.inside(0, "part"), "f32[5,4]");
}

TEST(Loop, WithAnOpenTripCountHasASymbol) {
  WithBodies net(R"(
    input x f32[N,8]
    input start f32[N,8]
    input trips i64[]
    last, all = Loop(trips, _, start)
    output last, all)");
  net.body(0, "body", kSum);
  EXPECT_EQ(net.outputs(), "f32[N,8], f32[trips,N,8]");
  EXPECT_EQ(net.runs(0), "trips");
}

TEST(Loop, RunsAsOftenAsAFormulaSays) {
  WithBodies net(R"(
    input x f32[N,8]
    input start f32[N,8]
    s = Shape(x)
    zero = Constant() value_int=0
    n = Gather(s, zero)
    last, all = Loop(n, _, start)
    output last, all)");
  net.body(3, "body", kSum);
  EXPECT_EQ(net.outputs(), "f32[N,8], f32[N,N,8]");
  EXPECT_EQ(net.runs(0), "N");
}

TEST(Loop, ThatNeverStartsGivesWhatItWasGiven) {
  WithBodies net(R"(
    input x f32[N,8]
    input start f32[N,8]
    weight go bool[]={false}
    last, all = Loop(_, go, start)
    output last, all)");
  net.body(0, "body", kSum);
  EXPECT_EQ(net.outputs(), "f32[N,8], f32[0,N,8]");
  EXPECT_EQ(net.runs(0), "0");
}

// Appends x to the carried value.
constexpr std::string_view kGrow = R"(
    input i i64[]
    input go bool[]
    input rows f32[?]
    more = Concat(rows, x) axis=0
    on = Identity(go)
    output on, more)";

TEST(Loop, FollowsASizeThatGrowsWithEachIteration) {
  WithBodies known(R"(
    input x f32[2,8]
    input start f32[1,8]
    weight trips i64[]={3}
    last = Loop(trips, _, start)
    output last)");
  known.body(0, "body", kGrow);
  EXPECT_EQ(known.outputs(), "f32[7,8]");
  // The types in the body hold for every iteration.
  EXPECT_EQ(known.inside(0, "rows"), "f32[carried,8]");
  EXPECT_EQ(known.inside(0, "more"), "f32[carried + 2,8]");

  WithBodies open(R"(
    input x f32[2,8]
    input start f32[1,8]
    input m i64[]
    last = Loop(m, _, start)
    output last)");
  open.body(0, "body", kGrow);
  EXPECT_EQ(open.outputs(), "f32[2·trips + 1,8]");
}

TEST(Loop, GivesUpOnASizeThatChangesInNoSimpleWay) {
  WithBodies net(R"(
    input start f32[1,8]
    input m i64[]
    last = Loop(m, _, start)
    output last)");
  net.body(0, "body", R"(
    input i i64[]
    input go bool[]
    input rows f32[?]
    more = Concat(rows, rows) axis=0
    on = Identity(go)
    output on, more)");
  EXPECT_EQ(net.outputs(), "f32[carried_2,8]");
}

TEST(Loop, EndsWhenItsConditionIsKnownToFail) {
  WithBodies net(R"(
    input x f32[4]
    weight zero i64[]={0}
    weight go bool[]={true}
    n, all = Loop(_, go, zero)
    output n, all)");
  net.body(0, "body", R"(
    input i i64[]
    input go bool[]
    input n i64[]
    weight one i64[]={1}
    weight four i64[]={4}
    next = Add(n, one)
    on = Less(next, four)
    output on, next, x)");
  EXPECT_EQ(net.outputs(), "i64[]={4}, f32[4,4]");
  EXPECT_EQ(net.runs(0), "4");
}

TEST(Loop, CarriesSequences) {
  WithBodies net(R"(
    input x f32[5]
    weight trips i64[]={3}
    weight go bool[]={true}
    empty = SequenceEmpty()
    all = Loop(trips, go, empty)
    output all)");
  net.body(1, "body", R"(
    input i i64[]
    input go bool[]
    input list seq()
    weight one i64[1]={1}
    weight zero i64[1]={0}
    weight axis i64[1]={0}
    n = Add(i, one)
    part = Slice(x, zero, n, axis)
    longer = SequenceInsert(list, part)
    on = Identity(go)
    output on, longer)");
  EXPECT_EQ(net.outputs(), "seq(f32[1], f32[2], f32[3])");
}

TEST(Loop, WithAWrongBodySaysSo) {
  WithBodies net(R"(
    input x f32[4]
    y = Loop(_, _, x)
    output y)");
  net.body(0, "body", "input i i64[]\nz = Relu(x)\noutput z");
  EXPECT_EQ(net.outputs(),
            "Loop (no name, output \"y\"): its body has 1 inputs and 1 outputs, where 1 carried "
            "values need 3 and at least 2");
}

constexpr std::string_view kScan = R"(
    input sum f32[?]
    input row f32[?]
    next = Add(sum, row)
    output next, next)";

TEST(Scan, TakesItsInputsApartAlongAnAxis) {
  WithBodies net(R"(
    input start f32[N,8]
    input x f32[N,S,8]
    last, all = Scan(start, x) num_scan_inputs=1 scan_input_axes=1, scan_output_axes=-1,
    output last, all)");
  net.body(0, "body", kScan);
  EXPECT_EQ(net.outputs(), "f32[N,8], f32[N,8,S]");
  EXPECT_EQ(net.runs(0), "S");
}

TEST(Scan, OfVersion8HasABatch) {
  WithBodies net(R"(
    input start f32[B,2]
    input x f32[B,3,2]
    last, all = Scan(_, start, x) num_scan_inputs=1
    output last, all)",
                 8);
  net.body(0, "body", kScan, 8);
  EXPECT_EQ(net.outputs(), "f32[B,2], f32[B,3,2]");
  EXPECT_EQ(net.runs(0), "3·B");
}

TEST(SequenceMap, MapsEachElement) {
  WithBodies net(R"(
    input list seq(f32[2,3], f32[4,5])
    input x f32[1]
    out = SequenceMap(list, x)
    output out)");
  net.body(0, "body", R"(
    input e f32[?]
    input y f32[?]
    t = Transpose(e)
    z = Add(t, y)
    output z)");
  EXPECT_EQ(net.outputs(), "seq(f32[3,2], f32[5,4])");
  EXPECT_EQ(net.runs(0), "2");
}

}  // namespace
}  // namespace strata

#include "strata/cost/cut.h"

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cost/test_counted.h"

namespace strata {
namespace {

struct Found : test::Counted {
  Cuts cuts;

  // `a: x 400, a 800`, one line per place.
  std::string text() const {
    std::vector<std::uint32_t> places;
    for (std::uint32_t p = 0; p < cuts.places.size(); ++p) places.push_back(p);
    const auto sets = crossing(cuts, places);
    std::string out;
    for (std::uint32_t p : places) {
      const std::uint32_t layer = cuts.places[p].layer;
      out += layer == kNone ? "(start)" : layer_path(model, costs, layers.list[layer]);
      for (std::uint32_t t : sets[p])
        out += fmt::format(" {}={}", model.graph().tensors[cuts.tensors[t].tensor].name,
                           cuts.tensors[t].bytes[0].text());
      out += fmt::format(" | {}\n", cuts.places[p].bytes[0].text());
    }
    return out;
  }
};

Found find(std::string_view text) {
  Found found{test::counted(text), {}};
  found.cuts = find_cuts(found.model, found.costs, found.layers);
  return found;
}

// A cut at the proposals still ships the feature maps that are pooled afterwards.
TEST(Cuts, ShipAllThatIsReadLater) {
  EXPECT_EQ(find(R"(
      input image f32[100]
      features = Relu(image)
      small = ReduceMax(features)
      proposals = Sigmoid(small)
      pooled = Add(features, proposals)
      output pooled)")
                .text(),
            "(start) image=400 | 400\n"
            "features features=400 | 400\n"
            "small features=400 small=4 | 404\n"
            "proposals features=400 proposals=4 | 404\n");
}

TEST(Cuts, InputsThatAreStillNeededCross) {
  EXPECT_EQ(find(R"(
      input x f32[100]
      input late f32[7]
      a = Relu(x)
      b = ReduceMax(a)
      c = Add(b, late)
      output c)")
                .text(),
            "(start) x=400 late=28 | 428\n"
            "a late=28 a=400 | 428\n"
            "b late=28 b=4 | 32\n");
}

TEST(Cuts, TensorAndItsViewsAreOne) {
  EXPECT_EQ(find(R"(
      input x f32[4,25]
      weight shape i64[1]={100}
      weight w f32[25]
      a = Relu(x)
      v = Reshape(a, shape)
      b = Relu(v)
      c = Add(a, w)
      d = Reshape(b, shape)
      e = ReduceSum(c) keepdims=0
      f = Add(d, e)
      output f)")
                .text(),
            "(start) x=400 | 400\n"
            "a a=400 | 400\n"
            "b a=400 b=400 | 800\n"
            "c b=400 c=400 | 800\n"
            "e b=400 e=4 | 404\n");
}

// Results that the first part returns to the caller do not go to the second part.
TEST(Cuts, ResultsOfTheFirstPartStay) {
  EXPECT_EQ(find(R"(
      input x f32[10]
      a = Relu(x)
      b = ReduceMax(x)
      output a
      output b)")
                .text(),
            "(start) x=40 | 40\n"
            "a x=40 | 40\n");
}

TEST(Cuts, FloatsAreNarrowedAndNothingElse) {
  const auto all = [](DType type) {
    std::string out;
    for (Precision p : {Precision::Raw, Precision::Fp16, Precision::Int8})
      out += shipped_bytes(TypeInfo::tensor(type, {10, Expr::symbol("N")}), p).text() + " ";
    return out;
  };
  EXPECT_EQ(all(DType::F32), "40·N 20·N 10·N ");
  EXPECT_EQ(all(DType::F64), "80·N 20·N 10·N ");
  EXPECT_EQ(all(DType::BF16), "20·N 20·N 10·N ");
  EXPECT_EQ(all(DType::F8E4M3FN), "10·N 10·N 10·N ");
  EXPECT_EQ(all(DType::I64), "80·N 80·N 80·N ");
  EXPECT_EQ(all(DType::Bool), "10·N 10·N 10·N ");
  EXPECT_TRUE(shipped_bytes(TypeInfo::unranked(DType::F32), Precision::Int8).is_unknown());
}

TEST(Cuts, MinimaAndTheLeastSoFar) {
  const Found found = find(R"(
      input x f32[100]
      a = Concat(x, x, x) axis=0
      b = ReduceMax(a)
      c = Expand(b, n)
      weight n i64[1]={50}
      d = Relu(c)
      e = Concat(d, d) axis=0
      output e)");
  std::string minima, least;
  for (const CutPlace& place : found.cuts.places) {
    minima += place.is_minimum ? '1' : '0';
    least += place.is_least_so_far ? '1' : '0';
  }
  //                 start a b c d
  EXPECT_EQ(minima, "10100");
  EXPECT_EQ(least, "10100");
  EXPECT_EQ(found.cuts.places.size(), 5u);
}

TEST(Cuts, BodyReadsForItsOwner) {
  auto model = model_from_text(
      "input x f32[4]\ninput c bool[]\nkept = Relu(x)\n"
      "y = Relu(kept)\nz = If(c) \noutput z");
  ASSERT_TRUE(model) << model.error().message;
  Graph& body = model->graphs.emplace_back();
  Graph& outer = model->graphs.front();
  body.parent = &outer;
  const TensorId kept = outer.nodes[0].outputs[0];
  Tensor captured;
  captured.role = Role::Captured;
  captured.outer = kept;
  captured.type = outer.tensors[kept].type;
  body.tensors.push_back(captured);
  body.outputs.push_back(0);
  auto attributes = model->keep_span<Attribute>(2);
  attributes[0] = {"then_branch", &body};
  attributes[1] = {"else_branch", &body};
  outer.nodes.change(2, [&](Node& node) { node.attributes = attributes; });
  ASSERT_TRUE(infer(*model));
  const Costs costs = count(*model);
  const Layers layers = find_layers(*model, costs);
  const Cuts cuts = find_cuts(*model, costs, layers);
  const std::uint32_t last = static_cast<std::uint32_t>(cuts.places.size()) - 1;
  EXPECT_EQ(cuts.places[last].bytes[0], Expr(16 + 1))
      << "kept, which only the branches read, and c";
}

// Any chain of operations on any earlier tensors, compared with the definition itself.
RC_GTEST_PROP(Cuts, AgreeWithTheDefinition, ()) {
  const auto nodes = *rc::gen::inRange(1, 14);
  std::string text = "input t0 f32[3]\ninput t1 f32[3]\n";
  std::vector<std::set<int>> reads;
  for (int i = 0; i < nodes; ++i) {
    const int a = *rc::gen::inRange(0, i + 2), b = *rc::gen::inRange(0, i + 2);
    text += fmt::format("t{} = Add(t{}, t{})\n", i + 2, a, b);
    reads.push_back({a, b});
  }
  const Found found = find(text + fmt::format("output t{}\n", nodes + 1));
  std::size_t places = 0;
  for (int cut = 0; cut <= nodes; ++cut) {  // nodes before `cut` are in the first part
    std::set<int> shipped;
    for (int node = cut; node < nodes; ++node)
      for (int tensor : reads[static_cast<std::size_t>(node)])
        if (tensor < cut + 2) shipped.insert(tensor);
    if (!shipped.empty() || cut == 0) places = static_cast<std::size_t>(cut) + 1;
    if (static_cast<std::size_t>(cut) >= found.cuts.places.size()) {
      RC_ASSERT(shipped.empty());
      continue;
    }
    const CutPlace& place = found.cuts.places[static_cast<std::size_t>(cut)];
    RC_ASSERT(place.bytes[0] == Expr(static_cast<std::int64_t>(12 * shipped.size())));
    RC_ASSERT(place.bytes[2] == Expr(static_cast<std::int64_t>(3 * shipped.size())));
    std::set<int> listed;
    const auto index = static_cast<std::uint32_t>(cut);
    const auto sets = crossing(found.cuts, {&index, 1});
    for (std::uint32_t t : sets[0]) {
      const std::string_view tensor =
          found.model.graph().tensors[found.cuts.tensors[t].tensor].name;
      listed.insert(std::stoi(std::string(tensor.substr(1))));
    }
    RC_ASSERT(listed == shipped);
  }
  RC_ASSERT(found.cuts.places.size() == places);
}

}  // namespace
}  // namespace strata

#include "read/recording/reader.h"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/graph/recorded.h"
#include "strata/read/read.h"

namespace strata::recording {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A convolution without a bias, an activation in place, a dropout that does nothing, and a
// parameter that nothing reads.
constexpr std::string_view kSmall = R"({"strata_recording":1,"source":"torch 2.13.0","name":"Net",
 "notes":["a sentence"],
 "modules":[["","__main__.Net",-1,0],["c","Conv2d",0,0],["r","ReLU",0,0],["d","Dropout",0,0],
            ["c","Conv2d",0,1]],
 "tensors":[["float32",[7],null,0,0],["float32",[3,3,1,1],null,1,0],["float32",[2,3,8,8],null,2,0],
            ["float32",[2,3,8,8],null,3,0],["float32",[2,3,8,8],null,3,0],
            ["bfloat16",[2,3,8,8],[192,1,24,3],4,0],["int64",[],null,5,0]],
 "parameters":[[0,"unused","",true],[1,"c.weight","c",true]],
 "buffers":[[6,"steps"]],
 "inputs":[[2,"x"]],
 "outputs":[[5,"output"]],
 "calls":[["aten.convolution.default",[{"t":2},{"t":1},null,[1,1],[0,0],[1,1],false,[0,0],1],{},[3],1,0],
          ["aten.relu_.default",[{"t":3}],{},[4],2,0],
          ["aten.convolution.default",[{"t":4},{"t":1}],{"stride":[1,1],"groups":1},[5],4,3]],
 "leaves":[[3,[4],[4],2]],
 "frees":[[3,1]],"storages":[[28,"cpu"]]})";

Model read_small(std::string_view text = kSmall) {
  auto model = read(text, "x.json", {});
  EXPECT_TRUE(model) << (model ? "" : model.error().message);
  return model ? std::move(*model) : Model();
}

std::string problem(const std::string& text) {
  const auto model = read(text, "x.json", {});
  return model ? "" : model.error().message;
}

std::string changed(std::string_view from, std::string_view to) {
  std::string text(kSmall);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Recording, IsRecognisedByItsFirstMember) {
  EXPECT_TRUE(looks_like_recording(kSmall));
  EXPECT_TRUE(looks_like_recording(" \n{ \"strata_recording\": 1}"));
  EXPECT_FALSE(looks_like_recording("{\"kind\":\"profile\"}"));
  EXPECT_FALSE(looks_like_recording("\"strata_recording\""));
  EXPECT_FALSE(looks_like_recording(""));
}

// Like above, with kinds and patterns.
constexpr std::string_view kShort = R"({"strata_recording":2,"source":"torch 2.13.0","name":"Net",
 "notes":["a sentence"],
 "modules":[["","__main__.Net",-1,0],["c","Conv2d",0,0],["r","ReLU",0,0],["d","Dropout",0,0],
            ["c","Conv2d",0,1]],
 "kinds":[["float32",[7]],["float32",[3,3,1,1]],["float32",[2,3,8,8],null],
          ["bfloat16",[2,3,8,8],[192,1,24,3]],["int64",[]]],
 "tensors":[[0,0],[1,1],[2,2],[2,3],[2,3,0],[3,4],[4,5]],
 "parameters":[[0,"unused","",true],[1,"c.weight","c",true]],
 "buffers":[[6,"steps"]],
 "inputs":[[2,"x"]],
 "outputs":[[5,"output"]],
 "patterns":[["aten.convolution.default",[{"t":0},{"t":1},null,[1,1],[0,0],[1,1],false,[0,0],1]],
             ["aten.relu_.default",[{"t":0}],{}],
             ["aten.convolution.default",[{"t":0},{"t":1}],{"stride":[1,1],"groups":1}]],
 "calls":[[0,[2,1],[3],1],[1,[3],[4],2,0],[2,[4,1],[5],4,3]],
 "leaves":[[3,[4],[4],2]],
 "frees":[[3,1]],"storages":[28]})";

std::string described(const Model& model) {
  std::string text;
  const Graph& graph = model.graph();
  for (const Node& node : graph.nodes) {
    text += fmt::format("{}.{} {} scope {} phase {} of {} giving {}:", node.domain, node.op,
                        node.name, node.scope, static_cast<int>(node.phase),
                        fmt::join(node.inputs, ","), fmt::join(node.outputs, ","));
    for (const Attribute& attribute : node.attributes) {
      text += fmt::format(" {}", attribute.name);
      if (const auto* number = std::get_if<std::int64_t>(&attribute.value))
        text += fmt::format("={}", *number);
      if (const auto* list = std::get_if<std::span<const std::int64_t>>(&attribute.value))
        text += fmt::format("=[{}]", fmt::join(*list, ","));
    }
    text += "\n";
  }
  for (const Tensor& tensor : graph.tensors)
    text += fmt::format("{} {} {} {} {}\n", tensor.name, name_of(tensor.type->dtype),
                        strata::text(tensor.type->dims), static_cast<int>(tensor.role),
                        tensor.producer);
  return text;
}

// The fourth tensor is in 2,000 bytes of memory, of which it uses 1,536.
TEST(Recording, SaysWhatMemoryItHasNotSeen) {
  EXPECT_FALSE(read_small().recorded->peaks_at_least);
  EXPECT_TRUE(read_small().recorded->larger.empty());
  const Model model = read_small(
      changed("\"notes\"", R"("peaks_at_least":true,"larger":[[4,9],[3,2000]],"notes")"));
  EXPECT_TRUE(model.recorded->peaks_at_least);
  EXPECT_THAT(model.recorded->larger, ElementsAre(testing::Pair(3, 2000), testing::Pair(4, 9)));
  EXPECT_THAT(problem(changed("\"notes\"", R"("larger":[[99,1]],"notes")")), HasSubstr("99"));
}

TEST(Recording, TensorsOfAKindShareTheirType) {
  const Model model = read_small(kShort);
  const std::vector<Tensor>& tensors = model.graph().tensors;
  EXPECT_TRUE(is_same(tensors[2].type, tensors[3].type));
  EXPECT_TRUE(is_same(tensors[2].type, tensors[4].type));
  EXPECT_FALSE(is_same(tensors[1].type, tensors[2].type));
}

TEST(Recording, CallsAreNodesWithTheArgumentsOfTheirSchemas) {
  const Model model = read_small();
  const Graph& graph = model.graph();
  ASSERT_EQ(graph.nodes.size(), 5u);
  const Node& first = graph.nodes[0];
  EXPECT_EQ(first.domain, "aten");
  EXPECT_EQ(first.op, "convolution");
  EXPECT_EQ(first.name, "convolution");
  EXPECT_THAT(first.inputs, ElementsAre(2u, 1u, kNone));
  EXPECT_THAT(first.outputs, ElementsAre(3u));
  EXPECT_THAT(std::get<std::span<const std::int64_t>>(first.attribute("stride")->value),
              ElementsAre(1, 1));
  EXPECT_EQ(std::get<std::int64_t>(first.attribute("transposed")->value), 0);
  EXPECT_EQ(model.scopes[first.scope].path, "c");
  EXPECT_EQ(first.phase, Phase::Forward);
  // The second call of the module, by keywords, in a phase of its own.
  const Node& second = graph.nodes[3];
  EXPECT_EQ(second.name, "convolution_1");
  EXPECT_EQ(std::get<std::int64_t>(second.attribute("groups")->value), 1);
  EXPECT_EQ(model.scopes[second.scope].path, "c");
  EXPECT_EQ(model.scopes[second.scope].call, 1u);
  EXPECT_EQ(second.phase, Phase::Recomputed);
}

TEST(Recording, ShapesAndTypesAreThoseOfTheRun) {
  const Model model = read_small();
  EXPECT_TRUE(model.states_types);
  const TypeInfo& type = model.graph().tensors[5].type;
  EXPECT_EQ(type.dtype, DType::BF16);
  EXPECT_EQ(text(type.dims), "2×3×8×8");
  EXPECT_THAT(model.graph().inputs, ElementsAre(2u));
  EXPECT_EQ(model.graph().tensors[2].name, "x");
  EXPECT_THAT(model.graph().outputs, ElementsAre(5u));
  EXPECT_EQ(model.producer, "torch");
  EXPECT_EQ(model.producer_version, "2.13.0");
  EXPECT_EQ(model.graph().name, "Net");
  EXPECT_THAT(model.notes, ElementsAre("a sentence"));
}

TEST(Recording, AModuleCallWithoutOperatorsIsANode) {
  const Model model = read_small();
  const Graph& graph = model.graph();
  const Node& leaf = graph.nodes[2];
  EXPECT_EQ(leaf.op, "dropout");
  EXPECT_EQ(model.scopes[leaf.scope].path, "d");
  EXPECT_THAT(leaf.inputs, ElementsAre(4u));
  // The next call reads its output, a tensor of its own with the same type.
  ASSERT_EQ(leaf.outputs.size(), 1u);
  EXPECT_EQ(graph.nodes[3].inputs[0], leaf.outputs[0]);
  EXPECT_EQ(text(graph.tensors[leaf.outputs[0]].type->dims), "2×3×8×8");
}

TEST(Recording, ParametersAreWhatItCallsParameters) {
  const Model model = read_small();
  const Graph& graph = model.graph();
  EXPECT_EQ(graph.tensors[1].data->learned, Learned::Yes);
  EXPECT_EQ(graph.tensors[1].data->name, "c.weight");
  EXPECT_EQ(graph.tensors[6].data->learned, Learned::No);
  // Nothing reads this one, and a node of its module holds it.
  EXPECT_EQ(graph.nodes[4].op, "Unread");
  EXPECT_THAT(graph.nodes[4].inputs, ElementsAre(0u));
}

TEST(Recording, WeightsThatShareMemoryAreOne) {
  const Model model = read_small(
      R"({"strata_recording":1,"tensors":[["float32",[4],null,0,0],["float32",[4],null,0,0],
          ["float32",[4],null,0,4],["float32",[4],null,1,0]],
          "parameters":[[0,"a"],[1,"b"],[2,"c"]],
          "calls":[["aten.add.Tensor",[{"t":0},{"t":2}],{},[3],-1,0]]})");
  const Graph& graph = model.graph();
  EXPECT_EQ(graph.tensors[0].data, graph.tensors[1].data);
  EXPECT_NE(graph.tensors[0].data, graph.tensors[2].data);
  EXPECT_EQ(graph.nodes.size(), 1u) << "b is read as a";
}

TEST(Recording, ALeafThatDoesNotSayWhenItRanIsLast) {
  const Model model = read_small(changed("[[3,[4],[4],2]]", "[[3,[4],[4]]]"));
  EXPECT_EQ(model.graph().nodes[3].op, "dropout");
}

TEST(Recording, WhatNothingMakesIsAConstant) {
  const Model model = read_small(
      R"({"strata_recording":1,"tensors":[["float32",[4],null,0,0],["float32",[4],null,1,0]],
          "calls":[["aten.mul.Tensor",[{"t":0},2.5],{},[1],-1,0]]})");
  EXPECT_EQ(model.graph().tensors[0].role, Role::Initializer);
  EXPECT_EQ(model.graph().tensors[0].data->learned, Learned::No);
  const Node& node = model.graph().nodes[0];
  EXPECT_THAT(node.inputs, ElementsAre(0u, kNone)) << "a number stands in a tensor's place";
  EXPECT_FLOAT_EQ(std::get<float>(node.attribute("other")->value), 2.5f);
}

TEST(Recording, ArgumentsOfEveryKind) {
  const Model model = read_small(
      R"({"calls":[["mine.op.default",[{"t":0},[{"t":0},null],[1,2.5],["a"],[{"s":"b"}],{"d":"float32"},
                   true,-3,1e400,NaN,[],[[1],[2]],{"o":"x"},[true,false],[null]],{"k":{"s":"w"}},[null,1],-1,0]],
          "tensors":[["float32",[4],null,0,0],["complex32",null,null,null,null]],
          "strata_recording":1})");
  const Node& node = model.graph().nodes[0];
  EXPECT_EQ(node.domain, "mine");
  EXPECT_EQ(node.op, "op");
  EXPECT_THAT(node.inputs, ElementsAre(0u, 0u, kNone, kNone));
  EXPECT_THAT(node.outputs, ElementsAre(kNone, 1u));
  EXPECT_EQ(std::get<std::string_view>(node.attribute("k")->value), "w");
  EXPECT_FALSE(model.graph().tensors[1].type->ranked);
}

TEST(Recording, WrongOnesAreRefusedWithASentence) {
  EXPECT_EQ(
      problem("{\"strata_recording\":3,\"tensors\":[],\"calls\":[]}"),
      "x.json: it is a recording of format 3, and this strata reads formats 1 to 2; record the "
      "model again with the Python package of this strata");
  EXPECT_THAT(problem("{\"strata_recording\":1}"), HasSubstr("has no \"tensors\""));
  EXPECT_THAT(problem("{\"tensors\":[],\"calls\":[]}"), HasSubstr("is not a recording"));
  EXPECT_THAT(problem(std::string(kSmall).substr(0, 700)), HasSubstr("ends too early"));
  EXPECT_THAT(problem(changed("[{\"t\":3}]", "[{\"t\":7}]")),
              HasSubstr("there is no tensor 7; it has 7"));
  EXPECT_THAT(problem(changed("[4],2,0]", "[3],2,0]")),
              HasSubstr("tensor 3 is made twice, the second time by call 1 (aten.relu_.default)"));
  EXPECT_THAT(problem(changed("[4],2,0]", "[2],2,0]")), HasSubstr("is made twice"));
  EXPECT_THAT(problem(changed("[{\"t\":3}]", "[{\"t\":5}]")),
              HasSubstr("tensor 5 is read before call 2 (aten.convolution.default) makes it"));
  EXPECT_THAT(problem(changed("[4],2,0]", "[4],9,0]")), HasSubstr("there is no module call 9"));
  EXPECT_THAT(problem(changed("[4],2,0]", "[4],2,4]")), HasSubstr("there is no such phase"));
  EXPECT_THAT(problem(changed("[2,3,8,8]", "[2,-3,8,8]")), HasSubstr("a size is negative"));
  EXPECT_THAT(problem(changed("\"Dropout\",0,0", "\"Dropout\",3,0")),
              HasSubstr("there is no module call 3"));
  EXPECT_THAT(problem(std::string(kSmall) + "x"), HasSubstr("something follows"));
}

TEST(Recording, LimitsHold) {
  ReadOptions options;
  options.max_nodes = 2;
  const auto model = read(kSmall, "x.json", options);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, Code::OverLimit);
}

TEST(Recording, KindsAndPatternsAreTheSameAsRowsThatAreWrittenOut) {
  EXPECT_EQ(described(read_small(kShort)), described(read_small(kSmall)));
  EXPECT_THAT(described(read_small(kShort)), HasSubstr("aten.convolution convolution_1"));
}

TEST(Recording, NodesOfOnePatternShareTheirAttributes) {
  std::string text(kShort);
  const std::string_view last = "[2,[4,1],[5],4,3]";
  const Model model = read_small(text.replace(text.find(last), last.size(), "[0,[4,1],[5],4,3]"));
  EXPECT_EQ(model.graph().nodes[0].attributes.data(), model.graph().nodes[3].attributes.data());
}

TEST(Recording, AListOfTensorsWithGapsIsAPattern) {
  const Model model = read_small(R"({"strata_recording":2,"kinds":[["float32",[4,4]],["int64",[2]]],
    "tensors":[[0,0],[1,1],[1,2]],"inputs":[[0,"x"],[1,"at"]],"outputs":[[2,"y"]],
    "patterns":[["aten.index.Tensor",[{"t":0},[null,{"t":1}]]]],"calls":[[0,[0,1],[2],-1]]})");
  ASSERT_EQ(model.graph().nodes.size(), 1u);
  EXPECT_THAT(model.graph().nodes[0].inputs, ElementsAre(0u, kNone, 1u));
}

TEST(Recording, WrongPatternsAndKindsAreErrors) {
  const auto with = [](std::string_view from, std::string_view to) {
    std::string text(kShort);
    return problem(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_THAT(with("[2,[4,1],[5],4,3]", "[3,[4,1],[5],4,3]"), HasSubstr("no pattern 3; it has 3"));
  EXPECT_THAT(
      with("[2,[4,1],[5],4,3]", "[2,[4],[5],4,3]"),
      HasSubstr("call 2 (aten.convolution.default) names 1 tensors, and its pattern has 2"));
  EXPECT_THAT(with("[{\"t\":0},{\"t\":1}],{\"stride\"", "[{\"t\":0},{\"t\":0}],{\"stride\""),
              HasSubstr("pattern 2 (aten.convolution.default) does not number its tensors from 0"));
  EXPECT_THAT(with("[3,4],[4,5]", "[3,4],[9,5]"), HasSubstr("no kind 9; it has 5"));
  EXPECT_THAT(with("[2,[4,1],[5],4,3]", "[2,[4,99],[5],4,3]"), HasSubstr("no tensor 99"));
}

// A long argument that many short calls repeat.
TEST(Recording, RepeatingLongPatternsIsLimited) {
  std::string sizes = "1";
  for (int i = 0; i < 50'000; ++i) sizes += ",1";
  std::string calls = "[0,[0],[1],-1]";
  for (int i = 0; i < 4'000; ++i) calls += ",[0,[0],[],-1]";
  EXPECT_THAT(problem(fmt::format(R"({{"strata_recording":2,"kinds":[["float32",[1]]],
    "tensors":[[0,0],[0,1]],"inputs":[[0,"x"]],"outputs":[[1,"y"]],
    "patterns":[["aten.view.default",[{{"t":0}},[{}]]]],"calls":[{}]}})",
                                  sizes, calls)),
              HasSubstr("calls repeat arguments"));
}

}  // namespace
}  // namespace strata::recording

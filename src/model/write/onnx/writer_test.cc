#include "strata/write/onnx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/text.h"
#include "read/onnx/test_proto.h"
#include "strata/read/read.h"
#include "write/onnx/test_difference.h"

namespace strata::onnx {
namespace {

using namespace test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Writes models and reads them back. The bytes live as long as the test.
class WriterTest : public testing::Test {
 protected:
  Model& again(const Model& model, const WriteOptions& options = {}) {
    auto bytes = onnx_bytes(model, options);
    EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
    kept_.push_back(bytes ? std::move(*bytes) : std::string());
    auto read = read_onnx(kept_.back(), "again.onnx");
    EXPECT_TRUE(read) << (read ? "" : read.error().message);
    models_.push_back(read ? std::move(*read) : Model());
    return models_.back();
  }
  Model& read(std::string bytes) {
    kept_.push_back(std::move(bytes));
    auto model = read_onnx(kept_.back(), "m.onnx");
    EXPECT_TRUE(model) << (model ? "" : model.error().message);
    models_.push_back(model ? std::move(*model) : Model());
    return models_.back();
  }
  void expect_same(const std::string& bytes) {
    const Model& model = read(bytes);
    EXPECT_EQ(difference(model, again(model)), "");
  }
  static std::string complaint(const Model& model, const WriteOptions& options = {}) {
    const auto bytes = onnx_bytes(model, options);
    return bytes ? "" : bytes.error().message;
  }
  static const Tensor& find(const Model& model, std::string_view name) {
    for (const Tensor& each : model.graph().tensors)
      if (each.name == name) return each;
    ADD_FAILURE() << name;
    return model.graph().tensors.front();
  }

 private:
  std::deque<std::string> kept_;
  std::deque<Model> models_;
};

TEST_F(WriterTest, EveryKindOfAttribute) {
  const std::string body = graph({.nodes = {node("Relu", {"x"}, {"r"})}, .outputs = {value("r")}});
  expect_same(chain({node(
      "Op", {"x", "", "x"}, {"", "y"},
      {.name = "all",
       .attributes = {
           int_attribute("int", -3), ints_attribute("ints", {1, -1, 1L << 40}),
           ints_attribute("none", {}), attribute("float", 1, [](auto& w) { w.add_float(2, 0.1F); }),
           attribute("floats", 6, [](auto& w) { w.add_float(7, 1), w.add_float(7, -0.0F); }),
           attribute("text", 3, [](auto& w) { w.add_string(4, "a\0b"); }),
           attribute("texts", 8, [](auto& w) { w.add_string(9, ""), w.add_string(9, "b"); }),
           tensor_attribute("tensor", raw_tensor("", 7, {1}, "12345678")),
           graph_attribute("body", body),
           attribute("bodies", 10, [&](auto& w) { w.add_message(11, body); }),
           attribute("type", 13,
                     [](auto& w) {
                       w.add_message(14, tensor_type(1, {"2", "n"}));
                     }),
           attribute("tensors", 9, [](auto& w) { w.add_message(10, raw_tensor("", 2, {1}, "a")); }),
           attribute("types", 14, [](auto& w) { w.add_message(15, tensor_type(1, {})); })}})}));
}

TEST_F(WriterTest, StoredTensorsOfEveryKind) {
  std::string many;
  for (int i = 0; i < 5000; ++i) many += static_cast<char>(i % 128);
  std::string sparse;
  {
    protozero::pbf_writer w(sparse);
    w.add_message(1, raw_tensor("s", 1, {2}, "12345678"));
    w.add_message(2, raw_tensor("", 7, {2}, std::string(16, '\1')));
    w.add_int64(3, 100);
  }
  expect_same(model(GraphParts{
      .nodes = {node("Relu", {"x"}, {"y"})},
      .inputs = {value("x")},
      .outputs = {value("y")},
      .initializers = {tensor("absent", 1, {1000, 1000}), raw_tensor("raw", 3, {3}, "abc"),
                       raw_tensor("empty", 1, {0, 3}, ""), raw_tensor("four bits", 22, {5}, "abc"),
                       raw_tensor("two bits", 25, {5}, "ab"), raw_tensor("f8", 17, {1}, "a"),
                       tensor("typed", 3, {5000}, [&](auto& w) { w.add_bytes(5, many); }),
                       tensor("texts", 8, {2},
                              [](auto& w) { w.add_string(6, "a"), w.add_string(6, ""); }),
                       raw_tensor("complex", 14, {1}, "12345678"),
                       raw_tensor("scalar", 9, {}, "\1")},
      .sparse_initializers = {sparse}}));
}

TEST_F(WriterTest, TypesOfValues) {
  std::string map;
  {
    std::string inner;
    protozero::pbf_writer m(inner);
    m.add_int32(1, 7);
    m.add_message(2, tensor_type(1, {}));
    protozero::pbf_writer(map).add_message(5, inner);
  }
  const std::string sequence = type_of(4, tensor_type(1, {"N", ""}));
  expect_same(model(GraphParts{
      .nodes = {node("A", {"in", "open"}, {"a", "b", "c", "d"}), node("B", {"a"}, {"e"})},
      .inputs = {value("in", 1, {"N", "2*N", "(N + 1)//2"}), value("open", 10, {"", "3"}),
                 value("none")},
      .outputs = {value("b", map), value("c", type_of(4, map)), value("d", type_of(9, sequence)),
                  value("e", type_of(9, tensor_type(7, {})))},
      .declared = {value("a", sequence)}}));
}

TEST_F(WriterTest, TheModelsOwnFields) {
  std::string bytes = model(
      graph(
          {.nodes = {node("Relu", {"x"}, {"y"})}, .inputs = {value("x")}, .outputs = {value("y")}}),
      {.opsets = {opset("", 17), opset("com.microsoft", 1)},
       .metadata = {{"author", "me"}, {"", "empty"}},
       .ir_version = 7});
  protozero::pbf_writer w(bytes);
  w.add_string(3, "1.2");
  w.add_string(4, "org.example");
  w.add_int64(5, 42);
  w.add_string(6, "What it is for.");
  expect_same(bytes);
  EXPECT_EQ(read(bytes).model_version, 42);
  EXPECT_EQ(read(bytes).doc, "What it is for.");
}

TEST_F(WriterTest, OldFilesListWeightsAsInputs) {
  const GraphParts parts{.nodes = {node("Add", {"x", "w"}, {"y"})},
                         .inputs = {value("x"), value("w", 1, {"2"})},
                         .outputs = {value("y")},
                         .initializers = {raw_tensor("w", 1, {2}, "12345678")}};
  const Model& old = read(model(graph(parts), {.ir_version = 3}));
  EXPECT_TRUE(find(old, "w").replaceable);
  EXPECT_EQ(difference(old, again(old)), "");
  // A weight that an edit adds is listed, too, because version 3 requires it.
  Model& edited = read(model(graph(parts), {.ir_version = 3}));
  for (Tensor& each : edited.graph().tensors) each.replaceable = false;
  EXPECT_TRUE(find(again(edited), "w").replaceable);
  edited.ir_version = 8;
  EXPECT_FALSE(find(again(edited), "w").replaceable);
}

TEST_F(WriterTest, DomainsThatOnlyFunctionsImported) {
  const std::string call = function(
      "F", {.nodes = {node("Gelu", {"a"}, {"b"}, {.name = "g", .domain = "com.microsoft"})},
            .inputs = {"a"},
            .outputs = {"b"},
            .opsets = {opset("", 17), opset("com.microsoft", 1)}});
  const Model& inlined =
      read(model(graph({.nodes = {node("F", {"x"}, {"y"}, {.name = "f", .domain = "local"})},
                        .inputs = {value("x")},
                        .outputs = {value("y")}}),
                 {.opsets = {opset("", 17), opset("local", 1)}, .functions = {call}}));
  const Model& written = again(inlined);
  ASSERT_EQ(written.graph().nodes.size(), 1u);
  EXPECT_EQ(written.graph().nodes[0].op, "Gelu");
  EXPECT_EQ(written.graph().nodes[0].opset, 1);
  EXPECT_EQ(written.scopes[written.graph().nodes[0].scope].cls, "F");
  EXPECT_EQ(written.opsets.size(), 3u);
}

// One function is called twice, with a body that reads its argument: in the file, the argument has
// a different name in each call, and the body's own values must not shadow it.
TEST_F(WriterTest, BodiesOfInlinedFunctions) {
  const std::string body = graph({.nodes = {node("Relu", {"h"}, {"x"})}, .outputs = {value("x")}});
  const std::string call = function(
      "F",
      {.nodes = {node("Abs", {"a"}, {"h"}),
                 node("If", {"c"}, {"b"}, {.attributes = {graph_attribute("then_branch", body)}})},
       .inputs = {"a", "c"},
       .outputs = {"b"},
       .opsets = {opset("", 17)}});
  const Model& inlined =
      read(model(graph({.nodes = {node("F", {"x", "c"}, {"t"}, {.name = "f1", .domain = "local"}),
                                  node("F", {"t", "c"}, {"y"}, {.name = "f2", .domain = "local"})},
                        .inputs = {value("x"), value("c")},
                        .outputs = {value("y")}}),
                 {.opsets = {opset("", 17), opset("local", 1)}, .functions = {call}}));
  const Model& written = again(inlined);
  ASSERT_EQ(written.graphs.size(), 3u);
  for (const std::size_t i : {1, 2}) {
    const Graph& inner = written.graphs[i];
    ASSERT_EQ(inner.nodes.size(), 1u);
    const Tensor& h = inner.tensors[inner.nodes[0].inputs[0]];
    ASSERT_EQ(h.role, Role::Captured);
    EXPECT_EQ(h.name, i == 1 ? "f1/h" : "f2/h");
    const Tensor& own = inner.tensors[inner.outputs[0]];
    EXPECT_EQ(own.role, Role::Activation);
    EXPECT_NE(own.name, "x") << "hides the network's input";
  }
}

TEST_F(WriterTest, NodesSayWhereTheyStand) {
  const auto at = [](const std::string& name, const std::string& scopes,
                     const std::string& classes) {
    return NodeParts{.name = name,
                     .metadata = {{"pkg.torch.onnx.name_scopes", scopes},
                                  {"pkg.torch.onnx.class_hierarchy", classes}}};
  };
  const std::string bytes =
      chain({node("Conv", {"x"}, {"a"},
                  at("/misleading/Conv", "['', 'head', 'head.conv', 'c']",
                     "['Net', 'Head', 'Conv2d', 'o']")),
             node("Relu", {"a"}, {"b"}, at("r", "['', 'head', 'r']", "['Net', 'Head', 'o']")),
             node("Conv", {"b"}, {"d"},
                  at("c", "['', 'head@1', 'head.conv', 'c']", "['Net', 'Head', 'Conv2d', 'o']")),
             node("Conv", {"d"}, {"e"},
                  at("c", "['', 'head@1', 'head.conv@1', 'c']", "['Net', 'Head', 'Conv2d', 'o']")),
             node("Add", {"e"}, {"y"}, at("/other/Add", "['', 'add']", "['Net', 'o']"))});
  const Model& first = read(bytes);
  EXPECT_EQ(first.scopes[0].cls, "Net");
  EXPECT_EQ(first.scopes[first.graph().nodes[3].scope].call, 2u);
  EXPECT_EQ(difference(first, again(first)), "");
}

TEST_F(WriterTest, NamesThatTellTheScopesAreEnough) {
  const auto bytes = onnx_bytes(read(chain({node("Conv", {"x"}, {"a"}, {.name = "/f/f.0/Conv"}),
                                            node("Conv", {"a"}, {"b"}, {.name = "/f/f.0_1/Conv"}),
                                            node("Conv", {"b"}, {"y"}, {.name = "model/conv"})})));
  ASSERT_TRUE(bytes);
  EXPECT_THAT(*bytes, Not(HasSubstr("pkg.torch")));
  // After a cut before the second call, its name alone would make it another module.
  Model& cut = read(chain({node("Conv", {"x"}, {"a"}, {.name = "/f/f.0/Conv"}),
                           node("Conv", {"a"}, {"y"}, {.name = "/f/f.0_1/Conv"})}));
  Graph& net = cut.graph();
  net.inputs = {net.nodes[1].inputs[0]};
  net.tensors[net.inputs[0]].role = Role::Input;
  net.nodes = NodeList({net.nodes[1]});
  const Model& written = again(cut);
  EXPECT_EQ(written.scopes[written.graph().nodes[0].scope].path, "f.0");
}

TEST_F(WriterTest, WhatABuilderLeavesOpen) {
  auto model = model_from_text(
      "input x f32[N,4]\n"
      "weight axes i64[2]={0,-1}\n"
      "weight half f16[1]={0.5}\n"
      "weight w f32[4,4]\n"
      "a = MatMul(x, w)\n"
      "b = Mul(a, half)\n"
      "y = com.microsoft.Op(b, axes)\n"
      "output y\n");
  ASSERT_TRUE(model);
  model->graph().tensors[model->graph().nodes[0].outputs[0]].name = {};
  const Model& written = again(*model);
  EXPECT_EQ(written.ir_version, 8);
  EXPECT_EQ(written.graph().name, "graph");
  EXPECT_EQ(written.graph().nodes.size(), 3u);
  EXPECT_EQ(find(written, "w").data->store, TensorData::Store::Absent);
  const auto axes = decode(*find(written, "axes").data);
  ASSERT_TRUE(axes);
  EXPECT_EQ(axes->items[1].whole(), Expr(-1));
  EXPECT_EQ(find(written, "half").data->bytes, std::string_view("\x00\x38", 2));
  ASSERT_EQ(written.opsets.size(), 2u);
  EXPECT_EQ(written.opsets[1].domain, "com.microsoft");
}

TEST_F(WriterTest, ModelsThatCannotBe) {
  const auto text = [](std::string_view lines) {
    auto model = model_from_text(lines);
    EXPECT_TRUE(model);
    return std::move(*model);
  };
  EXPECT_EQ(complaint(text("input x f32[1]\ny = Relu(z)\noutput y\n")),
            "Relu (no name, output \"y\") reads \"z\", which no node before it, input or stored "
            "tensor provides");
  EXPECT_EQ(complaint(text("input x f32[1]\ny = Relu(t) name=\"r\"\nt = Abs(x)\noutput y\n")),
            "Relu \"r\" reads \"t\", which no node before it, input or stored tensor provides");
  EXPECT_EQ(complaint(text("input x f32[1]\ny = Relu(x)\noutput q\n")),
            "the output \"q\" of the graph \"\" is made by no node");
  Model twice = text("input x f32[1]\na = Relu(x)\ny = Abs(a)\noutput y\n");
  twice.graph().tensors[twice.graph().nodes[0].outputs[0]].name = "y";
  EXPECT_EQ(complaint(twice), "two values of the graph \"\" have the name \"y\"");
  Model bytes = text("weight w f32[3]\ny = Relu(w)\noutput y\n");
  bytes.stored[0].store = TensorData::Store::Raw;
  bytes.stored[0].bytes = "12345678";
  EXPECT_EQ(complaint(bytes), "the stored tensor \"w\" needs 12 bytes, but has 8");
  Model huge = text("weight w f32[4000000000,4000000000,4000000000]\ny = Relu(w)\noutput y\n");
  EXPECT_EQ(complaint(huge), "the stored tensor \"w\" has a shape that overflows");
}

// Each element is its own number, modulo what fits.
Status count_up(const TensorData& data, std::int64_t first, std::span<std::byte> chunk) {
  const auto width = static_cast<std::size_t>(bits(data.dtype));
  for (std::size_t i = 0; i < chunk.size(); ++i)
    chunk[i] = static_cast<std::byte>((static_cast<std::size_t>(first) * width / 8 + i) % 251);
  return {};
}

TEST_F(WriterTest, AbsentElementsAreAskedFor) {
  auto model = model_from_text(
      "weight big f32[1000,1000]\nweight odd i4[3]\nweight none f32[0]\nweight text string[2]\n"
      "y = Op(big, odd, none, text)\noutput y\n");
  ASSERT_TRUE(model);
  WriteOptions options;
  std::vector<std::pair<std::string, std::int64_t>> chunks;
  options.fill = [&](const TensorData& data, std::int64_t first, std::span<std::byte> chunk) {
    chunks.emplace_back(data.name, first);
    EXPECT_LE(chunk.size(), 1u << 20) << "memory stays small";
    return count_up(data, first, chunk);
  };
  const Model& written = again(*model, options);
  EXPECT_THAT(chunks,
              ElementsAre(std::pair("big", 0), std::pair("big", 1 << 18), std::pair("big", 2 << 18),
                          std::pair("big", 3 << 18), std::pair("odd", 0)));
  const std::string_view big = find(written, "big").data->bytes;
  ASSERT_EQ(big.size(), 4'000'000u);
  for (std::size_t i = 0; i < big.size(); i += 997)
    ASSERT_EQ(static_cast<unsigned char>(big[i]), i % 251) << i;
  EXPECT_EQ(find(written, "odd").data->bytes.size(), 2u);
  EXPECT_EQ(find(written, "none").data->store, TensorData::Store::Raw);
}

TEST_F(WriterTest, ALargeModelIsRefusedInMemory) {
  auto model = model_from_text("weight w f32[1000]\ny = Relu(w)\noutput y\n");
  WriteOptions options;
  options.fill = count_up;
  options.max_file = 2000;
  EXPECT_THAT(complaint(*model, options), HasSubstr("more than the 2000 it may have"));
}

}  // namespace
}  // namespace strata::onnx

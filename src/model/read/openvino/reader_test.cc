// Small networks, written out. Counts are worked out by hand from their shapes.
#include "read/openvino/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "strata/base/scratch_folder.h"
#include "strata/cost/cost.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"

namespace strata::openvino {
namespace {

using ::testing::HasSubstr;

std::string ports(std::string_view element, int first, const std::vector<std::string>& shapes,
                  std::string_view precision = "FP32") {
  std::string text = fmt::format("<{}>", element);
  for (const std::string& shape : shapes) {
    text += fmt::format("<port id=\"{}\" precision=\"{}\">", first++, precision);
    for (std::size_t at = 0; at < shape.size();) {
      const std::size_t end = std::min(shape.find(',', at), shape.size());
      text += fmt::format("<dim>{}</dim>", shape.substr(at, end - at));
      at = end + 1;
    }
    text += "</port>";
  }
  return text + fmt::format("</{}>", element);
}

// `inputs` and `output` are shapes; the output's port comes after those of the inputs.
std::string layer(int id, std::string_view name, std::string_view type, std::string_view data,
                  const std::vector<std::string>& inputs, const std::string& output,
                  std::string_view precision = "FP32") {
  std::string text = fmt::format(
      R"(<layer id="{}" name="{}" type="{}" version="opset1"><data {}/>)", id, name, type, data);
  if (!inputs.empty()) text += ports("input", 0, inputs);
  if (!output.empty() || type == "Parameter")
    text += ports("output", static_cast<int>(inputs.size()), {output}, precision);
  return text + "</layer>";
}

std::string stored(int id, std::string_view name, std::string_view type, const std::string& shape,
                   int offset, int size) {
  return layer(id, name, "Const",
               fmt::format(R"(element_type="{}" shape="{}" offset="{}" size="{}")", type, shape,
                           offset, size),
               {}, shape,
               type == "i8"    ? "I8"
               : type == "f16" ? "FP16"
                               : "FP32");
}

struct Link {
  int from, from_port, to, to_port;
};
std::string edges(const std::vector<Link>& links) {
  std::string text = "<edges>";
  for (const Link& link : links)
    text += fmt::format(R"(<edge from-layer="{}" from-port="{}" to-layer="{}" to-port="{}"/>)",
                        link.from, link.from_port, link.to, link.to_port);
  return text + "</edges>";
}
std::string net(std::string_view layers, std::string_view links, std::string_view version = "11") {
  return fmt::format(
      R"(<?xml version="1.0"?><net name="m" version="{}"><layers>{}</layers>{}</net>)", version,
      layers, links);
}

// A convolution with a bias, and a function.
std::string image_network(const std::string& batch = "1") {
  const std::string in = batch + ",3,8,8", out = batch + ",8,8,8";
  return net(
      layer(0, "x", "Parameter", fmt::format(R"(shape="{}" element_type="f32")", in), {}, in) +
          stored(1, "w", "f32", "8,3,3,3", 0, 864) +
          layer(2, "/stem/Conv/WithoutBiases", "Convolution",
                R"(strides="1, 1" dilations="1, 1" pads_begin="1, 1" pads_end="1, 1")",
                {in, "8,3,3,3"}, out) +
          stored(3, "b", "f32", "1,8,1,1", 864, 32) +
          layer(4, "/stem/Conv", "Add", "", {out, "1,8,1,1"}, out) +
          layer(5, "/act/Relu", "ReLU", "", {out}, out) + layer(6, "y", "Result", "", {out}, ""),
      edges({{0, 0, 2, 0}, {1, 0, 2, 1}, {2, 2, 4, 0}, {3, 0, 4, 1}, {4, 2, 5, 0}, {5, 1, 6, 0}}));
}

std::string complaint(const std::string& text) {
  const auto model = openvino::read(text, "m.xml", {});
  return model ? std::string() : model.error().message;
}

struct Counted {
  std::string text;
  Model model;
  Costs costs;
};
std::unique_ptr<Counted> counted(const std::string& text, const InferOptions& sizes = {}) {
  auto all = std::make_unique<Counted>();
  all->text = text;
  auto model = openvino::read(all->text, "m.xml", {});
  EXPECT_TRUE(model) << model.error().message;
  if (!model) return nullptr;
  all->model = std::move(*model);
  const auto inferred = infer(all->model, sizes);
  EXPECT_TRUE(inferred) << inferred.error().message;
  if (!inferred) return nullptr;
  all->costs = count(all->model);
  return all;
}

TEST(OpenvinoIr, AConvolutionAndItsBiasAreOneLayer) {
  const auto all = counted(image_network());
  ASSERT_TRUE(all);
  const Graph& graph = all->model.graph();
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].op, "Conv");
  EXPECT_EQ(graph.nodes[0].name, "/stem/Conv");
  EXPECT_EQ(graph.nodes[0].inputs.size(), 3U);
  EXPECT_EQ(all->costs.total.params.text(), "224");
  EXPECT_EQ(all->costs.total.macs.text(), std::to_string(8 * 64 * 27));
}

TEST(OpenvinoIr, OpenSizesAreSymbols) {
  const auto open = counted(image_network("-1"));
  ASSERT_TRUE(open);
  EXPECT_EQ(text(open->model.graph().tensors[open->model.graph().inputs[0]].type->dims),
            "batch×3×8×8");
  for (const auto* batch : {"-1", "1"}) {
    InferOptions options;
    options.batch = 4;
    const auto four = counted(image_network(batch), options);
    ASSERT_TRUE(four);
    EXPECT_EQ(four->costs.total.macs.text(), std::to_string(4 * 8 * 64 * 27));
  }
}

TEST(OpenvinoIr, WeightsOfGroupsAndPackedOnes) {
  const std::string in = "1,8,4,4";
  // 2 groups of 3 outputs from 4 inputs each; int8 with a zero point and a scale.
  const auto all = counted(
      net(layer(0, "x", "Parameter", R"(shape="1,8,4,4" element_type="f32")", {}, in) +
              stored(1, "w", "i8", "2,3,4,1,1", 0, 24) +
              layer(2, "w/convert", "Convert", R"(destination_type="f32")", {"2,3,4,1,1"},
                    "2,3,4,1,1") +
              stored(3, "zero", "f32", "2,3,1,1,1", 24, 24) +
              layer(4, "w/subtract", "Subtract", "", {"2,3,4,1,1", "2,3,1,1,1"}, "2,3,4,1,1") +
              stored(5, "scale", "f32", "2,3,1,1,1", 48, 24) +
              layer(6, "w/multiply", "Multiply", "", {"2,3,4,1,1", "2,3,1,1,1"}, "2,3,4,1,1") +
              layer(7, "conv", "GroupConvolution",
                    R"(strides="1, 1" dilations="1, 1" pads_begin="0, 0" pads_end="0, 0")",
                    {in, "2,3,4,1,1"}, "1,6,4,4") +
              layer(8, "y", "Result", "", {"1,6,4,4"}, ""),
          edges({{0, 0, 7, 0},
                 {1, 0, 2, 0},
                 {2, 1, 4, 0},
                 {3, 0, 4, 1},
                 {4, 2, 6, 0},
                 {5, 0, 6, 1},
                 {6, 2, 7, 1},
                 {7, 2, 8, 0}})));
  ASSERT_TRUE(all);
  ASSERT_EQ(all->model.graph().nodes.size(), 1U);
  EXPECT_EQ(all->costs.total.params.text(), "24");
  EXPECT_EQ(all->costs.total.macs.text(), std::to_string(6 * 16 * 4));
  const Graph& graph = all->model.graph();
  const Tensor& weights = graph.tensors[graph.nodes[0].inputs[1]];
  EXPECT_EQ(weights.type->dtype, DType::I8);
  EXPECT_EQ(text(weights.type->dims), "6×4×1×1");
}

// tests/models/openvino/make_models.py writes it: 3 rows of 6 attend to the 5 others, which takes
// two products of 3·5·6.
TEST(OpenvinoIr, TheRestOfASplitAndAttentionOnThreeAxes) {
  auto model = read_model(std::string(STRATA_SOURCE_DIR) + "/tests/models/openvino/parts.xml");
  ASSERT_TRUE(model) << model.error().message;
  InferOptions options;
  options.batch = 4;
  const auto inferred = infer(*model, options);
  ASSERT_TRUE(inferred) << inferred.error().message;
  EXPECT_EQ(count(*model).total.macs.text(), std::to_string(4 * 2 * 3 * 5 * 6));
  EXPECT_EQ(text(model->graph().tensors[model->graph().outputs[0]].type->dims), "4×3×6");
}

// A pool always has a port for the places of its maxima, 4x4 numbers of 8 bytes each. They are
// written if a layer reads them: 64 bytes of maxima alone, or 64 + 128.
TEST(OpenvinoIr, PlacesOfMaximaThatNothingReadsAreNotWritten) {
  const auto pool = [](const std::string& more, const std::vector<Link>& links) {
    std::vector<Link> all = {{0, 0, 1, 0}, {1, 1, 2, 0}};
    all.insert(all.end(), links.begin(), links.end());
    return net(
        layer(0, "x", "Parameter", R"(shape="1,1,8,8" element_type="f32")", {}, "1,1,8,8") +
            R"(<layer id="1" name="pool" type="MaxPool" version="opset14"><data strides="2, 2" )"
            R"(kernel="2, 2" pads_begin="0, 0" pads_end="0, 0" rounding_type="floor"/>)" +
            ports("input", 0, {"1,1,8,8"}) +
            R"(<output><port id="1" precision="FP32"><dim>1</dim><dim>1</dim><dim>4</dim>)"
            R"(<dim>4</dim></port><port id="2" precision="I64"><dim>1</dim><dim>1</dim>)"
            R"(<dim>4</dim><dim>4</dim></port></output></layer>)" +
            layer(2, "y", "Result", "", {"1,1,4,4"}, "") + more,
        edges(all));
  };
  const auto values = counted(pool("", {}));
  ASSERT_TRUE(values);
  EXPECT_EQ(values->costs.total.write_bytes.number(), 64);
  const auto places =
      counted(pool(layer(3, "where", "Result", "", {"1,1,4,4"}, ""), {{1, 2, 3, 0}}));
  ASSERT_TRUE(places);
  EXPECT_EQ(places->costs.total.write_bytes.number(), 64 + 128);
}

TEST(OpenvinoIr, BodiesOfABranch) {
  const std::string body =
      "<layers>" + layer(0, "inner", "Parameter", R"(shape="1,4" element_type="f32")", {}, "1,4") +
      stored(1, "w", "f32", "4,5", 0, 80) +
      layer(2, "product", "MatMul", "", {"1,4", "4,5"}, "1,5") +
      layer(3, "out", "Result", "", {"1,5"}, "") + "</layers>" +
      edges({{0, 0, 2, 0}, {1, 0, 2, 1}, {2, 2, 3, 0}});
  const std::string maps = R"(<input external_port_id="1" internal_layer_id="0"/>)"
                           R"(<output external_port_id="2" internal_layer_id="3"/>)";
  const std::string branch = fmt::format(
      R"(<layer id="2" name="choice" type="If" version="opset8"><then_port_map>{0}</then_port_map>)"
      R"(<else_port_map>{0}</else_port_map>{1}{2}<then_body>{3}</then_body><else_body>{3}</else_body></layer>)",
      maps, ports("input", 0, {"", "1,4"}), ports("output", 2, {"1,5"}), body);
  const auto all =
      counted(net(layer(0, "condition", "Parameter", R"(shape="" element_type="boolean")", {}, "") +
                      layer(1, "x", "Parameter", R"(shape="1,4" element_type="f32")", {}, "1,4") +
                      branch + layer(3, "y", "Result", "", {"1,5"}, ""),
                  edges({{1, 0, 2, 1}, {2, 2, 3, 0}})));
  ASSERT_TRUE(all);
  ASSERT_EQ(all->model.graphs.size(), 3U);
  EXPECT_EQ(all->costs.total.params.text(), "40") << "each branch has its own";
  EXPECT_THAT(all->costs.total.macs.text(), HasSubstr("20"));
}

TEST(OpenvinoIr, ABodyRunsForEveryPartOfItsInput) {
  const std::string body =
      "<layers>" +
      layer(0, "step", "Parameter", R"(shape="1,1,4" element_type="f32")", {}, "1,1,4") +
      stored(1, "w", "f32", "4,5", 0, 80) +
      layer(2, "product", "MatMul", "", {"1,1,4", "4,5"}, "1,1,5") +
      layer(3, "out", "Result", "", {"1,1,5"}, "") + "</layers>" +
      edges({{0, 0, 2, 0}, {1, 0, 2, 1}, {2, 2, 3, 0}});
  const auto all = counted(net(
      layer(0, "x", "Parameter", R"(shape="1,7,4" element_type="f32")", {}, "1,7,4") +
          R"(<layer id="1" name="loop" type="TensorIterator" version="opset1"><port_map>)"
          R"(<input external_port_id="0" internal_layer_id="0" axis="1" part_size="1" stride="1"/>)"
          R"(<output external_port_id="1" internal_layer_id="3" axis="1"/></port_map>)" +
          ports("input", 0, {"1,7,4"}) + ports("output", 1, {"1,7,5"}) + "<body>" + body +
          "</body></layer>" + layer(2, "y", "Result", "", {"1,7,5"}, ""),
      edges({{0, 0, 1, 0}, {1, 1, 2, 0}})));
  ASSERT_TRUE(all);
  EXPECT_EQ(all->costs.total.macs.text(), std::to_string(7 * 20));
}

TEST(OpenvinoIr, ElementsOfSmallConstants) {
  const auto folder = ScratchFolder::create();
  ASSERT_TRUE(folder);
  const std::string path = *folder / "m.xml";
  const std::string text =
      net(stored(0, "c", "f32", "2", 4, 8) + layer(1, "y", "Result", "", {"2"}, ""),
          edges({{0, 0, 1, 0}}));
  const auto write = [&](std::size_t bytes) {
    std::ofstream(*folder / "m.bin", std::ios::binary) << std::string(bytes, '\0');
  };
  write(12);
  const auto model = openvino::read(text, path, {});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->stored[0].store, TensorData::Store::Raw);
  EXPECT_EQ(model->stored[0].bytes.size(), 8U);
  EXPECT_EQ(model->stored[0].location, "m.bin");  // it is kept by the model
  write(11);
  const auto cut = openvino::read(text, path, {});
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().message, HasSubstr("lies outside of \"m.bin\", which has 11 bytes"));
}

TEST(OpenvinoIr, OneSentenceForADamagedFile) {
  const std::string fine = image_network();
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = fine;
    text.replace(text.find(from), from.size(), to);
    return complaint(text);
  };
  EXPECT_EQ(complaint(fine), "");
  EXPECT_THAT(changed("<?xml version=\"1.0\"?>",
                      "<!DOCTYPE net [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>"),
              HasSubstr("it declares a document type or entities"));
  EXPECT_THAT(changed("name=\"x\"", "name=\"&lol;\""), HasSubstr("\"lol\" is none of XML's own"));
  EXPECT_EQ(changed("name=\"x\"", "name=\"&lt;&#955;&#x3bb;\""), "");
  EXPECT_THAT(changed("version=\"11\"", "version=\"7\""), HasSubstr("version 7"));
  EXPECT_THAT(changed("size=\"864\"", "size=\"863\""),
              HasSubstr("863 bytes, which are not enough"));
  EXPECT_THAT(changed("offset=\"0\"", "offset=\"-8\""), HasSubstr("a place below 0"));
  EXPECT_THAT(changed("to-layer=\"2\"", "to-layer=\"99\""), HasSubstr("from layer 0 to layer 99"));
  EXPECT_THAT(changed("from-port=\"0\"", "from-port=\"5\""), HasSubstr("has no port 5"));
  EXPECT_THAT(changed("id=\"1\" name=\"w\"", "id=\"0\" name=\"w\""),
              HasSubstr("two layers have the number 0"));
  EXPECT_THAT(changed("<dim>3</dim>", "<dim>-2</dim>"), HasSubstr("the size \"-2\""));
  EXPECT_THAT(changed("from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"",
                      "from-layer=\"5\" from-port=\"1\" to-layer=\"2\" to-port=\"0\""),
              HasSubstr("wait for each other"));
  std::string deep = "<net name=\"m\" version=\"11\"><layers><layer id=\"0\" type=\"Const\">";
  for (int i = 0; i < 300; ++i) deep += "<a>";
  EXPECT_THAT(complaint(deep), HasSubstr("nested more than 200 deep"));
}

TEST(OpenvinoIr, CutAnywhere) {
  const std::string fine = image_network();
  for (std::size_t size = 0; size + 6 < fine.size(); ++size)
    EXPECT_THAT(complaint(fine.substr(0, size)), HasSubstr("m.xml: it ")) << size;
}

}  // namespace
}  // namespace strata::openvino

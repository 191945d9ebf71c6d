// Programs that cost more than their size; docs/limits.md has the limits.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "read/pt2/reader.h"
#include "read/pt2/test_program.h"

namespace strata::pt2 {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

// The number of entries is 1,000, and a limit may be below it or not.
constexpr int kEntries = 1000;

std::string joined(const std::string& entry) {
  std::string out = entry;
  for (int i = 1; i < kEntries; ++i) out += "," + entry;
  return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::string problem_of(const std::string& bytes, const ReadOptions& options) {
  const auto model = read(bytes, "m", options);
  if (model) return "";
  EXPECT_EQ(model.error().code, Code::OverLimit) << model.error().message;
  return model.error().message;
}

std::string with_config(const std::string& config) {
  return test::zipped({{"m/models/model.json", test::program()},
                       {"m/archive_format", "pt2"},
                       {"m/data/weights/model_weights_config.json", config}});
}

TEST(Pt2Limits, EntriesOfTablesAreCounted) {
  const std::string tables[] = {
      with_config(R"({"config": {)" + joined(R"("": {})") + "}}"),
      test::archive(replaced(test::program(), R"("range_constraints": {})",
                             R"("range_constraints": {)" + joined(R"("s": {})") + "}")),
      test::archive(test::program({.specs = "[" + joined(R"({"parameter": {}})") + "]"}))};
  for (const std::string& bytes : tables) {
    EXPECT_EQ(problem_of(bytes, {.max_tensors = 1000}), "");
    EXPECT_EQ(problem_of(bytes, {.max_tensors = 999}), "m: its tables have more than 999 entries");
    EXPECT_EQ(problem_of(bytes, {.limit = 2, .max_tensors = 500}), "");
  }
}

TEST(Pt2Limits, SoAreDomains) {
  const auto importing = [](const std::string& domains) {
    return test::archive(replaced(test::program(), R"({"aten": 10})", "{" + domains + "}"));
  };
  EXPECT_EQ(problem_of(importing(joined(R"("a": 1)")), {}), "");
  EXPECT_EQ(problem_of(importing(joined(R"("a": 1)") + R"(, "b": 1)"), {}),
            "m: it imports more than 1000 domains of operators");
}

TEST(Pt2Limits, SoAreElementsOfLists) {
  const std::string bytes = test::archive(test::program(
      {.arguments = R"([{"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},)"
                    R"({"name": "l", "arg": {"as_ints": [)" +
                    joined("1") + "]}}]"}));
  EXPECT_EQ(problem_of(bytes, {.max_list_items = 1000}), "");
  EXPECT_THAT(problem_of(bytes, {.max_list_items = 999}), HasSubstr("more than 999 list elements"));
}

// A node whose graph is inlined, with a name of this many bytes and this many nodes inside.
std::string with_body(std::size_t name_bytes, int nodes) {
  const std::string type = R"({"dtype": 7, "sizes": [{"as_int": 3}]})";
  std::string inner, types = R"("x": )" + type;
  for (int i = 0; i < nodes; ++i) {
    const std::string own = "r" + std::to_string(i);
    const std::string before = i == 0 ? "x" : "r" + std::to_string(i - 1);
    inner += (i == 0 ? "" : ",") +
             (R"({"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg":)"
              R"( {"as_tensor": {"name": ")" +
              before + R"("}}}], "outputs": [{"as_tensor": {"name": ")" + own +
              R"("}}], "metadata": {}, "name": ")" + own + "\"}");
    types += ", \"" + own + "\": " + type;
  }
  const std::string body = R"({"inputs": [{"as_tensor": {"name": "x"}}], "nodes": [)" + inner +
                           R"(], "tensor_values": {)" + types +
                           R"(}, "outputs": [{"as_tensor": {"name": "r)" +
                           std::to_string(nodes - 1) + "\"}}]}";
  std::string program = test::program(
      {.target = "torch.ops.higher_order.wrap_with_set_grad_enabled",
       .arguments = R"([{"name": "", "arg": {"as_graph": {"name": "g", "graph": )" + body +
                    R"(}}}, {"name": "x", "arg": {"as_tensor": {"name": "x"}}}])"});
  return test::archive(
      replaced(program, R"("metadata": {"stack_trace")",
               "\"name\": \"" + std::string(name_bytes, 'n') + R"(", "metadata": {"stack_trace")"));
}

// The caller's name stands before every name of the graph: 3,000 times 1 MB, twice.
TEST(Pt2Limits, TheNameBeforeInlinedNamesIsShortened) {
  const auto model = read(with_body(1'000'000, 3000), "m", {});
  ASSERT_TRUE(model) << model.error().message;
  const Graph& graph = model->graph();
  ASSERT_EQ(graph.nodes.size(), 3000u);
  EXPECT_THAT(std::string(graph.nodes[7].name), EndsWith("nnn/r7"));
  EXPECT_THAT(std::string(graph.nodes[7].name), SizeIs(3 + 200 + 3));  // …, its end, /r7
  const auto plain = read(with_body(5, 3), "m", {});
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->graph().nodes[2].name, "nnnnn/r2");
}

// 4 nodes and 4 tensors with names of 203 bytes have 1,624 together: more than 6 times 256, and
// less than 7 times.
TEST(Pt2Limits, InlinedNamesAreCounted) {
  const std::string bytes = with_body(200, 4);
  EXPECT_EQ(problem_of(bytes, {.max_nodes = 6}), "");
  EXPECT_THAT(problem_of(bytes, {.max_nodes = 5}), HasSubstr("need too much memory"));
}

TEST(Pt2Limits, ModulesAreCounted) {
  std::string stack;
  for (int i = 0; i < 20; ++i) stack += "k" + std::to_string(i) + ",m" + std::to_string(i) + ",C;";
  const std::string bytes = test::archive(replaced(test::program(), "k,,Net", stack));
  EXPECT_EQ(problem_of(bytes, {.max_nodes = 21}), "");
  EXPECT_EQ(problem_of(bytes, {.max_nodes = 20}), "m: the model has more than 20 modules");
}

}  // namespace
}  // namespace strata::pt2

// Small files that once took gigabytes, or the square of their size in time. Each command has to
// end within little memory, with an answer or with a sentence.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "program_folder.h"
#include "read/onnx/test_proto.h"
#include "read/weights/test_files.h"
#include "read/zip/test_zip.h"

namespace strata {
namespace {

using onnx::test::graph;
using onnx::test::node;
using onnx::test::Texts;
using onnx::test::value;
using testing::HasSubstr;

constexpr int kFloat = 1;

class HostileLimits : public ProgramFolder {
 protected:
  void SetUp() override {
#ifdef STRATA_SANITIZED
    GTEST_SKIP() << "sanitizers take more memory than the limit";
#endif
    ProgramFolder::SetUp();
  }

  // With 300 MB of memory for everything: a process without a model maps about 40 MB.
  Ran limited(const std::string& arguments) const {
    return shell("ulimit -v 307200; " STRATA_BINARY " " + arguments + " >out");
  }
  // An error may only be that of a limit that docs/limits.md has.
  void expect_survives(const std::string& arguments) const {
    const Ran ran = limited(arguments);
    EXPECT_TRUE(ran.code >= 0 && ran.code <= 3) << arguments << "\n" << ran.code << ran.text;
    EXPECT_THAT(ran.text, testing::Not(HasSubstr("memory"))) << arguments;
  }
  // `Each`: every report and every format, for documents of which each takes long to write; the
  // pages of all reports, since a page takes most memory.
  enum class Pairs { All, Each };
  void expect_survives_everything(const std::string& file, Pairs pairs = Pairs::All) const {
    for (const std::string_view report :
         {"calls", "node", "leaves", "tree", "root", "type", "none"})
      for (const std::string_view format : {"table", "csv", "json", "md", "html", "excel", "svg"})
        if (pairs == Pairs::All || report == "calls" || format == "html")
          expect_survives(fmt::format("stat {} --report {} --format {}", file, report, format));
    for (const char* format : {"table", "csv", "json", "md", "html"}) {
      expect_survives(fmt::format("payload {} --format {}", file, format));
      expect_survives(fmt::format("payload {} --cuts --format {}", file, format));
      expect_survives(fmt::format("diff {0} {0} --all --format {1}", file, format));
    }
    expect_survives(fmt::format("explain {} '*'", file));
    expect_survives(fmt::format("check {} --budget macs=1", file));
    ASSERT_NE(shell(STRATA_BINARY " stat " + file + " --format json >saved.json").code, -1);
    // Formulas of kilobytes in every row make a document of 60 MB, and reading it takes a multiple.
    constexpr std::size_t kLarge = std::size_t{20} << 20;
    if (read("saved.json").size() > kLarge) return;
    expect_survives("diff saved.json saved.json --format html");
    expect_survives("lint saved.json");
  }

  void write_onnx(const std::string& name, const Texts& nodes, const Texts& inputs,
                  const Texts& outputs = {}) const {
    std::string bytes;
    protozero::pbf_writer w(bytes);
    w.add_int64(onnx::proto::model::kIrVersion, 8);
    w.add_message(onnx::proto::model::kGraph,
                  graph({.nodes = nodes, .inputs = inputs, .outputs = outputs}));
    w.add_message(onnx::proto::model::kOpsetImport, onnx::test::opset("", 17));
    write(name, bytes);
  }
  static Texts chain(const std::string& input, int nodes) {
    Texts out;
    for (int i = 0; i < nodes; ++i)
      out.push_back(
          node("Relu", {i == 0 ? input : fmt::format("b{}", i - 1)}, {fmt::format("b{}", i)}));
    return out;
  }
};

// The symbol was copied into every row: 0.5 MB of file took 4.6 GB in payload and more in diff.
TEST_F(HostileLimits, ALongSymbolInEveryRow) {
  const std::string symbol(200'000, 's');
  write_onnx("m.onnx", chain("x", 6000), {value("x", kFloat, {symbol})},
             {value("b5999", kFloat, {symbol})});
  expect_survives_everything("m.onnx");
  // Two different ones stay different, and what is shown can be given.
  write_onnx("two.onnx", {node("MatMul", {"a", "b"}, {"c"})},
             {value("a", kFloat, {symbol + "1", "8"}), value("b", kFloat, {"8", symbol + "2"})},
             {value("c")});
  const Ran ran = strata("stat two.onnx --report node --columns macs --format csv");
  // printf 's%.0s' $(seq 200000) with 2 or 1 at its end, through sha256sum; in the order of names
  const std::string start(100, 's');
  EXPECT_EQ(ran.text, "macs\n8·" + start + "…0d3131ece2349add·" + start + "…1fb919c4be130c19\n");
}

TEST_F(HostileLimits, AProductOfLongSymbolsInEveryRow) {
  Texts sizes;
  for (int i = 100; i < 164; ++i) sizes.push_back(fmt::format("s{}{}", i, std::string(240, 'y')));
  write_onnx("m.onnx", chain("x", 6000), {value("x", kFloat, sizes)}, {value("b5999")});
  expect_survives_everything("m.onnx", Pairs::Each);
}

TEST_F(HostileLimits, ASumOfSymbolsInEveryRow) {
  Texts inputs, parts;
  for (int i = 0; i < 250; ++i) {
    parts.push_back(fmt::format("i{}", i));
    inputs.push_back(value(parts.back(), kFloat, {fmt::format("size_number_{}", i), "4"}));
  }
  Texts nodes = chain("c", 6000);
  nodes.insert(nodes.begin(), node("Concat", parts, {"c"},
                                   {.attributes = {onnx::test::int_attribute("axis", 0)}}));
  write_onnx("m.onnx", nodes, inputs, {value("b5999")});
  expect_survives_everything("m.onnx", Pairs::Each);
}

// It is alive at every place to cut.
TEST_F(HostileLimits, ALongNameAtEveryPlace) {
  const std::string name(200'000, 'n');
  Texts nodes = chain("x", 6000);
  nodes.push_back(node("Add", {name, "b5999"}, {"y"}));
  write_onnx("m.onnx", nodes, {value("x", kFloat, {"4"}), value(name, kFloat, {"4"})},
             {value("y")});
  expect_survives_everything("m.onnx");
}

// The caller's name stood before every name of the body: 40 kB, compressed, took 5.75 GB.
TEST_F(HostileLimits, ALongNameBeforeEveryInlinedName) {
  const std::string type = R"({"dtype":7,"sizes":[{"as_int":1}]})";
  std::string inner, types = R"("x":)" + type;
  for (int i = 0; i < 3000; ++i) {
    inner += fmt::format(
        R"({}{{"target":"torch.ops.aten.relu.default","inputs":[{{"name":"x","arg":{{"as_tensor":)"
        R"({{"name":"{}"}}}}}}],"outputs":[{{"as_tensor":{{"name":"r{}"}}}}],"metadata":{{}},)"
        R"("name":"r{}"}})",
        i == 0 ? "" : ",", i == 0 ? "x" : fmt::format("r{}", i - 1), i, i);
    types += fmt::format(R"(,"r{}":{})", i, type);
  }
  const std::string body = R"({"inputs":[{"as_tensor":{"name":"x"}}],"outputs":[{"as_tensor":)"
                           R"({"name":"r2999"}}],"nodes":[)" +
                           inner + R"(],"tensor_values":{)" + types + "}}";
  const std::string program =
      R"({"graph_module":{"graph":{"inputs":[{"as_tensor":{"name":"x"}}],"outputs":[{"as_tensor":)"
      R"({"name":"y"}}],"nodes":[{"target":"torch.ops.higher_order.wrap_with_set_grad_enabled",)"
      R"("inputs":[{"name":"","arg":{"as_graph":{"name":"g","graph":)" +
      body +
      R"(}}},{"name":"x","arg":{"as_tensor":{"name":"x"}}}],"outputs":[{"as_tensor":{"name":"y"}}],)"
      R"("metadata":{},"name":")" +
      std::string(1'000'000, 'n') + R"("}],"tensor_values":{"x":)" + type + R"(,"y":)" + type +
      R"(}},"signature":{"input_specs":[]}},"opset_version":{"aten":10},"range_constraints":{},)"
      R"("schema_version":{"major":8,"minor":2}})";
  write("m.pt2",
        unzip::test::zipped({{"m/archive_format", "pt2"}, {"m/models/model.json", program}}));
  expect_survives_everything("m.pt2");
  EXPECT_THAT(strata("stat m.pt2 --report node --all --columns layer --format csv").text,
              HasSubstr("nnn/r2999\n"));
}

// Every level of a tree of modules has the name of the level above before its own.
TEST_F(HostileLimits, LongNamesOfWeights) {
  std::vector<std::string> tensors;
  for (int i = 0; i < 40; ++i) {
    std::string name = std::to_string(i) + std::string(60'000, 'p');
    for (int level = 0; level < 70; ++level) name += ".a";
    tensors.push_back(weights::test::gguf_tensor(name, {0}, 0, 0));
  }
  write("m.gguf", weights::test::gguf({}, tensors, 64));
  for (const char* report : {"calls", "leaves", "tree", "root", "type", "none"})
    for (const char* format : {"table", "csv", "json", "md", "html"})
      expect_survives(fmt::format("stat m.gguf --report {} --format {}", report, format));
  for (const char* format : {"table", "json", "html"})
    expect_survives(fmt::format("diff m.gguf m.gguf --all --format {}", format));
}

// A million rows made a page of 368 MB.
TEST_F(HostileLimits, APageSumsUpManyRows) {
  Texts nodes;
  for (int i = 0; i < 30'000; ++i)
    nodes.push_back(node("Relu", {i == 0 ? "x" : fmt::format("b{}", i - 1)},
                         {fmt::format("b{}", i)},
                         {.name = fmt::format("/stage{}/m{}/Relu", i / 1000, i % 1000)}));
  write_onnx("modules.onnx", nodes, {value("x", kFloat, {"4"})}, {value("b29999")});
  write_onnx("plain.onnx", chain("x", 30'000), {value("x", kFloat, {"4"})}, {value("b29999")});
  const std::string ending =
      ", because a page or a chart shows at most 20,000; CSV and JSON have every row";
  const std::string by_module = "its 30,000 rows are summed up by module, 1 level deep" + ending;
  for (const char* format : {"html", "svg"}) {
    const Ran page = strata(fmt::format("stat modules.onnx --format {}", format));
    EXPECT_EQ(page.code, 0);
    EXPECT_LT(page.text.size(), 1'000'000u) << format;
    EXPECT_THAT(page.text, HasSubstr(by_module)) << format;
    if (format == std::string("html")) {
      EXPECT_THAT(page.text, HasSubstr("stage29"));
    }
  }
  const Ran plain = strata("stat plain.onnx --format html");
  EXPECT_THAT(plain.text, HasSubstr("its 30,000 rows are summed up by type" + ending));
  EXPECT_LT(plain.text.size(), 1'000'000u);
  const Ran payload = strata("payload plain.onnx --format html");
  EXPECT_THAT(payload.text, HasSubstr("only the first 20,000 of "));
  // 30,000 layers and the headings.
  const Ran rows = strata("stat modules.onnx --format csv --columns layer");
  EXPECT_EQ(std::count(rows.text.begin(), rows.text.end(), '\n'), 30'001);
}

// Operators that have one std::hash took the square of their number; src/core/base/text_map_test.cc
// says how they are made.
std::vector<std::string> operators(int count, bool forged) {
  constexpr std::uint64_t kMul = 0xc6a4a7935bd1e995u;
  std::uint64_t inverse = kMul;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kMul * inverse;
  const auto mixed = [](std::uint64_t word) { return word ^ (word >> 47); };
  std::vector<std::string> names;
  for (int n = 0; n < count; ++n) {
    std::string name = fmt::format("{:016}{:08}", n, n);
    std::uint64_t state = 0xc70f6907u ^ (name.size() * kMul), word = 0;
    for (std::size_t i = 0; i < 16; i += 8) {
      std::memcpy(&word, name.data() + i, sizeof word);
      state = (state ^ (mixed(word * kMul) * kMul)) * kMul;
    }
    word = mixed((0x1234567812345678u * inverse ^ state) * inverse) * inverse;
    if (forged) std::memcpy(name.data() + 16, &word, sizeof word);
    names.push_back(std::move(name));
  }
  return names;
}

TEST_F(HostileLimits, ForgedNamesTakeNoLongerThanOthers) {
  const auto instructions = [&](bool forged, const char* options) {
    Texts nodes;
    for (const std::string& op : operators(6000, forged))
      nodes.push_back(node(op, {"x"}, {"y" + std::to_string(nodes.size())},
                           {.name = "/" + op + "/n", .domain = "d"}));
    write_onnx("m.onnx", nodes, {value("x", kFloat, {"1"})});
    const auto count = instructions_of(
        fmt::format("{} stat {}/m.onnx {}", STRATA_BINARY, folder_.string(), options));
    EXPECT_TRUE(count) << "valgrind is not installed; deps/install.sh test brings it";
    return static_cast<double>(count.value_or(0));
  };
  // Names that are not UTF-8 take longer to write, so that the output is none of them.
  for (const char* options : {"--report none", "--report leaves --top 1"})
    EXPECT_LT(instructions(true, options), 1.5 * instructions(false, options)) << options;
}

// Every node looked through all of them.
TEST_F(HostileLimits, ManyDomains) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_int64(onnx::proto::model::kIrVersion, 8);
  for (int i = 0; i < 1001; ++i)
    w.add_message(onnx::proto::model::kOpsetImport, onnx::test::opset("", 17));
  w.add_message(onnx::proto::model::kGraph,
                graph({.nodes = chain("x", 1), .inputs = {value("x", kFloat, {"4"})}}));
  write("m.onnx", bytes);
  const Ran ran = strata("stat m.onnx");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.text, HasSubstr("more than 1000 domains of operators are imported"));
}

TEST_F(HostileLimits, AKeyOfManyPartsInABudget) {
  std::string key = "a";
  for (int i = 0; i < 100'000; ++i) key += ".a";
  write("deep.toml", "[" + key + "]\n");
  const Ran ran = strata("check zoo:squeezenet1_1 --budget deep.toml");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.text, HasSubstr("deep.toml:1: a key has more than 100 parts\n"));
}

TEST_F(HostileLimits, ABrokenConfigSaysWhatIsWrong) {
  shell("mkdir folder");
  write("folder/config.json", "{\n  \"model_type\": \"llama\",\n  \"hidden_size\": \n}\n");
  const Ran ran = strata("stat folder");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.text,
            "strata: folder/config.json:4: it is not JSON from column 1 on; download it again\n");
}

}  // namespace
}  // namespace strata

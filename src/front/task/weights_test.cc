#include "strata/task/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/cost/cost.h"
#include "strata/task/diff.h"
#include "strata/task/stat.h"
#include "strata/zoo/hugging_face.h"
#include "task/folder_weights.h"

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kWeights = STRATA_SOURCE_DIR "/tests/models/weights/";
const std::string kFolders = STRATA_SOURCE_DIR "/tests/models/hugging_face/";

struct RowText {
  std::string name;
  std::int64_t params;
  bool operator==(const RowText&) const = default;
};

// The names of rows and their parameters.
std::vector<RowText> rows_of(const std::string& file, const WeightsView& view) {
  const auto outcome = run_weights({kWeights + file, view});
  EXPECT_TRUE(outcome) << outcome.error().message;
  if (!outcome) return {};
  const Table& table = outcome->document.tables.front();
  std::size_t params = 0;
  while (table.columns[params].name != "params") ++params;
  std::vector<RowText> rows;
  for (const TableRow& row : table.rows)
    rows.push_back({std::string(2 * row.depth, ' ') + std::get<std::string>(row.cells[0].value),
                    std::get<Expr>(row.cells[params].value).value()});
  return rows;
}

// The sizes are those of q4_k_m.gguf.txt, which the gguf package wrote.
TEST(Weights, RowsAreTensorsModulesOrTypes) {
  const std::string file = "q4_k_m.gguf";
  EXPECT_THAT(
      rows_of(file, {}),
      ElementsAre(RowText{"token_embd.weight", 6 * 256}, RowText{"blk.0.attn_norm.weight", 256},
                  RowText{"blk.0.attn_q.weight", 512}, RowText{"blk.0.ffn_down.weight", 512},
                  RowText{"output.weight", 512}));
  EXPECT_THAT(
      rows_of(file, {ReportKind::Tree, 2}),
      ElementsAre(RowText{"(all)", 3328}, RowText{"  token_embd", 1536}, RowText{"  blk", 1280},
                  RowText{"    blk.0", 1280}, RowText{"  output", 512}));
  EXPECT_EQ(rows_of(file, {ReportKind::Tree}).size(), 8u);
  EXPECT_THAT(rows_of(file, {ReportKind::Type}),
              ElementsAre(RowText{"Q4_K", 2048}, RowText{"f32", 256}, RowText{"Q6_K", 512},
                          RowText{"f16", 512}));
  EXPECT_THAT(rows_of(file, {ReportKind::Leaves}).front(), (RowText{"token_embd", 1536}));
  EXPECT_THAT(rows_of(file, {ReportKind::Root}), ElementsAre(RowText{"(all)", 3328}));
  EXPECT_TRUE(rows_of(file, {ReportKind::None}).empty());
}

TEST(Weights, SaysThatThereAreNoCosts) {
  const auto outcome = run_weights({kWeights + "plain.safetensors"});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->document.kind, "weights");
  EXPECT_THAT(outcome->document.notes.front().text, HasSubstr("no costs are known"));
  EXPECT_FALSE(run_weights({kWeights + "torchscript.pt"}));
}

// head.weight is bf16 in one file and f32 in the other, which also has two more names for it.
TEST(Weights, TwoFilesAreCompared) {
  const auto outcome =
      run_diff({.files = {kWeights + "plain.safetensors", kWeights + "parameters.bin"}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  const compare::Diff& diff = outcome->comparison.diffs.front();
  EXPECT_EQ(diff.count(compare::RowChange::Same), 4u);
  EXPECT_EQ(diff.count(compare::RowChange::Changed), 1u);
  EXPECT_EQ(diff.count(compare::RowChange::Removed), 3u);  // statistics
  const auto refused = run_diff(
      {.files = {kWeights + "plain.safetensors", STRATA_SOURCE_DIR "/tests/models/resnet18.onnx"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("is a file of weights and"));
}

std::vector<std::string> notes_of(const std::string& folder) {
  const auto loaded = load_model({kFolders + folder});
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? loaded->model.notes : std::vector<std::string>();
}

// The files are those that save_pretrained wrote. Mixtral's and Qwen's hold each expert by itself.
TEST(FolderWeights, AreThoseOfTheNetwork) {
  for (const char* folder : {"llama", "mixtral", "qwen3", "qwen3_moe", "bert_words"})
    EXPECT_THAT(notes_of(std::string("tiny/") + folder),
                ElementsAre(HasSubstr("model.safetensors has the network's ")))
        << folder;
  EXPECT_TRUE(notes_of("tiny/mistral").empty());  // has none
}

TEST(FolderWeights, DifferencesAreNamed) {
  const auto network = zoo::build_folder(kFolders + "tiny/qwen3", 1, 4);
  auto weights = read_weights(kFolders + "tiny/qwen3/model.safetensors");
  ASSERT_TRUE(network && weights);
  for (StoredWeight& weight : weights->tensors) {
    if (weight.name == "model.norm.weight") weight.name = "model.norm.gain";
    if (weight.name == "model.layers.1.mlp.up_proj.weight")
      std::swap(weight.dims[0], weight.dims[1]);
  }
  EXPECT_THAT(compare_weights(*weights, network->model),
              ElementsAre("model.safetensors lacks tensors of the network: model.norm.weight",
                          "model.safetensors has tensors that the network lacks: model.norm.gain",
                          "model.safetensors has tensors of other sizes than the network: "
                          "model.layers.1.mlp.up_proj.weight"));
}

TEST(FolderWeights, AFolderIsAModelForEveryJob) {
  ModelRequest request{kFolders + "tiny/llama"};
  request.sizes.sizes = {{"sequence", 7}};
  request.sizes.batch = 2;
  StatRequest stat{.model = request};
  const auto outcome = run_stat(stat);
  ASSERT_TRUE(outcome) << outcome.error().message;
  // torch.utils.flop_counter's count: tests/models/hugging_face/facts.txt.
  EXPECT_EQ(count(outcome->loaded->model).total.macs, Expr(18032));
  EXPECT_TRUE(request.source.is_built());
  EXPECT_FALSE(Source(STRATA_SOURCE_DIR "/tests/models").is_built());
}

}  // namespace
}  // namespace strata

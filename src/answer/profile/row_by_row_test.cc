// Rows that are made when they are read are the rows that a profile would hold.
#include "profile/row_by_row.h"

#include <gtest/gtest.h>

#include "strata/document/render.h"
#include "strata/profile/analysis.h"
#include "strata/read/read.h"

namespace strata {
namespace {

struct Analysed {
  Model model;
  Inference inference;
  std::optional<Analysis> analysis;
};

std::unique_ptr<Analysed> analysed(Model model, const AnalysisOptions& options = {}) {
  auto out = std::make_unique<Analysed>(Analysed{std::move(model), {}, {}});
  auto inference = infer(out->model);
  EXPECT_TRUE(inference) << inference.error().message;
  out->inference = std::move(*inference);
  auto analysis = analyse(out->model, out->inference, options);
  EXPECT_TRUE(analysis) << analysis.error().message;
  out->analysis = std::move(*analysis);
  return out;
}

std::unique_ptr<Analysed> analysed_file(const std::string& name,
                                        const AnalysisOptions& options = {}) {
  auto model = read_model(STRATA_SOURCE_DIR "/tests/models/" + name);
  EXPECT_TRUE(model) << model.error().message;
  return analysed(std::move(*model), options);
}

// One input of an open size, and a node that reads it.
std::unique_ptr<Analysed> analysed_symbol(const std::string& symbol) {
  Model model;
  Graph& graph = model.graph();
  graph.tensors.resize(2);
  graph.tensors[0].name = "x";
  graph.tensors[0].role = Role::Input;
  graph.tensors[0].type = TypeInfo::tensor(DType::F32, Dims{Expr::symbol(symbol), 4});
  graph.tensors[1].name = "y";
  graph.tensors[1].producer = 0;
  graph.inputs = {0};
  graph.outputs = {1};
  Node node;
  node.op = "Relu";
  node.name = "act";
  node.opset = 17;
  node.inputs = model.keep(std::span<const TensorId>(graph.inputs));
  node.outputs = model.keep(std::span<const TensorId>(graph.outputs));
  graph.nodes.push_back(node);
  return analysed(std::move(model));
}

Profile table(const Analysed& of, ProfileView view, bool row_by_row) {
  view.row_by_row = row_by_row;
  auto profile = make_profile(*of.analysis, view);
  EXPECT_TRUE(profile) << profile.error().message;
  return std::move(*profile);
}

TEST(RowByRow, IsTheSameDocument) {
  for (const char* name : {"mobilenet_v2.onnx", "resnet50.onnx", "mobilenet_v2_dynamic.onnx"}) {
    const auto model = analysed_file(name);
    for (const ReportKind report : {ReportKind::Tape, ReportKind::Node})
      for (const bool all : {false, true}) {
        const ProfileView view{.rows = {.report = report, .all = all}, .all_columns = all};
        const Profile made = table(*model, view, true), held = table(*model, view, false);
        EXPECT_TRUE(made.source.make && made.rows.empty()) << name;
        EXPECT_EQ(made.source.count, held.rows.size());
        EXPECT_EQ(made.hidden_rows, held.hidden_rows);
        EXPECT_EQ(render_page(profile_document(table(*model, view, false))), [&] {
          Document document = profile_document(table(*model, view, true));
          hold_rows(document);  // with the cells of totals, which only pages show
          return render_page(document);
        }());
        EXPECT_EQ(render_json(profile_document(made)), render_json(profile_document(held)));
        EXPECT_EQ(render_table(profile_document(made)), render_table(profile_document(held)));
        EXPECT_EQ(render_csv(profile_document(made)), render_csv(profile_document(held)));
        EXPECT_EQ(render_markdown(profile_document(made)), render_markdown(profile_document(held)));
      }
  }
}

TEST(RowByRow, HoldsRowsThatDependOnOthers) {
  const auto model = analysed_file("mobilenet_v2.onnx");
  for (const ProfileView& view :
       {ProfileView{.rows = {.report = ReportKind::Tree}}, ProfileView{.rows = {.fuse = true}},
        ProfileView{.rows = {.report = ReportKind::Type}}, ProfileView{.sort = "macs"},
        ProfileView{.rows = {.only = RowChoice::Modules}}}) {
    const Profile profile = table(*model, view, true);
    EXPECT_FALSE(profile.source.make);
    EXPECT_FALSE(profile.rows.empty());
  }
}

// `4×4, 2` as the name of a size cannot be told from two shapes.
TEST(RowByRow, HoldsRowsWithSizesThatReadLikeShapes) {
  EXPECT_TRUE(table(*analysed_symbol("batch"), {}, true).source.make);
  for (const char* name : {"4×4, 2", "f(x", "?", "scalar"}) {
    const auto model = analysed_symbol(name);
    const Profile made = table(*model, {}, true);
    EXPECT_FALSE(made.source.make) << name;
    EXPECT_EQ(made.rows.size(), 1u) << name;
  }
}

// The name alone would be more than a document may have for a file of no bytes: 2^26 bytes.
TEST(RowByRow, LongNamesAreShortened) {
  const auto model = analysed_symbol("N");
  const std::string name((std::size_t{1} << 26) + 1, 'n');
  model->model.graph().nodes.change(0, [&](Node& node) { node.name = name; });
  const auto profile = make_profile(*model->analysis, ProfileView{.row_by_row = true});
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_LT(profile_to_json(*profile).size(), 100'000u);
}

}  // namespace
}  // namespace strata

#include "task/side.h"

#include <set>

#include "base/mapped_file.h"
#include "strata/profile/analysis.h"

namespace strata {

namespace {

// Nullptr for what is no document: a model, a network of the zoo, or nothing at all, of which
// load_model() says what is wrong.
std::shared_ptr<const MappedFile> open_document(const std::string& path) {
  if (path.starts_with("zoo:")) return nullptr;
  auto file = MappedFile::open(path);
  if (!file || !compare::looks_like_document((*file)->bytes())) return nullptr;
  return *file;
}

std::vector<std::string> operators_of(const Model& model) {
  std::set<std::string> names;
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) names.emplace(node.op);
  return {names.begin(), names.end()};
}

Result<LoadedSide> count_model(const SideRequest& request) {
  const auto loaded = load_model(request.model);
  if (!loaded) return failure(loaded);
  ProfileOptions options;
  options.convention = request.convention;
  options.rows.report = request.report;
  options.columns = compare::side_columns();
  options.limit = request.model.limit;
  const auto analysis = analyse_for(loaded->model, loaded->inference, options);
  if (!analysis) return failure(analysis);
  const auto profile = make_profile(*analysis, options);
  if (!profile) return failure(profile);
  compare::Side side = compare::side_of(*profile, request.model.path);
  side.kind = "model";
  side.operators = operators_of(loaded->model);
  return LoadedSide{std::move(side), loaded->model.file_bytes};
}

}  // namespace

Result<LoadedSide> load_side(const SideRequest& request) {
  const auto document = open_document(request.model.path);
  if (document == nullptr) return count_model(request);
  auto side = compare::read_side(document->bytes(), request.model.path);
  if (!side) return failure(side);
  return LoadedSide{std::move(*side), document->bytes().size()};
}

namespace {

bool has_sizes(const InferOptions& sizes) {
  return !sizes.input_shapes.empty() || !sizes.sizes.empty() || sizes.batch.has_value();
}

// The rows of the first saved profile.
ReportKind report_of(const std::vector<LoadedSide>& sides, ReportKind otherwise) {
  for (const LoadedSide& loaded : sides)
    if (loaded.side.kind == "profile")
      return report_kind_from_name(loaded.side.rows_are).value_or(otherwise);
  return otherwise;
}

}  // namespace

Result<std::vector<LoadedSide>> load_sides(const std::vector<std::string>& paths,
                                           const SideRequest& request) {
  std::vector<LoadedSide> out;
  std::vector<SideRequest> requests;
  std::optional<Error> refused;  // the sizes
  bool is_any_sized = false;
  for (const std::string& path : paths) {
    SideRequest own = request;
    own.model.path = path;
    auto loaded = load_side(own);
    if (!loaded && loaded.error().kind == ErrorKind::Usage && has_sizes(own.model.sizes)) {
      refused = loaded.error();
      own.model.sizes = {};
      loaded = load_side(own);
    } else if (loaded && loaded->side.kind == "model") {
      is_any_sized = true;
    }
    if (!loaded) return failure(loaded);
    out.push_back(std::move(*loaded));
    requests.push_back(std::move(own));
  }
  if (refused && !is_any_sized) return failure(*refused);
  const ReportKind report = report_of(out, request.report);
  if (report == request.report) return out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].side.kind != "model") continue;
    requests[i].report = report;
    auto again = load_side(requests[i]);
    if (!again) return failure(again);
    out[i] = std::move(*again);
  }
  return out;
}

}  // namespace strata

#include "task/side.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <set>
#include <thread>

#include "base/given_files.h"
#include "strata/compare/weights.h"
#include "strata/profile/analysis.h"
#include "task/language_model.h"

namespace strata {

namespace {

// Returns the name of a file in printed text.
std::string label_of(const std::string& path) { return std::string(shown_name(path)); }

std::vector<std::string> operators_of(const Model& model) {
  std::set<std::string> names;
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) names.emplace(node.op);
  return {names.begin(), names.end()};
}

Result<LoadedSide> count_model(const SideRequest& request, const Observer& observer) {
  StatRequest stat{.model = request.model};
  stat.profile.convention = request.convention;
  stat.profile.as_stored = request.as_stored;
  stat.profile.rows.report = request.report;
  stat.profile.columns = compare::side_columns();
  if (request.time != nullptr) {
    stat.profile.columns += ",time,time_low,time_high";
    stat.time = *request.time;
  }
  const auto outcome = run_stat(stat, observer);
  if (!outcome) return failure(outcome);
  LoadedSide out{.interrupted = outcome->interrupted};
  if (!outcome->loaded) return out;
  out.bytes = outcome->loaded->model.file_bytes;
  if (!outcome->shown) return out;
  out.side = compare::side_of(*outcome->shown, label_of(request.model.source.word()));
  out.side.kind = "model";
  out.side.operators = operators_of(outcome->loaded->model);
  return out;
}

}  // namespace

Result<LoadedSide> load_side(const SideRequest& request, const Observer& observer) {
  const Source& source = request.model.source;
  if (source.is_weights() && !(request.as_network && is_language_model(request.model))) {
    const auto weights = read_weights(source, {.limit = request.model.limit});
    if (weights)
      return LoadedSide{.side = compare::side_of(*weights, label_of(source.word())),
                        .bytes = weights->file_bytes};
    // The header of a GGUF file alone is no list of weights, but it is a network.
    if (!is_language_model(request.model)) return failure(weights);
  }
  // load_model() says what is wrong with a file that is neither.
  if (source.format() != nullptr || !compare::looks_like_document(source.bytes()))
    return count_model(request, observer);
  auto side = compare::read_side(source.bytes(), label_of(source.word()));
  if (!side) return failure(side);
  return LoadedSide{.side = std::move(*side), .bytes = source.bytes().size()};
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

struct Attempt {
  SideRequest request;  // as it was loaded
  Result<LoadedSide> loaded = LoadedSide();
  std::optional<Error> refused = {};  // the sizes
};

void load(Attempt& attempt) {
  InferOptions& sizes = attempt.request.model.sizes;
  attempt.loaded = load_side(attempt.request);
  if (attempt.loaded || attempt.loaded.error().kind != ErrorKind::Usage || !has_sizes(sizes))
    return;
  attempt.refused = attempt.loaded.error();
  sizes = {};
  attempt.loaded = load_side(attempt.request);
}

// On all processors, since reading takes longer than comparing.
void load_all(std::vector<Attempt>& attempts) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&, files = GivenFiles::here()] {
    const GivenFiles::InThread scope(files);
    for (std::size_t i = next++; i < attempts.size(); i = next++) load(attempts[i]);
  };
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::future<void>> others;
  while (others.size() + 1 < std::min(most, attempts.size()))
    others.push_back(std::async(std::launch::async, work));
  work();
  for (std::future<void>& other : others) other.get();
}

}  // namespace

Result<std::vector<LoadedSide>> load_sides(const std::vector<Source>& sources,
                                           const SideRequest& request) {
  std::vector<Attempt> attempts;
  for (const Source& source : sources) {
    attempts.push_back({request});
    attempts.back().request.model.source = source;
  }
  load_all(attempts);
  std::vector<LoadedSide> out;
  std::optional<Error> refused;
  bool is_any_sized = false;
  for (Attempt& attempt : attempts) {
    if (!attempt.loaded) return failure(attempt.loaded);
    if (attempt.refused)
      refused = attempt.refused;
    else if (attempt.loaded->side.kind == "model")
      is_any_sized = true;
    out.push_back(std::move(*attempt.loaded));
  }
  if (refused && !is_any_sized) return failure(*refused);
  const bool are_mixed = std::any_of(sources.begin(), sources.end(),
                                     [](const Source& one) { return one.is_weights(); }) &&
                         std::any_of(out.begin(), out.end(), [](const LoadedSide& one) {
                           return one.side.kind == "model";
                         });
  // Beside a network, a GGUF file is a network, too, and both consist of the same operators.
  for (std::size_t i = 0; i < out.size() && are_mixed; ++i) {
    attempts[i].request.as_network = true;
    attempts[i].request.model = with_cache(std::move(attempts[i].request.model));
    auto again = load_side(attempts[i].request);
    if (!again) return failure(again);
    out[i] = std::move(*again);
  }
  const ReportKind report = report_of(out, request.report);
  if (report == request.report) return out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].side.kind != "model") continue;
    attempts[i].request.report = report;
    auto again = load_side(attempts[i].request);
    if (!again) return failure(again);
    out[i] = std::move(*again);
  }
  return out;
}

}  // namespace strata

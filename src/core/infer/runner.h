// Runs the shape rules over a graph, node by node.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "infer/rebatch.h"
#include "ops/shape_context.h"
#include "strata/base/text_map.h"
#include "strata/infer/infer.h"

namespace strata {

class Runner final : public InferenceHost {
 public:
  // Both must outlive the runner.
  Runner(Model& model, const InferOptions& options);

  Model& model() override { return model_; }
  Expr fresh_symbol(const Node& node, std::string_view hint, const Expr& at_most) override;
  Status infer_body(Graph& body, std::span<const TypeInfo> inputs,
                    std::span<const Value* const> values) override;
  Status run(Graph& graph);
  // Runs a network with another batch size than the file states.
  Status run(Graph& graph, Rebatch& rebatch);
  // Infers the outputs of one node whose inputs are known.
  Status visit(Graph& graph, const Node& node);
  // Reserves a name, so that no data-dependent size is given it.
  void take_name(std::string name) { taken_.insert(std::move(name)); }
  const std::set<std::string, std::less<>>& names() const { return taken_; }
  Inference finish();

 private:
  Status visit_next(Graph& graph, const Node& node);
  Status check_outputs(const Graph& graph, const Node& node) const;

  Model& model_;
  const InferOptions& options_;
  bool trust_declared_ = true;
  bool states_dtypes_ = false;
  std::uint64_t visits_left_ = 0;
  std::uint32_t asked_ = 0;  // number of symbols that the current rule has asked for
  // Keyed by node (its list of outputs, because nodes may move), hint, and number of the request.
  std::map<std::tuple<const TensorId*, std::string, std::uint32_t>, Expr> fresh_;
  std::set<std::string, std::less<>> taken_;
  std::map<std::string, int> last_number_;       // keyed by hint
  std::vector<Inference::Symbol> data_symbols_;  // of sizes that depend on data
  std::vector<std::string> unsupported_;
  TextSet<std::string_view> unsupported_ops_;
};

}  // namespace strata

#include "read/onnx/folded_norm.h"

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/onnx/scope_text.h"

namespace strata::onnx {

namespace {

// torch's class of such a layer; empty if there is none.
std::string_view class_of(std::string_view op, std::size_t rank) {
  constexpr std::string_view kConv[] = {"Conv1d", "Conv2d", "Conv3d"};
  constexpr std::string_view kTransposed[] = {"ConvTranspose1d", "ConvTranspose2d",
                                              "ConvTranspose3d"};
  if (op == "Gemm") return "Linear";
  if (rank < 3 || rank > 5) return {};
  if (op == "Conv") return kConv[rank - 3];
  if (op == "ConvTranspose") return kTransposed[rank - 3];
  return {};
}

}  // namespace

ModuleName layer_before_norm(const NodeText& node, std::size_t rank) {
  if (node.rewrites.find("FuseBatchNorm") == std::string_view::npos || node.inputs.size() < 2)
    return {};
  const std::string_view weight = node.inputs[1];
  constexpr std::size_t kLongestName = 512;
  if (weight.size() > kLongestName) return {};
  const std::size_t dot = weight.rfind('.');
  const std::string_view cls = class_of(node.op, rank);
  if (dot == std::string_view::npos || dot == 0 || cls.empty()) return {};
  return {weight.substr(0, dot), cls};
}

void FoldedNorms::add(const NodeText& node, const ModuleName& layer) {
  if (count_++ > 0) return;
  const Words words = list_of_texts(node.name_scopes);
  if (words.size() >= 2) norm_ = words[words.size() - 2];
  layer_ = layer.path;
}

std::string FoldedNorms::note() const {
  if (count_ == 0) return {};
  const std::string which =
      norm_.empty() ? "" : fmt::format("{} into {}", in_quotes(norm_), in_quotes(layer_));
  if (count_ == 1)
    return fmt::format("the exporter folded a norm into the layer before it{}{}",
                       which.empty() ? "" : ": ", which);
  return fmt::format("the exporter folded {} norms into the layers before them{}{}", count_,
                     which.empty() ? "" : ", such as ", which);
}

}  // namespace strata::onnx

#include "report/payload_text.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/shortened.h"
#include "document/cell_text.h"
#include "strata/base/number_text.h"

namespace strata {

std::string boundary_name(const PayloadSource& source, const Boundary& boundary) {
  if (boundary.is_operation)
    return layer_path(source.model, source.costs, source.layers.list[boundary.layer]);
  if (boundary.scope == 0) return "(network)";
  return shortened(source.model.scopes[boundary.scope].path);
}

std::string layer_name(const PayloadSource& source, std::uint32_t layer) {
  if (layer == kNone) return "(inputs)";
  const Layer& facts = source.layers.list[layer];
  std::string name = layer_path(source.model, source.costs, facts);
  if (facts.call > 0) name += fmt::format("#{}", facts.call + 1);
  return name;
}

std::string bounded_shape(const TypeInfo& type) {
  if (!type.ranked) return "?";
  if (type.dims.empty()) return text(type.dims);
  std::string out;
  for (const Expr& size : type.dims) {
    if (!out.empty()) out += "×";
    const auto bound = size.is_number() ? std::nullopt : upper_bound(size);
    out += bound ? fmt::format("≤{}", *bound) : size.text();
  }
  return out;
}

std::string bounded_bytes(const Expr& bytes, bool exact) {
  const auto bound = bytes.is_number() ? std::nullopt : upper_bound(bytes);
  if (bound) return "≤" + expr_text(Expr(*bound), NumberStyle::Bytes, exact);
  return cell_text({bytes, bytes.is_unknown() ? Certainty::Unknown : Certainty::Exact}, Unit::Bytes,
                   exact);
}

std::string_view kind_name(const Boundary& boundary) {
  if (!boundary.is_operation) return "module";
  return boundary.moves_nothing ? "view" : "operation";
}

bool is_shown(const Boundary& boundary, const PayloadOptions& options) {
  if (boundary.depth > options.depth || (options.modules && boundary.is_operation)) return false;
  return options.all || !boundary.moves_nothing;
}

std::vector<std::uint32_t> shown_places(const Cuts& cuts, bool all) {
  std::vector<std::uint32_t> shown;
  for (std::uint32_t p = 0; p < cuts.places.size(); ++p)
    if (all || p == 0 || cuts.places[p].is_minimum || cuts.places[p].is_least_so_far)
      shown.push_back(p);
  return shown;
}

Expr bytes_of(std::span<const BoundaryTensor> tensors) {
  Expr sum;
  for (const BoundaryTensor& tensor : tensors) sum += tensor.bytes();
  return sum;
}

}  // namespace strata

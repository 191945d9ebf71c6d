// The view that a cost rule has of its node. Work is stated as products of named factors, so the
// same rule counts and explains: macs({{"outputs", n}, {"window", k}}).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ops/node_view.h"
#include "strata/base/certainty.h"

namespace strata {

// The attribute with which a recording says how many elements of sparse tensors are stored.
inline constexpr std::string_view kStored = "nnz";

struct Factor {
  std::string_view name;
  Expr value;
};

enum class Work : std::uint8_t {
  Mac,      // multiply-accumulate: two floating point operations
  Add,      // additions, subtractions, comparisons, min and max
  Mul,      // multiplications
  Special,  // divisions, roots, exponentials and other functions, one each
};

struct WorkTerm {
  Work work;
  std::string text;  // `outputs 802816 × window 147`
  Expr amount;
};

class CostContext : public NodeView {
 public:
  CostContext(const Graph& graph, const Node& node, std::vector<WorkTerm>* explanation = nullptr)
      : NodeView(graph, node), explanation_(explanation) {}

  void macs(std::initializer_list<Factor> factors) { add(Work::Mac, factors); }
  void adds(std::initializer_list<Factor> factors) { add(Work::Add, factors); }
  void muls(std::initializer_list<Factor> factors) { add(Work::Mul, factors); }
  void specials(std::initializer_list<Factor> factors) { add(Work::Special, factors); }
  void add(Work work, std::initializer_list<Factor> factors);

  // A context for an operator that this one consists of. It writes its explanations to the same
  // list, and its counts are then added.
  CostContext part(const Graph& graph, const Node& node) const {
    return CostContext(graph, node, explanation_);
  }
  void take(const CostContext& part);

  // Bytes moved, if it is not each distinct input and output once.
  void reads(Expr bytes) { read_bytes_ = std::move(bytes), has_read_ = true; }
  void writes(Expr bytes) { write_bytes_ = std::move(bytes), has_write_ = true; }
  // For a view of its input, which moves nothing (Reshape, Identity, …).
  void moves_nothing() { reads(0), writes(0); }

  // The number of stored elements of each input, -1 for all of them; empty if no input is sparse. A
  // rule that does not ask counts as if all were stored.
  std::span<const std::int64_t> stored() {
    asked_stored_ = true;
    return integers(kStored);
  }
  bool knows_stored() const { return asked_stored_; }

  void at_least(std::string_view why);  // the work stated is a lower bound
  void cannot_tell(std::string_view why);

  const Expr& amount(Work work) const { return amounts_[static_cast<std::size_t>(work)]; }
  Certainty certainty() const { return certainty_; }
  std::string_view reason() const { return reason_; }
  const Expr* read_override() const { return has_read_ ? &read_bytes_ : nullptr; }
  const Expr* write_override() const { return has_write_ ? &write_bytes_ : nullptr; }

 private:
  Expr amounts_[4];
  Expr read_bytes_, write_bytes_;
  bool has_read_ = false, has_write_ = false, asked_stored_ = false;
  Certainty certainty_ = Certainty::Exact;
  std::string_view reason_;
  std::vector<WorkTerm>* explanation_;
};

}  // namespace strata

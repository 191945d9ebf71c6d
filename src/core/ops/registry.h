// The list of operator families, and the lookup of one operator.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ops/rule.h"

namespace strata {

// The rule for an operator of this domain and version; nullptr if no version of it has one.
const OpRule* find_rule(std::string_view domain, std::string_view op, int opset);
// The traits of a node's operator; everything is unknown for one that has no row.
const Traits& traits_of(const Node& node);

struct Family {
  std::string_view name;
  std::span<const OpRule> rules;
  // The kind of layer of rows that do not state their own. If Unknown, every row must state it.
  LayerKind kind = LayerKind::Unknown;
};
// The families of ONNX's operators, in reading order.
std::span<const Family> families();
// Those of PyTorch's operators.
std::span<const Family> aten_families();
// All of them, one list per dialect.
struct Dialect {
  std::string_view name;
  std::span<const Family> families;
};
std::span<const Dialect> dialects();

// Rows by domain and name. The rows are copies with complete traits: they include the kind of their
// family and what they share with their namesakes.
class OpTable {
 public:
  explicit OpTable(std::span<const Family> families);
  OpTable(const OpTable&) = delete;  // other code points to the rows
  OpTable& operator=(const OpTable&) = delete;
  const OpRule* find(std::string_view domain, std::string_view op, int opset) const;

 private:
  // Both ends of an operator's name. They are all of it up to sixteen letters.
  struct Ends {
    std::uint64_t head = 0, tail = 0;
    friend bool operator==(const Ends&, const Ends&) = default;
  };
  static Ends ends_of(std::string_view op);
  static std::size_t first_slot(const Ends& ends, std::size_t size);
  // Rows of one operator, newest first.
  struct Rows {
    std::string_view domain, op;
    Ends ends;
    std::vector<const OpRule*> rules;
    bool is_of(std::string_view other_domain, std::string_view other_op,
               const Ends& ends_of_op) const;
  };
  const Rows* rows_of(std::string_view domain, std::string_view op) const;
  void add(const OpRule& rule);

  std::vector<OpRule> rules_;
  std::vector<std::uint16_t> slots_;  // index into rows_, from 1; 0: free
  std::vector<Rows> rows_;
};

// Until it goes, operators are looked up in this table: for tests of rows that the families do not
// have. Not while another thread looks up operators.
class TableInUse {
 public:
  explicit TableInUse(const OpTable& table);
  ~TableInUse();
  TableInUse(const TableInUse&) = delete;
  TableInUse& operator=(const TableInUse&) = delete;

 private:
  const OpTable* before_;
};

// One function per family file.
std::span<const OpRule> activation_rules();
std::span<const OpRule> aten_activation_rules();
std::span<const OpRule> aten_attention_rules();
std::span<const OpRule> aten_backward_rules();
std::span<const OpRule> aten_control_rules();
std::span<const OpRule> aten_conv_rules();
std::span<const OpRule> aten_create_rules();
std::span<const OpRule> aten_elementwise_rules();
std::span<const OpRule> aten_gather_rules();
std::span<const OpRule> aten_layout_rules();
std::span<const OpRule> aten_loss_rules();
std::span<const OpRule> aten_math_rules();
std::span<const OpRule> aten_matmul_rules();
std::span<const OpRule> aten_norm_rules();
std::span<const OpRule> aten_optimizer_rules();
std::span<const OpRule> aten_pool_rules();
std::span<const OpRule> aten_quantized_rules();
std::span<const OpRule> aten_recurrent_rules();
std::span<const OpRule> aten_reduce_rules();
std::span<const OpRule> aten_resize_rules();
std::span<const OpRule> aten_signal_rules();
std::span<const OpRule> aten_solve_rules();
std::span<const OpRule> aten_view_rules();
std::span<const OpRule> attention_rules();
std::span<const OpRule> concat_rules();
std::span<const OpRule> constant_rules();
std::span<const OpRule> control_rules();
std::span<const OpRule> conv_rules();
std::span<const OpRule> convert_rules();
std::span<const OpRule> detection_rules();
std::span<const OpRule> elementwise_rules();
std::span<const OpRule> gather_rules();
std::span<const OpRule> layout_rules();
std::span<const OpRule> legacy_rules();
std::span<const OpRule> loss_rules();
std::span<const OpRule> math_rules();
std::span<const OpRule> matmul_rules();
std::span<const OpRule> microsoft_attention_rules();
std::span<const OpRule> microsoft_conv_rules();
std::span<const OpRule> microsoft_decoder_rules();
std::span<const OpRule> microsoft_fused_rules();
std::span<const OpRule> microsoft_generation_rules();
std::span<const OpRule> microsoft_grouped_rules();
std::span<const OpRule> microsoft_layout_rules();
std::span<const OpRule> microsoft_matmul_rules();
std::span<const OpRule> microsoft_norm_rules();
std::span<const OpRule> microsoft_packed_rules();
std::span<const OpRule> microsoft_position_rules();
std::span<const OpRule> microsoft_qlinear_rules();
std::span<const OpRule> microsoft_quant_rules();
std::span<const OpRule> microsoft_tensor_rules();
std::span<const OpRule> ml_model_rules();
std::span<const OpRule> ml_rules();
std::span<const OpRule> norm_rules();
std::span<const OpRule> pad_rules();
std::span<const OpRule> pool_rules();
std::span<const OpRule> quant_rules();
std::span<const OpRule> random_rules();
std::span<const OpRule> recurrent_rules();
std::span<const OpRule> reduce_rules();
std::span<const OpRule> reshape_rules();
std::span<const OpRule> resize_rules();
std::span<const OpRule> sample_rules();
std::span<const OpRule> scatter_rules();
std::span<const OpRule> search_rules();
std::span<const OpRule> sequence_rules();
std::span<const OpRule> signal_rules();
std::span<const OpRule> slice_rules();
std::span<const OpRule> string_rules();
std::span<const OpRule> training_rules();

}  // namespace strata

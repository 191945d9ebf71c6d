// The lookup of PyTorch's operators. One row serves all overloads of an operator and its in-place
// form, unless one of them has a row of its own.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ops/registry.h"
#include "strata/base/text_map.h"

namespace strata {

// Operators that Hugging Face's package adds to torch.
inline constexpr std::string_view kTransformers = "transformers";
// Operators of torch's own int8 modules.
inline constexpr std::string_view kQuantizedOps = "quantized";
// True if the table has operators of this domain.
bool is_of_torch(std::string_view domain);

class AtenTable {
 public:
  // Rows are completed by the operators of ONNX's own that they are like.
  explicit AtenTable(std::span<const Family> families);
  AtenTable(const AtenTable&) = delete;  // other code points to the rows
  AtenTable& operator=(const AtenTable&) = delete;

  // The row for `add_.Tensor` is the first there is of `add_.Tensor`, `add_`, `add.Tensor`, `add`.
  const OpRule* find(std::string_view domain, std::string_view op) const;

 private:
  std::vector<OpRule> rules_;
  // Rows by name without overload and underscore.
  TextMap<std::string_view, std::vector<const OpRule*>> by_name_;
};

const AtenTable& aten_table();

// True if the node writes its result over its first input: `relu_`. Only PyTorch's operators say
// so.
bool works_in_place(const Node& node);

}  // namespace strata

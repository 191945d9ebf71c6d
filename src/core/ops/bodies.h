// Bodies of control flow, as the rules of their nodes see them.
#pragma once

#include <vector>

#include "ops/shape_context.h"

namespace strata {

// A value that enters or leaves a body: its type, and its elements if they are known (otherwise
// null).
struct Flow {
  std::vector<TypeInfo> types;
  std::vector<const Value*> values;

  void add(TypeInfo type, const Value* value = nullptr) {
    types.push_back(std::move(type));
    values.push_back(value);
  }
  std::size_t size() const { return types.size(); }
};

// Infers the body with these inputs and returns its outputs.
Result<Flow> run_body(ShapeContext& c, Graph& body, const Flow& inputs);
// Inputs [first, end) of the node.
Flow flow_of(ShapeContext& c, std::size_t first, std::size_t end);
// Sets output i of the node; unknown sizes become symbols.
void set_from(ShapeContext& c, std::size_t i, TypeInfo type, const Value* value,
              std::string_view hint);

// A body that runs repeatedly, with some of its outputs becoming inputs of the next run. Finds the
// types that hold in every run.
class Repeated {
 public:
  // `carried` outputs, from first_output on, become inputs of the next run, from first_input on.
  Repeated(ShapeContext& c, Graph& body, std::size_t first_input, std::size_t first_output,
           std::size_t carried)
      : c_(c),
        body_(body),
        first_input_(first_input),
        first_output_(first_output),
        carried_(carried) {}

  // Infers the body, starting with the inputs of its first run, until its types no longer change. A
  // size that changes from run to run becomes a symbol.
  Status settle(Flow first_run);
  // The outputs of any run.
  const Flow& outputs() const { return outputs_; }
  // Carried value i after this many runs.
  TypeInfo after(std::size_t i, const Expr& runs) const;
  // Its elements, if no run changes them.
  const Value* unchanged(std::size_t i) const { return inputs_.values[first_input_ + i]; }

 private:
  bool widen(std::size_t i, bool forget_rank);
  bool depends_on_run(const Expr& size) const;

  ShapeContext& c_;
  Graph& body_;
  std::size_t first_input_, first_output_, carried_;
  Flow start_, inputs_, outputs_;
  std::vector<std::string> changing_;  // symbols of sizes that change
};

Status loop_shape(ShapeContext& c);
Status scan_shape(ShapeContext& c);

}  // namespace strata

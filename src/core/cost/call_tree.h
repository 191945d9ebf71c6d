// When module calls begin and end, and how long the code around a reader holds a value.
#pragma once

#include <cstdint>
#include <vector>

#include "strata/cost/cost.h"

namespace strata {

// The moment right after a step. Of several such moments, the deeper comes first: what happens in a
// module's body is before that module's exit. Steps are indices into Costs::nodes.
struct Moment {
  std::uint32_t step = 0;
  std::uint32_t depth = 0;

  bool operator==(const Moment&) const = default;
  bool operator<(const Moment& other) const {
    return step != other.step ? step < other.step : depth > other.depth;
  }
};

class CallTree {
 public:
  // Constants do not run, and the bodies of loops and branches run inside their node.
  CallTree(const Model& model, const Costs& costs);

  bool runs(std::uint32_t step) const { return runs_[step]; }
  bool is_container(ScopeId scope) const { return container_[scope]; }
  bool has_run(ScopeId scope) const { return last_[scope] != kNone; }
  ScopeId parent(ScopeId scope) const { return parent_[scope]; }

  // The exit of a module's call, and the end of an operation in a module's body.
  Moment exit_of(ScopeId scope) const { return {last_[scope], depth_[scope]}; }
  Moment end_of(ScopeId body, std::uint32_t step) const { return {step, depth_[body] + 1}; }
  // The exit of the leaf module that an operation belongs to, or the end of the operation itself.
  Moment exit_around(ScopeId scope, std::uint32_t step) const {
    return is_container(scope) ? end_of(scope, step) : exit_of(scope);
  }
  // How the body of the innermost module around `maker` and `reader` sees a value that is made in
  // one and read in the other at `step`.
  struct Use {
    ScopeId body;
    ScopeId giver;  // the module in that body that returns it; kNone: an operation of the body
    // Held until the step of that body that takes it has ended: the reader itself, or the module
    // that contains the reader.
    Moment end;
  };
  Use use_of(ScopeId maker, ScopeId reader, std::uint32_t step) const;

 private:
  std::vector<ScopeId> parent_;
  std::vector<std::uint32_t> depth_;  // 0: the network
  std::vector<std::uint32_t> last_;   // step; kNone: nothing runs in it
  std::vector<bool> container_, runs_;
};

}  // namespace strata

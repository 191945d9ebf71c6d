// The calls of modules, each of which is a scope of the model.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "strata/graph/graph.h"

namespace strata::torch {

class Modules {
 public:
  // Starts the model's scopes with the network itself.
  explicit Modules(Model& model);

  // The innermost call in a text of calls, `L__self__,,Net;L__self__fc@1,fc,torch.nn.Linear`: each
  // has a key, which a later call of the same module numbers, the module's path, and its class. The
  // text stays where it is.
  ScopeId scope_of(std::string_view stack);
  // A call of the module with this path inside of another call. The path stays where it is.
  ScopeId add(ScopeId parent, std::string_view path, std::string_view cls);
  // The first call of the module with this path. One that nothing calls gets a scope, too.
  ScopeId scope_at(std::string_view path);

 private:
  ScopeId enter(ScopeId parent, std::string_view entry);

  Model& model_;
  NameTable stacks_;   // scopes by the whole text
  NameTable entries_;  // scopes by parent and one entry
  NameTable paths_;    // first scope by path
  std::vector<std::uint32_t> calls_ = {
      0};  // by scope: further calls of the same path, if it is the first
  std::vector<std::uint32_t> depths_ = {0};  // by scope: modules around it
};

}  // namespace strata::torch

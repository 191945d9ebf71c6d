#include "read/torch/modules.h"

#include <gtest/gtest.h>

namespace strata::torch {
namespace {

TEST(Modules, ACallIsAScope) {
  Model model;
  Modules modules(model);
  const ScopeId conv = modules.scope_of(
      "L__self__,,__main__.Net;L__self__b,b,__main__.Block;L__self__b.c,b.c,torch.nn.modules.conv."
      "Conv2d");
  EXPECT_EQ(model.scopes[0].cls, "Net");
  EXPECT_EQ(model.scopes[conv].path, "b.c");
  EXPECT_EQ(model.scopes[conv].name, "c");
  EXPECT_EQ(model.scopes[conv].cls, "Conv2d");
  EXPECT_EQ(model.scopes[model.scopes[conv].parent].path, "b");
  // One call, and another one of the same module.
  EXPECT_EQ(modules.scope_of("L__self__,,__main__.Net;L__self__b,b,__main__.Block;L__self__b.c,b.c,"
                             "torch.nn.modules.conv.Conv2d"),
            conv);
  const ScopeId again = modules.scope_of(
      "L__self__,,__main__.Net;L__self__b@1,b,__main__.Block;L__self__b.c@1,b.c,torch.nn.modules."
      "conv.Conv2d");
  EXPECT_NE(again, conv);
  EXPECT_EQ(model.scopes[again].path, "b.c");
  EXPECT_EQ(model.scopes[again].call, 1u);
  EXPECT_NE(model.scopes[again].parent, model.scopes[conv].parent);
}

TEST(Modules, WhatIsInNoModuleIsOfTheNetwork) {
  Model model;
  Modules modules(model);
  EXPECT_EQ(modules.scope_of(""), 0u);
  EXPECT_EQ(
      modules.scope_of("_empty_nn_module_stack_from_metadata_hook,_empty_nn_module_stack_from_"
                       "metadata_hook,_empty_nn_module_stack_from_metadata_hook"),
      0u);
  EXPECT_EQ(modules.scope_of("L__self__,,__main__.Net"), 0u);
  EXPECT_EQ(model.scopes.size(), 1u);
}

TEST(Modules, ListsOfModulesAreNoCalls) {
  Model model;
  Modules modules(model);
  const ScopeId layer = modules.scope_of("1,,Net;2,model,a.Model;3,model.layers.0,a.Layer");
  EXPECT_EQ(model.scopes[layer].name, "layers.0");
  EXPECT_EQ(model.scopes[model.scopes[layer].parent].path, "model");
}

TEST(Modules, NumbersOfCallsMayBeInThePath) {
  Model model;
  Modules modules(model);
  modules.scope_of("k,fc,Linear");
  const ScopeId again = modules.scope_of("k@1,fc@1,Linear");
  EXPECT_EQ(model.scopes[again].path, "fc");
  EXPECT_EQ(model.scopes[again].call, 1u);
}

// Whoever walks up from every scope to the network would take the square of the depth.
TEST(Modules, WhatIsNestedDeeperThan64LevelsIsInTheLast) {
  Model model;
  Modules modules(model);
  std::string stack;
  for (int i = 0; i < 1000; ++i)
    stack += "k" + std::to_string(i) + ",m" + std::to_string(i) + ",C;";
  ScopeId scope = modules.scope_of(stack);
  EXPECT_EQ(model.scopes[scope].path, "m63");
  EXPECT_EQ(model.scopes.size(), 65u);  // with the network itself
}

TEST(Modules, WhatNothingCallsGetsAScopeBelowItsOwner) {
  Model model;
  Modules modules(model);
  const ScopeId b = modules.scope_of("k,b,Block");
  EXPECT_EQ(modules.scope_at("b"), b);
  EXPECT_EQ(modules.scope_at(""), 0u);
  const ScopeId unused = modules.scope_at("b.aux.fc");
  EXPECT_EQ(model.scopes[unused].parent, b);
  EXPECT_EQ(model.scopes[unused].name, "aux.fc");
  EXPECT_EQ(modules.scope_at("b.aux.fc"), unused);
}

}  // namespace
}  // namespace strata::torch

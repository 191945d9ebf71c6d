// Control flow: nodes that run bodies. The cost of a body is added where costs are counted,
// multiplied by how often it runs (Graph::runs); the nodes themselves cost nothing.
#include <fmt/format.h>

#include "ops/bodies.h"
#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/types.h"

namespace strata {

namespace {

// True if two known values are equal element by element.
bool same_elements(const Value& a, const Value& b) {
  if (a.type != b.type || !(a.dims == b.dims) || a.texts != b.texts) return false;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = exact_number(a.items[i]), y = exact_number(b.items[i]);
    if (x && y ? *x != *y : x || y || !(a.items[i].whole() == b.items[i].whole())) return false;
  }
  return true;
}

Status take(ShapeContext& c, const Flow& given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    set_from(c, i, given.types[i], given.values[i], "branch");
  }
  return {};
}

Status if_shape(ShapeContext& c) {
  Graph* yes = c.body("then_branch");
  Graph* no = c.body("else_branch");
  if (yes == nullptr || no == nullptr) return c.error("it lacks a then_branch or an else_branch");
  const auto condition = c.scalar_of(0);
  if (condition && condition->is_number()) {
    Graph& taken = condition->is(0) ? *no : *yes;
    yes->runs = no->runs = 0;
    taken.runs = 1;
    const auto given = run_body(c, taken, {});
    if (!given) return failure(given);
    return take(c, *given);
  }
  const auto from_yes = run_body(c, *yes, {});
  const auto from_no = run_body(c, *no, {});
  if (!from_yes && !from_no) return failure(from_yes);
  yes->runs = from_yes ? 1 : 0;
  no->runs = from_no ? 1 : 0;
  // A branch that contradicts the shapes cannot be the one that is taken: exporters leave branches
  // for ranks that the model does not have.
  if (!from_yes || !from_no) return take(c, from_yes ? *from_yes : *from_no);
  if (from_yes->size() != from_no->size()) {
    return c.error(
        fmt::format("its branches give {} and {} values", from_yes->size(), from_no->size()));
  }
  Flow both;
  for (std::size_t i = 0; i < from_yes->size(); ++i) {
    const Value* a = from_yes->values[i];
    const Value* b = from_no->values[i];
    const bool same = a != nullptr && b != nullptr && same_elements(*a, *b);
    both.add(common_type(from_yes->types[i], from_no->types[i]), same ? a : nullptr);
  }
  return take(c, both);
}

// The inputs of a SequenceMap body for element `at` of its sequences, or for any element.
Flow mapped_inputs(ShapeContext& c, std::optional<std::size_t> at) {
  Flow inputs;
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    const TypeInfo& type = c.in(i);
    if (type.kind != ValueKind::Sequence) {
      inputs.add(type, elements_of(c, i));
    } else if (at && type.items && *at < type.items->size()) {
      inputs.add((*type.items)[*at]);
    } else {
      TypeInfo element = element_of(type);
      name_unknown_sizes(c, element, "element");
      inputs.add(std::move(element));
    }
  }
  return inputs;
}

Status sequence_map_shape(ShapeContext& c) {
  Graph* body = c.body("body");
  if (body == nullptr) return c.error("it has no body");
  if (body->inputs.size() != c.input_count()) {
    return c.error(fmt::format("its body has {} inputs where it has {}", body->inputs.size(),
                               c.input_count()));
  }
  const auto& items = c.in(0).items;
  const bool followed = items && items->size() <= kMaxItems && c.graph().parent == nullptr;
  std::vector<std::vector<TypeInfo>> given(body->outputs.size());
  for (std::size_t at = 0; followed && at < items->size(); ++at) {
    const auto outputs = run_body(c, *body, mapped_inputs(c, at));
    if (!outputs) return failure(outputs);
    for (std::size_t i = 0; i < outputs->size(); ++i) {
      given[i].push_back(element_of(outputs->types[i]));
    }
  }
  const auto any = run_body(c, *body, mapped_inputs(c, std::nullopt));
  if (!any) return failure(any);
  body->runs = items ? Expr(static_cast<std::int64_t>(items->size())) : c.fresh("items");
  for (std::size_t i = 0; i < given.size(); ++i) {
    TypeInfo type = followed ? sequence_of(std::move(given[i]))
                             : wrapped(element_of(any->types[i]), ValueKind::Sequence);
    if (type.dtype == DType::Undefined) type.dtype = any->types[i].dtype;
    c.set(i, std::move(type));
  }
  return {};
}

constexpr OpRule kControlRules[] = {
    {.name = "If",
     .since = 1,
     .shape = if_shape,
     .cost = no_arithmetic,
     .settings = slots(0),
     .takes_unranked = true,
     .traits = {.bodies = BodyRuns::OneOfThem}},
    {.name = "Loop",
     .since = 1,
     .shape = loop_shape,
     .cost = no_arithmetic,
     .settings = slots(0, 1),
     .takes_unranked = true,
     .traits = {.bodies = BodyRuns::AsInferred}},
    {.name = "Scan",
     .since = 8,
     .shape = scan_shape,
     .cost = no_arithmetic,
     .takes_unranked = true,
     .traits = {.bodies = BodyRuns::AsInferred}},
    {.name = "SequenceMap",
     .since = 17,
     .shape = sequence_map_shape,
     .cost = no_arithmetic,
     .takes_unranked = true,
     .traits = {.bodies = BodyRuns::AsInferred}},
};

}  // namespace

std::span<const OpRule> control_rules() { return kControlRules; }

}  // namespace strata

#include "read/torch/operands.h"

#include <algorithm>

#include "ops/aten_schema.h"
#include "ops/cost_context.h"

namespace strata::torch {

namespace {

using Kind = Argument::Kind;

// Tensors that the file states for an argument, and a number that stands in a tensor's place.
void add_stated(const Argument& argument, Operands& out) {
  switch (argument.kind) {
    case Kind::Tensors: {
      for (std::uint32_t i = 0; i < argument.count; ++i) out.inputs.push_back(argument.first + i);
      if (argument.is_list)
        out.attributes.push_back({argument.name, static_cast<std::int64_t>(argument.count)});
      break;
    }
    case Kind::Value:
      out.attributes.push_back({argument.name, argument.value});
      break;
    case Kind::Nothing:
    case Kind::Graph:
    case Kind::Unknown:
      break;
  }
}

}  // namespace

Operator operator_of(std::string_view target) {
  constexpr std::string_view kDefault = ".default";
  if (target.ends_with(kDefault)) target.remove_suffix(kDefault.size());
  const std::size_t dot = target.find('.');
  if (dot == std::string_view::npos) return {{}, target};
  return {target.substr(0, dot), target.substr(dot + 1)};
}

void arrange(const Operator& op, std::span<const Argument> arguments, Operands& out) {
  out.inputs.clear();
  out.attributes.clear();
  const AtenSchema* schema = op.domain == "aten" ? find_aten_schema(op.op) : nullptr;
  if (schema == nullptr) {
    for (const Argument& argument : arguments) add_stated(argument, out);
    return;
  }
  for (const AtenArgument& expected : schema->arguments()) {
    const auto stated =
        std::find_if(arguments.begin(), arguments.end(),
                     [&](const Argument& argument) { return argument.name == expected.name(); });
    const bool is_stated = stated != arguments.end();
    // A slot of its own keeps the inputs after it in their places.
    if (expected.is_tensor() && !expected.is_list_of_tensors() &&
        (!is_stated || stated->kind != Kind::Tensors))
      out.inputs.push_back(kNone);
    if (is_stated) {
      add_stated(*stated, out);
      const bool is_real = expected.kind == AtenArgument::Kind::Float;
      if (stated->kind == Kind::Value && is_real)
        if (auto* whole = std::get_if<std::int64_t>(&out.attributes.back().value))
          out.attributes.back().value = static_cast<float>(*whole);
    } else if (!expected.is_tensor() && expected.otherwise != AtenArgument::Default::Nothing &&
               !expected.required()) {
      out.attributes.push_back(expected.default_attribute());
    }
  }
  // A recording says more than a schema: how many elements of sparse tensors are stored.
  for (const Argument& argument : arguments)
    if (argument.name == kStored) add_stated(argument, out);
}

}  // namespace strata::torch

#include "arguments.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "failure.h"

namespace strata::libtorch {

namespace {

constexpr std::int64_t kImageRank = 3;  // channels, height, width

bool holds_tensors(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return true;
    case c10::TypeKind::ListType:
      return type->expectRef<c10::ListType>().getElementType()->kind() == c10::TypeKind::TensorType;
    case c10::TypeKind::DictType:
      return type->expectRef<c10::DictType>().getValueType()->kind() == c10::TypeKind::TensorType;
    case c10::TypeKind::TupleType:
      for (const auto& item : type->expectRef<c10::TupleType>().elements())
        if (item->kind() != c10::TypeKind::TensorType) return false;
      return true;
    default:
      return false;
  }
}

// The tensors whose names are the parameter's own, a dot and something else.
std::vector<NamedTensor> items_of(const Parameter& parameter,
                                  const std::vector<NamedTensor>& inputs) {
  const std::string start = parameter.name + ".";
  std::vector<NamedTensor> items;
  for (const NamedTensor& input : inputs)
    if (input.name.compare(0, start.size(), start) == 0)
      items.push_back({input.name.substr(start.size()), input.tensor});
  return items;
}

const NamedTensor* whole(const Parameter& parameter, const std::vector<NamedTensor>& inputs) {
  for (const NamedTensor& input : inputs)
    if (input.name == parameter.name) return &input;
  return nullptr;
}

void flatten(const std::string& name, const c10::IValue& value, std::vector<NamedTensor>& out) {
  const auto inside = [&](const std::string& key) { return name.empty() ? key : name + "." + key; };
  std::size_t number = 0;
  if (value.isTensor()) {
    if (value.toTensor().defined())
      out.push_back({name.empty() ? "output" : name, value.toTensor()});
  } else if (value.isTuple()) {
    for (const c10::IValue& item : value.toTupleRef().elements())
      flatten(inside(std::to_string(number++)), item, out);
  } else if (value.isList() || value.isTensorList()) {
    for (const c10::IValue& item : value.toList().vec())
      flatten(inside(std::to_string(number++)), item, out);
  } else if (value.isGenericDict()) {
    for (const auto& item : value.toGenericDict()) {
      const c10::IValue& key = item.key();
      flatten(inside(key.isString() ? key.toStringRef() : std::to_string(number)), item.value(),
              out);
      ++number;
    }
  }
}

}  // namespace

std::vector<Parameter> parameters_of(const c10::FunctionSchema& forward) {
  std::vector<Parameter> all;
  for (std::size_t i = 1; i < forward.arguments().size(); ++i) {
    const c10::Argument& declared = forward.arguments()[i];
    Parameter parameter{declared.name(), declared.type(), false, {}};
    if (const auto optional = parameter.type->cast<c10::OptionalType>()) {
      parameter.type = optional->getElementType();
      parameter.optional = true;
    }
    if (declared.default_value()) {
      parameter.otherwise = *declared.default_value();
      parameter.optional = true;
    }
    if (!holds_tensors(parameter.type) && !parameter.optional)
      throw Failure{
          STRATA_UNSUPPORTED,
          fmt::format("its forward takes \"{}\", a {}, and strata can give it tensors, and "
                      "lists, tuples and dictionaries of tensors",
                      parameter.name, parameter.type->repr_str())};
    all.push_back(std::move(parameter));
  }
  return all;
}

std::vector<NamedTensor> tensors_of(std::span<const StrataTensor> inputs) {
  std::vector<NamedTensor> all;
  for (const StrataTensor& input : inputs) {
    const at::IntArrayRef dims(input.dims, static_cast<std::size_t>(input.rank));
    const auto options = at::TensorOptions().dtype(scalar_type(input.dtype, input.name));
    const at::Tensor tensor = at::from_blob(const_cast<void*>(input.data), dims, options);
    const auto needed = static_cast<std::uint64_t>(tensor.numel()) * tensor.element_size();
    if (needed != input.bytes)
      throw Failure{STRATA_WRONG_INPUT, fmt::format("input \"{}\" has {} bytes; its shape takes {}",
                                                    input.name, input.bytes, needed)};
    all.push_back({input.name, tensor});
  }
  return all;
}

void name_only_input(const std::vector<Parameter>& parameters, std::vector<NamedTensor>& inputs) {
  if (inputs.size() != 1 || !inputs.front().name.empty()) return;
  const auto takes_tensors = [](const Parameter& one) { return holds_tensors(one.type); };
  const auto only = std::find_if(parameters.begin(), parameters.end(), takes_tensors);
  if (only != parameters.end() && std::count_if(only, parameters.end(), takes_tensors) == 1)
    inputs.front().name = only->name;
}

void check_names(const std::vector<Parameter>& parameters, const std::vector<NamedTensor>& inputs) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters)
    if (holds_tensors(parameter.type))
      names.push_back(fmt::format("\"{}\" {}", parameter.name, parameter.type->repr_str()));
  for (const NamedTensor& input : inputs) {
    const std::string first = input.name.substr(0, input.name.find('.'));
    bool known = false;
    for (const Parameter& parameter : parameters)
      known = known ||
              (holds_tensors(parameter.type) &&
               (input.name == parameter.name ||
                (first == parameter.name && parameter.type->kind() != c10::TypeKind::TensorType)));
    if (!known)
      throw Failure{
          STRATA_WRONG_INPUT,
          fmt::format("{}; it has {}",
                      input.name.empty() && names.size() > 1
                          ? "write NAME=SIZES, because the model has several inputs"
                          : fmt::format("the model has no input \"{}\"", input.name),
                      names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")))};
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t j = i + 1; j < inputs.size(); ++j)
      if (inputs[i].name == inputs[j].name)
        throw Failure{STRATA_WRONG_INPUT,
                      fmt::format("input \"{}\" is given twice", inputs[i].name)};
  for (const Parameter& parameter : parameters)
    if (!parameter.optional && whole(parameter, inputs) == nullptr &&
        items_of(parameter, inputs).empty())
      throw Failure{STRATA_WRONG_INPUT, fmt::format("input \"{}\" is missing; the model takes a {}",
                                                    parameter.name, parameter.type->repr_str())};
}

c10::IValue argument(const Parameter& parameter, const std::vector<NamedTensor>& inputs) {
  const NamedTensor* given = whole(parameter, inputs);
  const std::vector<NamedTensor> items = items_of(parameter, inputs);
  if (given == nullptr && items.empty()) return parameter.otherwise;
  switch (parameter.type->kind()) {
    case c10::TypeKind::ListType: {
      c10::List<at::Tensor> list;
      if (given != nullptr && given->tensor.dim() == kImageRank + 1)
        for (const at::Tensor& item : given->tensor.unbind(0)) list.push_back(item);
      else if (given != nullptr)
        list.push_back(given->tensor);
      for (const NamedTensor& item : items) list.push_back(item.tensor);
      return list;
    }
    case c10::TypeKind::DictType: {
      c10::Dict<std::string, at::Tensor> dict;
      for (const NamedTensor& item : items) dict.insert(item.name, item.tensor);
      return dict;
    }
    case c10::TypeKind::TupleType: {
      std::vector<c10::IValue> tuple;
      tuple.reserve(items.size());
      for (const NamedTensor& item : items) tuple.emplace_back(item.tensor);
      return c10::ivalue::Tuple::create(std::move(tuple));
    }
    default:
      return given != nullptr ? c10::IValue(given->tensor) : parameter.otherwise;
  }
}

std::vector<NamedTensor> flattened(const c10::IValue& value) {
  std::vector<NamedTensor> all;
  flatten("", value, all);
  return all;
}

}  // namespace strata::libtorch

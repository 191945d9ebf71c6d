#include "read/onnx/learned.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "read/onnx/scope_text.h"
#include "strata/base/text_map.h"

namespace strata::onnx {

namespace {

// `expand` for `expand_3`.
std::string_view without_number(std::string_view name) {
  const std::size_t bar = name.rfind('_');
  const bool has_number = bar != std::string_view::npos && bar + 1 < name.size() &&
                          name.find_first_not_of("0123456789", bar + 1) == std::string_view::npos;
  return has_number ? name.substr(0, bar) : name;
}

// Names that the exporter gives to constants: `val_3`, `scalar_tensor_default_1`, `view_4/shape`.
bool is_own_name(std::string_view name) {
  const std::string_view stem = without_number(name);
  return (stem == "val" && stem.size() < name.size()) || stem == "scalar_tensor_default" ||
         name.find('/') != std::string_view::npos;
}

// torch's operators that make a tensor from nothing; torch.export lifts the constants in a module's
// code to tensors like `attn.lifted_tensor_0`.
bool makes_tensor(std::string_view op) {
  constexpr std::string_view kOperators[] = {"arange",        "empty",         "eye",
                                             "full",          "linspace",      "logspace",
                                             "ones",          "zeros",         "lift_fresh_copy",
                                             "lifted_tensor", "scalar_tensor", "tril_indices",
                                             "triu_indices"};
  return std::find(std::begin(kOperators), std::end(kOperators), op) != std::end(kOperators);
}

// The sources of a tensor that the exporter computed.
struct Origin {
  int paths = 0;           // parameters and buffers of modules below the network
  int names = 0;           // its own parameters, or results of operators that are left out
  int others = 0;          // results of operators, and constants
  bool expanded = false;   // it repeats elements
  std::string_view first;  // the first path
};

// The list has the exporter's own values, too. A dot is in every path of a module's tensor, and in
// no name of an operator's result.
constexpr std::size_t kMostSources = 4096;
Origin origin_of(const ValueText& value, const Names& names) {
  Origin origin;
  const auto repeats = [](std::string_view op) { return op == "expand" || op == "repeat"; };
  origin.expanded = repeats(without_number(value.name));
  for (const std::string_view name : list_of_texts(value.folded_from, kMostSources)) {
    if (is_own_name(name)) continue;
    const std::string_view stem = without_number(last_part(name));
    if (makes_tensor(stem)) {
      ++origin.others;
    } else if (name.find('.') != std::string_view::npos) {
      if (origin.paths++ == 0) origin.first = name;
    } else if (names.find(name) != kNone) {
      ++origin.others;
    } else {
      ++origin.names;
      origin.expanded = origin.expanded || repeats(stem);
    }
  }
  return origin;
}

// A single parameter that was transposed, cast or the like is still that parameter.
bool is_one_parameter(const Origin& origin, const TensorData& data) {
  const bool is_one = origin.paths == 1 || (origin.paths == 0 && origin.names == 1);
  if (!is_one || origin.others > 0 || data.dims.empty()) return false;
  return !origin.expanded || data.elements().is(data.dims.back());  // else, how often is unknown
}

}  // namespace

void mark_learned(Loading& loading, const Names& names, std::span<TensorData* const> stored,
                  std::span<const ValueText> declared, bool inputs_say) {
  const auto says = [](const ValueText& value) { return value.has_kind; };
  if (!inputs_say && std::none_of(declared.begin(), declared.end(), says)) return;
  TextMap<std::string_view, TensorData*> by_name;
  for (TensorData* data : stored) by_name.emplace(data->name, data);
  int computed = 0;
  std::string example;
  for (const ValueText& value : declared) {
    const auto found = by_name.find(value.name);
    if (found == by_name.end()) continue;
    TensorData& data = *found->second;
    if (value.has_kind) data.learned = value.learned;
    if (value.has_kind || !is_float(data.dtype)) continue;
    if (value.folded_from.empty()) {
      // Weights that the exporter rewrote in place keep their names.
      if (is_own_name(value.name)) data.learned = Learned::No;
      continue;
    }
    const Origin origin = origin_of(value, names);
    data.learned = is_one_parameter(origin, data) ? Learned::Yes : Learned::No;
    if (data.learned == Learned::Yes || origin.paths == 0 || names.find(origin.first) != kNone)
      continue;
    if (computed++ == 0)
      example = fmt::format("{} from {}", in_quotes(value.name), in_quotes(origin.first));
  }
  if (computed == 1)
    loading.note(fmt::format(
        "the exporter computed {} and left that out of the file, so it is not counted", example));
  if (computed > 1)
    loading.note(fmt::format(
        "the exporter computed {} tensors from parameters or buffers that it left out of the file, "
        "such as {}; those are not counted",
        computed, example));
}

}  // namespace strata::onnx

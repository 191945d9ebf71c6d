// Tensors from files: chooses the reader, and the input of the model.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/mapped_file.h"
#include "data/npy.h"
#include "data/onnx_tensor.h"
#include "strata/data/inputs.h"

namespace strata {

namespace {

std::string shape_text(const HostTensor& tensor) {
  return fmt::format(
      "{} {}", name_of(tensor.dtype),
      tensor.dims.empty() ? "scalar" : fmt::format("{}", fmt::join(tensor.dims, "×")));
}

std::string type_text(const TypeInfo& type) {
  return fmt::format("{} {}", name_of(type.dtype), type.ranked ? text(type.dims) : "?");
}

// `"image" (f32 1×3×224×224), "mask" (bool 1×10)`
std::string inputs_text(const Graph& graph) {
  std::vector<std::string> all;
  for (const TensorId id : graph.inputs)
    all.push_back(
        fmt::format("\"{}\" ({})", graph.tensors[id].name, type_text(graph.tensors[id].type)));
  return fmt::format("{}", fmt::join(all, ", "));
}

// A mismatch with what the model expects; empty if there is none.
std::string mismatch(const HostTensor& tensor, const TypeInfo& expected) {
  bool fits = tensor.dtype == expected.dtype;
  fits = fits && (!expected.ranked || tensor.dims.size() == expected.dims.size());
  for (std::size_t i = 0; fits && expected.ranked && i < tensor.dims.size(); ++i)
    fits = !expected.dims[i].is_number() || expected.dims[i].is(tensor.dims[i]);
  return fits ? ""
              : fmt::format("is {} where the model takes {}", shape_text(tensor),
                            type_text(expected));
}

}  // namespace

Result<std::vector<HostTensor>> read_tensors(const std::string& path, const std::string& name) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".npz") return read_npz(path);
  if (extension != ".npy" && extension != ".pb")
    return failure(fmt::format("{}: inputs are read from .npy, .npz and .pb files", path),
                   ErrorKind::Usage);
  auto file = MappedFile::open(path);
  if (!file) return failure(file);
  auto tensor = extension == ".npy" ? read_npy((*file)->bytes(), path)
                                    : read_onnx_tensor((*file)->bytes(), path);
  if (!tensor) return failure(tensor);
  if (!name.empty()) tensor->name = name;
  std::vector<HostTensor> tensors;
  tensors.push_back(std::move(*tensor));
  return tensors;
}

Result<std::vector<HostTensor>> read_inputs(const Model& model,
                                            const std::vector<std::string>& files) {
  const Graph& graph = model.graph();
  std::vector<std::string_view> names;
  for (const TensorId id : graph.inputs) names.push_back(graph.tensors[id].name);
  const auto no_input = [&](std::string_view name) {
    return failure(
        Code::NoInput, {.name = std::string(name), .found = inputs_text(graph)},
        fmt::format("the model has no input \"{}\"; it takes {}", name, inputs_text(graph)));
  };
  std::vector<HostTensor> given;
  for (const std::string& file : files) {
    const std::size_t equals = file.find('=');
    const bool named = equals != file.npos && !std::filesystem::exists(file);
    if (named && std::find(names.begin(), names.end(), file.substr(0, equals)) == names.end())
      return no_input(file.substr(0, equals));
    auto tensors =
        named ? read_tensors(file.substr(equals + 1), file.substr(0, equals)) : read_tensors(file);
    if (!tensors) return failure(tensors);
    std::move(tensors->begin(), tensors->end(), std::back_inserter(given));
  }

  std::vector<HostTensor> inputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto found = std::find_if(given.begin(), given.end(),
                              [&](const HostTensor& t) { return t.name == names[i]; });
    if (found == given.end())  // the first with no name, or a name that no input has
      found = std::find_if(given.begin(), given.end(), [&](const HostTensor& t) {
        return t.name.empty() || (given.size() == 1 && names.size() == 1);
      });
    if (found == given.end())
      return failure(fmt::format("no file gives input \"{}\"; the model takes {}", names[i],
                                 inputs_text(graph)),
                     ErrorKind::Usage);
    found->name = names[i];
    const std::string why = mismatch(*found, graph.tensors[graph.inputs[i]].type);
    if (!why.empty())
      return failure(fmt::format("input \"{}\" {}", names[i], why), ErrorKind::Usage);
    inputs.push_back(std::move(*found));
    given.erase(found);
  }
  if (!given.empty()) return no_input(given[0].name);
  return inputs;
}

}  // namespace strata

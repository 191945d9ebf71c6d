#include "small_models.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "strata/build/weights.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace strata::test {

std::string bytes_of(const Model& model) {
  WriteOptions options;
  options.fill = build::random_weights(model, 1);
  auto bytes = onnx_bytes(model, options);
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes.value_or("");
}

std::string bytes_of(build::Builder net) {
  auto network = std::move(net).finish();
  EXPECT_TRUE(network) << network.error().message;
  return network ? bytes_of(network->model) : "";
}

std::string zoo_bytes(std::string_view name_and_arguments) {
  auto network = zoo::build(name_and_arguments);
  EXPECT_TRUE(network) << network.error().message;
  return network ? bytes_of(network->model) : "";
}

std::vector<HostTensor> inputs_for(const std::vector<Port>& ports, std::uint64_t seed,
                                   std::int64_t open_size) {
  std::mt19937_64 random(seed);
  std::vector<HostTensor> inputs;
  for (const Port& port : ports) {
    HostTensor tensor{port.name, port.dtype, port.dims, {}};
    std::size_t elements = 1;
    for (std::int64_t& dim : tensor.dims) {
      if (dim < 0) dim = open_size;
      elements *= static_cast<std::size_t>(dim);
    }
    tensor.data.resize(elements * static_cast<std::size_t>(bits(port.dtype)) / 8);
    if (port.dtype == DType::F32)
      for (std::size_t i = 0; i < elements; ++i) {
        const float number = static_cast<float>(random() % 1000) / 1000;
        std::memcpy(&tensor.data[i * sizeof number], &number, sizeof number);
      }
    else if (port.dtype == DType::Bool)
      std::fill(tensor.data.begin(), tensor.data.end(), std::byte{1});
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

namespace {

std::vector<std::string> engines_if(bool opens_scripts) {
  std::vector<std::string> names;
  for (const std::string& name : engine_names())
    if ((name == "torch") == opens_scripts) names.push_back(name);
  return names;
}

}  // namespace

std::vector<std::string> onnx_engines() { return engines_if(false); }
std::vector<std::string> script_engines() { return engines_if(true); }

Assignment check_assignment(const Model& model, const std::vector<Kernel>& kernels,
                            const std::vector<Session::Absent>& absent) {
  Assignment out;
  const std::vector<std::string> keys = node_keys(model);
  std::map<std::string, int> places;
  for (const std::string& key : keys) places[key] = 0;
  const auto place = [&](const std::string& key) {
    const auto found = places.find(key);
    if (found == places.end())
      out.mistakes.push_back(fmt::format("the model has no node {}", key));
    else if (++found->second == 2)
      out.mistakes.push_back(fmt::format("node {} is in two places", key));
  };
  std::set<std::uint64_t> numbers;
  std::set<std::vector<std::string>> lists;
  for (const Kernel& kernel : kernels) {
    numbers.insert(kernel.index);
    if (!kernel.sources.empty()) lists.insert(kernel.sources);
    if (!kernel.sources.empty() != (kernel.kind == KernelKind::Compute))
      out.mistakes.push_back(fmt::format("kernel {} ({}) is of kind {} and has {} sources",
                                         kernel.name, kernel.op, static_cast<int>(kernel.kind),
                                         kernel.sources.size()));
  }
  for (const auto& list : lists)
    for (const std::string& key : list) place(key);
  out.kernels = numbers.size();
  for (const Session::Absent& node : absent) {
    place(node.node);
    if (node.reason.empty() || node.reason.find("not found") != node.reason.npos)
      out.mistakes.push_back(fmt::format("node {} is absent: {}", node.node, node.reason));
  }
  out.absent = absent.size();
  for (const auto& [key, count] : places) {
    if (count == 0) out.mistakes.push_back(fmt::format("node {} is nowhere", key));
  }
  out.assigned = keys.size() - out.absent;
  return out;
}

}  // namespace strata::test

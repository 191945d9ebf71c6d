#include "sensitivity/reference.h"

#include <algorithm>

namespace strata {

Reference::Reference(const Dataset& data, const Model& model, std::vector<std::string> kept)
    : data_(data), kept_(std::move(kept)), samples_(static_cast<std::size_t>(data.count())) {
  for (const TensorId id : model.graph().outputs)
    if (id != kNone) outputs_.emplace_back(model.graph().tensors[id].name);
  for (const TensorId id : model.graph().inputs)
    inputs_.emplace_back(model.graph().tensors[id].name);
}

Status Reference::open(const Engine& engine, const ModelBytes& bytes, SessionOptions options) {
  options.fetch = kept_;
  auto session = engine.open(bytes, options);
  if (!session) return failure(session);
  session_.emplace(std::move(*session));
  return {};
}

Result<bool> Reference::prepare(std::size_t sample) {
  if (!samples_[sample].empty()) return false;
  auto inputs = data_.sample(static_cast<std::int64_t>(sample));
  if (!inputs) return failure(inputs);
  if (auto status = session_->bind(std::move(*inputs)); !status) return failure(status);
  auto trace = session_->run_traced({.kernels = false, .blocks = false, .outputs = true});
  if (!trace) return failure(trace);
  for (HostTensor& tensor : trace->outputs) {
    std::string name = tensor.name;
    samples_[sample].emplace(std::move(name), std::move(tensor));
  }
  return true;
}

Result<Reference::Sample> Reference::at(std::size_t sample,
                                        const std::vector<std::string>& names) const {
  Sample out = chosen(sample, names);
  const bool given = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(inputs_.begin(), inputs_.end(), name) != inputs_.end();
  });
  if (!given) return out;
  auto inputs = data_.sample(static_cast<std::int64_t>(sample));
  if (!inputs) return failure(inputs);
  for (HostTensor& tensor : *inputs)
    if (std::find(names.begin(), names.end(), tensor.name) != names.end())
      out.push_back(std::move(tensor));
  return out;
}

Reference::Sample Reference::chosen(std::size_t sample,
                                    const std::vector<std::string>& names) const {
  Sample out;
  for (const std::string& name : names)
    if (const auto at = samples_[sample].find(name); at != samples_[sample].end())
      out.push_back(at->second);
  return out;
}

}  // namespace strata

// What int8 brings: a model in floats and one of int8, by turns.
#pragma once

#include "cli/quantize_run.h"
#include "quant/layer_speed.h"

namespace strata::cli {

class QuantizeSpeed {
 public:
  // `model` must have sizes. What is made stays with `scratch`, a folder.
  static Result<QuantizeSpeed> prepare(const QuantizeRequest& request, const LoadedModel& model,
                                       const SessionOptions& session, const std::string& inputs);

  // How much faster the second file is, in processes of their own that take turns.
  // `seconds` 0: by how long an inference took when layers were timed.
  Result<BenchResult> compare(const std::string& base, const std::string& other) const;

  // Of each layer, in both. Twice by turns, and the smaller counts: what else the machine does
  // only ever adds.
  struct Layers {
    std::vector<double> base, other;
  };
  Result<Layers> layers(const Engine& engine, const ModelSource& base, const ModelSource& other,
                        const std::vector<std::vector<std::string>>& names);

 private:
  const QuantizeRequest* request_ = nullptr;
  SessionOptions session_;
  std::vector<HostTensor> inputs_;
  std::string inputs_file_;
  std::size_t nodes_ = 0;
  double whole_ = 0;  // seconds of an inference of both, once measured
};

}  // namespace strata::cli

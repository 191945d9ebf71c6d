// A custom operator that looks at a value while the model runs. Compared with an additional output,
// the value is still in the cache when it is looked at, and its memory is reused afterwards.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api.h"
#include "strata/engine/plugin.h"

namespace strata::ort {

inline constexpr char kWatchDomain[] = "strata.watch", kWatchOperator[] = "Watch";
inline constexpr char kWatchNumber[] = "number";  // attribute: number of the value

class Watch;

class WatchKernel {
 public:
  WatchKernel(const Watch& watch, std::int64_t number) : watch_(watch), number_(number) {}
  // NOLINTNEXTLINE(readability-identifier-naming): ONNX Runtime's headers call it by this name
  OrtStatusPtr ComputeV2(OrtKernelContext* context);

 private:
  const Watch& watch_;
  std::int64_t number_;
};

// Belongs to one session, which it must outlive.
class Watch : public Ort::CustomOpBase<Watch, WatchKernel, true> {
 public:
  // Values by their numbers; other numbers are ignored.
  explicit Watch(std::vector<std::string> values) : values_(std::move(values)) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void add_to(Ort::SessionOptions& options);
  // Sets the observer from now on; null: none.
  void tell(StrataTrace* trace) {
    trace_ = trace;
    ended_ = false;
  }
  bool ended() const { return ended_; }  // the observer ended it

  // For ONNX Runtime.
  const char* GetName() const { return kWatchOperator; }
  std::size_t GetInputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(std::size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;  // any
  }
  std::size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetOutputType(std::size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL;
  }
  OrtStatusPtr CreateKernelV2(const OrtApi& api, const OrtKernelInfo* info, void** kernel) const;

 private:
  friend class WatchKernel;
  std::vector<std::string> values_;
  Ort::CustomOpDomain domain_{nullptr};
  StrataTrace* trace_ = nullptr;
  mutable bool ended_ = false;
};

// Nodes that watch the values of these names, as fields to be appended to a ModelProto. ONNX
// Runtime orders nodes backwards from the last node without a reader, so the last node watches the
// first value: each value is then looked at before the next is computed. `outputs` are watched by
// nodes without effect, so that none of the model's own nodes is the last.
std::string watch_fields(std::span<const std::string> values, std::span<const std::string> outputs);

// Passes a value to the observer; false if the observer wants no more.
bool give_value(const char* name, const Ort::ConstValue& value, const StrataTrace& trace);

}  // namespace strata::ort

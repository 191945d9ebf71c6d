// An operator of strata's own that looks at a value while the model runs. Against an output
// more, the value is looked at while it is near, and its memory is used again after it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api.h"
#include "strata/engine/plugin.h"

namespace strata::ort {

inline constexpr char kWatchDomain[] = "strata.watch", kWatchOperator[] = "Watch";
inline constexpr char kWatchNumber[] = "number";  // attribute: of the value

class Watch;

class WatchKernel {
 public:
  WatchKernel(const Watch& watch, std::int64_t number) : watch_(watch), number_(number) {}
  OrtStatusPtr ComputeV2(OrtKernelContext* context);

 private:
  const Watch& watch_;
  std::int64_t number_;
};

// Of one session, which it must outlive.
class Watch : public Ort::CustomOpBase<Watch, WatchKernel, true> {
 public:
  // Values by their numbers; those with others are not looked at.
  explicit Watch(std::vector<std::string> values) : values_(std::move(values)) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void add_to(Ort::SessionOptions& options);
  // Who is told from now on; null: nobody.
  void tell(StrataTrace* trace) {
    trace_ = trace;
    ended_ = false;
  }
  bool ended() const { return ended_; }  // by who was told

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

// Nodes for values of these names, as fields of a ModelProto that are to stand after its
// own. ONNX Runtime goes back from the last node without a reader: the first value is
// watched by the last node, so that each is looked at before the next is computed. `outputs`
// are watched by nodes without effect, so that none of the model's own is the last.
std::string watch_fields(std::span<const std::string> values, std::span<const std::string> outputs);

// Gives a value to who traces; false if that one wants no more.
bool give_value(const char* name, const Ort::ConstValue& value, const StrataTrace& trace);

}  // namespace strata::ort

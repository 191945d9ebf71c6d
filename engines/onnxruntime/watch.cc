#include "watch.h"

#include <fmt/format.h>

#include "proto_fields.h"
#include "strata/graph/dtype.h"

namespace strata::ort {

bool give_value(const char* name, const Ort::ConstValue& value, const StrataTrace& trace) {
  StrataTensor out = {name, 0, 0, nullptr, nullptr, 0};
  std::vector<std::int64_t> dims;
  if (value && value.IsTensor()) {
    const auto info = value.GetTensorTypeAndShapeInfo();
    dims = info.GetShape();
    out.dtype = static_cast<std::int32_t>(info.GetElementType());
    out.rank = static_cast<std::int32_t>(dims.size());
    out.dims = dims.data();
    const int width = bits(dtype_from_onnx(out.dtype).value_or(DType::Undefined));
    if (width > 0) {  // strings have no plain bytes
      out.data = value.GetTensorRawData();
      out.bytes = (info.GetElementCount() * static_cast<std::size_t>(width) + 7) / 8;
    }
  }
  return trace.on_output(trace.user, &out) == 0;
}

void Watch::add_to(Ort::SessionOptions& options) {
  if (!domain_) {
    domain_ = Ort::CustomOpDomain(kWatchDomain);
    domain_.Add(this);
  }
  options.Add(domain_);
}

OrtStatusPtr Watch::CreateKernelV2(const OrtApi&, const OrtKernelInfo* info, void** kernel) const {
  try {
    const auto number = Ort::ConstKernelInfo(info).GetAttribute<std::int64_t>(kWatchNumber);
    *kernel = new WatchKernel(*this, number);
    return nullptr;
  } catch (const std::exception& thrown) {
    return Ort::Status(thrown.what(), ORT_FAIL).release();
  }
}

namespace {

// While it lives, the observer may use the session's threads.
class LentThreads {
 public:
  LentThreads(StrataTrace& trace, const OrtKernelContext* context) : trace_(trace) {
    trace.threads = context;
    trace.parallel = [](const StrataTrace* of, std::uint64_t count,
                        void (*each)(void*, std::uint64_t), void* user) {
      struct Calls {
        void (*each)(void*, std::uint64_t);
        void* user;
      } calls{each, user};
      const Ort::Status status(Ort::GetApi().KernelContext_ParallelFor(
          static_cast<const OrtKernelContext*>(of->threads),
          [](void* all, std::size_t number) {
            const auto& [call, with] = *static_cast<const Calls*>(all);
            call(with, number);
          },
          count, 0, &calls));
      if (!status.IsOK())  // failed before the first call
        for (std::uint64_t i = 0; i < count; ++i) each(user, i);
    };
  }
  ~LentThreads() {
    trace_.parallel = nullptr;
    trace_.threads = nullptr;
  }
  LentThreads(const LentThreads&) = delete;
  LentThreads& operator=(const LentThreads&) = delete;

 private:
  StrataTrace& trace_;
};

}  // namespace

OrtStatusPtr WatchKernel::ComputeV2(OrtKernelContext* context) {
  try {
    const Ort::KernelContext values(context);
    const std::int64_t one = 1;
    *values.GetOutput(0, &one, 1).GetTensorMutableData<bool>() = true;
    if (watch_.trace_ == nullptr || watch_.trace_->on_output == nullptr) return nullptr;
    const auto at = static_cast<std::size_t>(number_);
    if (at >= watch_.values_.size()) return nullptr;
    const LentThreads lent(*watch_.trace_, context);
    if (give_value(watch_.values_[at].c_str(), values.GetInput(0), *watch_.trace_)) return nullptr;
    watch_.ended_ = true;
    return Ort::Status("ended by its caller", ORT_FAIL).release();
  } catch (const std::exception& thrown) {
    return Ort::Status(thrown.what(), ORT_FAIL).release();
  }
}

std::string watch_fields(std::span<const std::string> values,
                         std::span<const std::string> outputs) {
  std::string nodes;
  const auto add = [&](const std::string& value, std::size_t number) {
    const std::string name = fmt::format("{}/{}", kWatchDomain, number);
    const std::string attribute = field(kAttributeName, kWatchNumber) +
                                  number_field(kAttributeNumber, number) +
                                  number_field(kAttributeType, kAttributeIsNumber);
    nodes +=
        field(kGraphNode, field(kNodeInput, value) + field(kNodeOutput, name) +
                              field(kNodeName, name) + field(kNodeOperator, kWatchOperator) +
                              field(kNodeAttribute, attribute) + field(kNodeDomain, kWatchDomain));
  };
  for (std::size_t i = outputs.size(); i > 0; --i) add(outputs[i - 1], values.size() + i - 1);
  for (std::size_t i = values.size(); i > 0; --i) add(values[i - 1], i - 1);
  return field(kModelGraph, nodes) +
         field(kModelOpset, field(kOpsetDomain, kWatchDomain) + number_field(kOpsetVersion, 1));
}

}  // namespace strata::ort

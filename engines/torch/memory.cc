#include "memory.h"

#include <torch/version.h>

#include "torch_api.h"

namespace strata::libtorch {

namespace {

#if TORCH_VERSION_MAJOR >= 2
using Total = std::size_t;
#else
using Total = std::int64_t;
#endif

class Reporter : public c10::MemoryReportingInfoBase {
 public:
  explicit Reporter(std::vector<StrataBlock>& blocks) : blocks_(blocks) {}
  void reportMemoryUsage(void* address, std::int64_t bytes, Total, Total, c10::Device) override {
    blocks_.push_back({now_ns(), bytes, reinterpret_cast<std::uint64_t>(address), -1, nullptr});
  }
  bool memoryProfilingEnabled() const override { return true; }

 private:
  std::vector<StrataBlock>& blocks_;
};

}  // namespace

BlockRecorder::BlockRecorder(std::vector<StrataBlock>& blocks)
    : guard_(c10::DebugInfoKind::PROFILER_STATE, std::make_shared<Reporter>(blocks)) {}

}  // namespace strata::libtorch

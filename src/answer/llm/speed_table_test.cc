#include "strata/llm/speed_table.h"

#include <gtest/gtest.h>

#include "strata/device/device.h"

namespace strata::llm {
namespace {

// vLLM's documentation asks NVIDIA GPUs for compute capability 7.0 or higher: Volta has 7.0,
// Turing 7.5, Pascal 6.x.
TEST(UsualEngine, IsLlamaCppWhereVllmDoesNotRun) {
  const auto engine_on = [](const char* name) {
    const auto device = find_device(name);
    return device ? usual_engine(*device, "bf16") : device.error().message;
  };
  for (const char* name : {"p40", "p4", "p100", "gtx-1080", "m2-max", "rx-7900-xtx", "jetson-orin"})
    EXPECT_EQ(engine_on(name), "llama.cpp") << name;
  for (const char* name : {"v100", "t4", "rtx-2080-ti", "a100", "mi300x"})
    EXPECT_EQ(engine_on(name), "vllm") << name;
}

}  // namespace
}  // namespace strata::llm

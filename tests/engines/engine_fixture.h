// An engine under test, and a small network for it.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "small_models.h"
#include "strata/engine/engine.h"

namespace strata {

// A small network: 64 × 64 pixels, a quarter of the usual width.
inline const std::string& small_network() {
  static const std::string kBytes = test::zoo_bytes("mobilenet_v2?resolution=64&width=0.25");
  return kBytes;
}

class EngineTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto loaded = load_engine(GetParam());
    ASSERT_TRUE(loaded) << loaded.error().message;
    engine_ = std::make_unique<Engine>(std::move(*loaded));
  }

  Session open(std::string_view bytes, const SessionOptions& options = {}) const {
    auto session = engine_->open(ModelBytes{bytes}, options);
    EXPECT_TRUE(session) << session.error().message;
    return std::move(session.value());
  }
  Session open_bound(std::string_view bytes, const SessionOptions& options = {}) const {
    Session session = open(bytes, options);
    const Status bound = session.bind(test::inputs_for(session.inputs()));
    EXPECT_TRUE(bound) << bound.error().message;
    return session;
  }
  // Some engines do not tell what they allocate. They say so when they are asked.
  bool tells_memory() const {
    const auto session = engine_->open(ModelBytes{small_network()}, {.trace_memory = true});
    if (session) return true;
    EXPECT_NE(session.error().message.find("does not report memory"), std::string::npos)
        << session.error().message;
    return false;
  }
  static std::vector<HostTensor> outputs_of(Session& session) {
    auto trace = session.run_traced({.kernels = false, .outputs = true});
    EXPECT_TRUE(trace) << trace.error().message;
    return trace ? trace->outputs : std::vector<HostTensor>{};
  }
  static bool equal(const std::vector<HostTensor>& a, const std::vector<HostTensor>& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](const HostTensor& x, const HostTensor& y) {
          return x.name == y.name && x.dtype == y.dtype && x.dims == y.dims && x.data == y.data;
        });
  }

  std::unique_ptr<Engine> engine_;
};

}  // namespace strata

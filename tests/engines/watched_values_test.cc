// Values that an engine may report while the model runs. For all engines: each is reported once,
// and is the same as the one returned at the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>

#include "small_models.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kNetwork[] = "mobilenet_v2?resolution=64&width=0.25";

class WatchedValues : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto engine = load_engine(GetParam());
    if (!engine) GTEST_SKIP() << engine.error().message;
    engine_.emplace(std::move(*engine));
    model_ = test::zoo_bytes(kNetwork);
    auto network = zoo::build(kNetwork);
    ASSERT_TRUE(network) << network.error().message;
    const Graph& graph = network->model.graph();
    for (const Node& node : graph.nodes)
      if (node.op == "Clip" || node.op == "Add")
        fetch_.emplace_back(graph.tensors[node.outputs[0]].name);
    ASSERT_GT(fetch_.size(), 30U);
  }
  Session open(bool early, StrataOptimization optimization = STRATA_OPT_ALL, int threads = 2) {
    auto session = engine_->open(
        ModelBytes{model_},
        {.threads = threads, .optimization = optimization, .fetch = fetch_, .fetch_early = early});
    EXPECT_TRUE(session) << session.error().message;
    EXPECT_TRUE(session->bind(test::inputs_for(session->inputs())));
    return std::move(*session);
  }
  bool gives_early() const { return GetParam() == "onnxruntime"; }

  std::optional<Engine> engine_;
  std::string model_;
  std::vector<std::string> fetch_;
};

using Bytes = std::vector<std::byte>;
Bytes bytes_of(const StrataTensor& tensor) {
  const auto* data = static_cast<const std::byte*>(tensor.data);
  return {data, data + tensor.bytes};
}

TEST_P(WatchedValues, AreThoseThatComeAtTheEnd) {
  for (const auto level : {STRATA_OPT_NONE, STRATA_OPT_ALL}) {
    std::map<std::string, Bytes> late, early;
    Session kept = open(false, level), passing = open(true, level);
    ASSERT_TRUE(kept.run_visiting([&](const StrataTensor& tensor) {
      return late.emplace(tensor.name, bytes_of(tensor)).second;
    }));
    for (int run = 0; run < 3; ++run) {
      early.clear();
      ASSERT_TRUE(passing.run_visiting([&](const StrataTensor& tensor) {
        return early.emplace(tensor.name, bytes_of(tensor)).second;
      }));
      EXPECT_EQ(early, late);
      ASSERT_TRUE(passing.run());  // and no observer is called
    }
    EXPECT_THAT(late, SizeIs(fetch_.size() + 1));
  }
}

// Each value comes before the next is computed; otherwise all values would be held until the end.
TEST_P(WatchedValues, ComeInRunningOrder) {
  if (!gives_early()) GTEST_SKIP() << "gives all at the end";
  for (const auto level : {STRATA_OPT_NONE, STRATA_OPT_BASIC, STRATA_OPT_ALL}) {
    Session session = open(true, level);
    EXPECT_THAT(session.outputs(), SizeIs(1));
    std::vector<std::string> order;
    std::map<const void*, int> places;
    ASSERT_TRUE(session.run_visiting([&](const StrataTensor& tensor) {
      order.emplace_back(tensor.name);
      ++places[tensor.data];
      return true;
    }));
    order.pop_back();  // the output
    EXPECT_THAT(order, ElementsAreArray(fetch_));
    EXPECT_LT(places.size(), fetch_.size() / 2) << "memory is used again";
  }
}

TEST_P(WatchedValues, MayEndTheRun) {
  Session session = open(true);
  for (const int last : {1, 7, 20}) {
    int seen = 0;
    const Status run = session.run_visiting([&](const StrataTensor&) { return ++seen < last; });
    ASSERT_FALSE(run);
    EXPECT_THAT(run.error().message, HasSubstr("ended by its caller"));
    EXPECT_EQ(seen, last);
    EXPECT_TRUE(session.run());
  }
}

TEST_P(WatchedValues, MayBeTakenApartByTheEnginesThreads) {
  for (const int threads : {1, 3}) {
    Session session = open(true, STRATA_OPT_ALL, threads);
    int offered = 0;
    ASSERT_TRUE(session.run_visiting([&](const StrataTensor&, const EngineThreads& helpers) {
      offered += helpers.there() ? 1 : 0;
      std::vector<std::atomic<int>> calls(13);
      helpers.run(calls.size(), [&](std::size_t i) { ++calls[i]; });
      for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
      return true;
    }));
    EXPECT_EQ(offered, gives_early() ? static_cast<int>(fetch_.size()) : 0);
  }
}

TEST_P(WatchedValues, ThatAreNotThereAreNamed) {
  fetch_ = {"no such value"};
  const auto session = engine_->open(ModelBytes{model_}, {.fetch = fetch_, .fetch_early = true});
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().message, HasSubstr("no such value"));
}

INSTANTIATE_TEST_SUITE_P(Engines, WatchedValues, ::testing::Values("fake", "onnxruntime"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace strata

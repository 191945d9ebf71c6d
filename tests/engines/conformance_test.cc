// Checks the duties of every engine that opens ONNX files, on each plugin beside the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine_fixture.h"
#include "strata/build/weights.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using test::inputs_for;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_P(EngineTest, SaysWhatItIs) {
  EXPECT_EQ(engine_->name(), GetParam());
  EXPECT_FALSE(engine_->release().empty());
  EXPECT_THAT(std::string(engine_->formats()), HasSubstr("onnx"));
  EXPECT_GE(engine_->kernel_resolution_ns(), 1);
  const auto devices = engine_->devices();
  ASSERT_THAT(devices, Not(IsEmpty()));
  EXPECT_EQ(devices[0].name, "cpu");
}

TEST_P(EngineTest, ProbesPrecisions) {
  EXPECT_TRUE(engine_->probe("cpu", "fp32"));
  const Status odd = engine_->probe("cpu", "fp31");
  ASSERT_FALSE(odd);
  EXPECT_THAT(odd.error().message, HasSubstr("fp31"));
  const Status nowhere = engine_->probe("toaster:0", "fp32");
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("toaster"));
}

// ----- opening

TEST_P(EngineTest, DescribesInputsAndOutputs) {
  const Session session = open(small_network());
  const auto inputs = session.inputs();
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(inputs[0].name, "input");
  EXPECT_EQ(inputs[0].dtype, DType::F32);
  EXPECT_TRUE(inputs[0].ranked);
  EXPECT_THAT(inputs[0].dims, ElementsAre(1, 3, 64, 64));
  const auto outputs = session.outputs();
  ASSERT_THAT(outputs, SizeIs(1));
  EXPECT_THAT(outputs[0].dims, ElementsAre(1, 1000));
}

TEST_P(EngineTest, OpenSizesHaveNames) {
  Session session = open(test::zoo_bytes("mobilenet_v2?resolution=64&width=0.25&batch=N"));
  EXPECT_THAT(session.inputs().at(0).dims, ElementsAre(-1, 3, 64, 64));
  EXPECT_THAT(session.inputs().at(0).symbols, ElementsAre("N", "", "", ""));
  for (const std::int64_t batch : {1, 3}) {
    ASSERT_TRUE(session.bind(inputs_for(session.inputs(), 1, batch)));
    const auto outputs = outputs_of(session);
    ASSERT_THAT(outputs, SizeIs(1));
    EXPECT_THAT(outputs[0].dims, ElementsAre(batch, 1000));
  }
}

TEST_P(EngineTest, RefusesWhatIsNoModel) {
  const auto missing = engine_->open("/nowhere/model.onnx", {});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/model.onnx"));
  EXPECT_FALSE(engine_->open(ModelBytes{""}, {}));
  EXPECT_FALSE(engine_->open(ModelBytes{"this is prose"}, {}));
  EXPECT_FALSE(engine_->open(ModelBytes{std::string_view(small_network()).substr(0, 1000)}, {}));
}

TEST_P(EngineTest, NamesTheOperatorThatItLacks) {
  auto network = zoo::build("mobilenet_v2?resolution=64&width=0.25");
  ASSERT_TRUE(network);
  Node node = network->model.graph().nodes[2];
  node.op = "Frobnicate";
  network->model.opsets.push_back({"com.acme", 1});
  node.domain = "com.acme";
  network->model.graph().nodes.set(2, node);
  const std::string name(node.name);
  const auto session = engine_->open(ModelBytes{test::bytes_of(network->model)}, {});
  ASSERT_FALSE(session);
  EXPECT_THAT(session.error().message, AllOf(HasSubstr("Frobnicate"), HasSubstr(name)));
}

TEST_P(EngineTest, RefusesDevicesProvidersAndOptionsThatItLacks) {
  const auto refused = [&](const SessionOptions& options) {
    const auto session = engine_->open(ModelBytes{small_network()}, options);
    EXPECT_FALSE(session);
    return session ? "" : session.error().message;
  };
  EXPECT_THAT(refused({.device = "toaster:0"}), HasSubstr("toaster"));
  EXPECT_THAT(refused({.provider = "teapot"}), HasSubstr("teapot"));
  EXPECT_THAT(refused({.precision = "fp31"}), HasSubstr("fp31"));
  EXPECT_THAT(refused({.options = {"colour=blue"}}), HasSubstr("colour"));
}

TEST_P(EngineTest, TakesWeightsFromMemory) {
  auto network = zoo::build("mobilenet_v2?resolution=64&width=0.25");
  ASSERT_TRUE(network);
  const std::string path = ::testing::TempDir() + "strata_outside_" + GetParam() + ".onnx";
  WriteOptions write;
  write.fill = build::random_weights(network->model, 1);
  write.max_file = 1 << 20;
  const Status written = write_onnx(network->model, path, write);
  ASSERT_TRUE(written) << written.error().message;
  const auto contents = [](const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string model = contents(path), data = contents(path + ".data");
  ASSERT_GT(data.size(), 1000u);
  const std::string location = std::filesystem::path(path).filename().string() + ".data";

  Session from_file = [&] {
    auto session = engine_->open(path, {});
    EXPECT_TRUE(session) << session.error().message;
    return std::move(session.value());
  }();
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".data");
  auto from_memory = engine_->open(ModelBytes{model, {{location, data}}}, {});
  ASSERT_TRUE(from_memory) << from_memory.error().message;

  Session whole = open_bound(small_network());
  const auto expected = outputs_of(whole);
  for (Session* session : {&from_file, &from_memory.value()}) {
    ASSERT_TRUE(session->bind(inputs_for(session->inputs())));
    EXPECT_TRUE(equal(outputs_of(*session), expected));
  }
}

// ----- inputs

TEST_P(EngineTest, RefusesWrongInputs) {
  Session session = open(small_network());
  const auto good = inputs_for(session.inputs());
  const auto refused = [&](const std::function<void(HostTensor&)>& change) {
    auto inputs = good;
    change(inputs[0]);
    const Status status = session.bind(inputs);
    EXPECT_FALSE(status);
    if (status) return std::string();
    EXPECT_EQ(status.error().kind, ErrorKind::Usage);
    return status.error().message;
  };
  EXPECT_THAT(refused([](HostTensor& t) { t.name = "picture"; }),
              AllOf(HasSubstr("\"picture\""), HasSubstr("\"input\" f32[1,3,64,64]")));
  EXPECT_THAT(refused([](HostTensor& t) { t.dtype = DType::I32; }),
              AllOf(HasSubstr("i32[1,3,64,64]"), HasSubstr("f32[1,3,64,64]")));
  EXPECT_THAT(refused([](HostTensor& t) {
                t.dims = {1, 3, 32, 128};
              }),
              AllOf(HasSubstr("[1,3,32,128]"), HasSubstr("[1,3,64,64]")));
  EXPECT_THAT(refused([](HostTensor& t) { t.data.resize(12); }), HasSubstr("12 bytes"));
  EXPECT_FALSE(session.bind({}));
  EXPECT_TRUE(session.bind(good));
  EXPECT_TRUE(session.run());
}

// ----- runs

TEST_P(EngineTest, GivesTheSameForTheSame) {
  std::vector<std::vector<HostTensor>> results;
  for (const int threads : {1, 2}) {
    Session session = open_bound(small_network(), {.threads = threads});
    results.push_back(outputs_of(session));
    ASSERT_TRUE(session.run());
    results.push_back(outputs_of(session));
  }
  ASSERT_THAT(results[0], SizeIs(1));
  EXPECT_EQ(results[0][0].data.size(), 1000 * sizeof(float));
  for (const auto& result : results) EXPECT_TRUE(equal(result, results[0]));

  Session session = open(small_network());
  ASSERT_TRUE(session.bind(inputs_for(session.inputs(), 2)));
  EXPECT_FALSE(equal(outputs_of(session), results[0]));
}

TEST_P(EngineTest, SessionsDoNotDisturbEachOther) {
  const SessionOptions traces = {.trace_time = true, .trace_memory = tells_memory()};
  Session first = open_bound(small_network(), traces);
  const auto expected = outputs_of(first);
  {
    Session second = open_bound(small_network(), traces);
    Session moved = std::move(second);
    EXPECT_TRUE(equal(outputs_of(moved), expected));
    moved = open_bound(small_network());
    EXPECT_TRUE(moved.run());
  }
  EXPECT_TRUE(equal(outputs_of(first), expected));
}

TEST_P(EngineTest, FetchesValuesInsideTheModel) {
  auto network = zoo::build("mobilenet_v2?resolution=64&width=0.25");
  ASSERT_TRUE(network);
  const Graph& graph = network->model.graph();
  const std::string inside(graph.tensors[graph.nodes[1].outputs[0]].name);
  for (const auto level : {STRATA_OPT_NONE, STRATA_OPT_ALL}) {
    Session session = open_bound(small_network(), {.optimization = level, .fetch = {inside}});
    const auto ports = session.outputs();
    ASSERT_THAT(ports, SizeIs(2));
    EXPECT_EQ(ports[1].name, inside);
    const auto outputs = outputs_of(session);
    ASSERT_THAT(outputs, SizeIs(2));
    EXPECT_EQ(outputs[1].name, inside);
    EXPECT_THAT(outputs[1].dims, ElementsAre(1, 8, 32, 32));
    EXPECT_EQ(outputs[1].data.size(), 8 * 32 * 32 * sizeof(float));
  }
  const auto wrong = engine_->open(ModelBytes{small_network()}, {.fetch = {"no such value"}});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("no such value"));
}

TEST_P(EngineTest, VisitorsCanEndARun) {
  Session session = open_bound(small_network());
  int seen = 0;
  EXPECT_TRUE(session.run_visiting([&](const StrataTensor& tensor) {
    EXPECT_EQ(tensor.bytes, 1000 * sizeof(float));
    return ++seen > 0;
  }));
  EXPECT_EQ(seen, 1);
  EXPECT_FALSE(session.run_visiting([](const StrataTensor&) { return false; }));
  EXPECT_TRUE(session.run());
}

TEST_P(EngineTest, CanBeCancelled) {
  Session session = open_bound(small_network());
  ASSERT_TRUE(session.run());
  session.cancel();
  EXPECT_FALSE(session.run());
  EXPECT_TRUE(session.run());

  std::atomic<bool> started = false;
  std::thread runs([&] {
    while (session.run()) started = true;
  });
  while (!started) std::this_thread::yield();
  session.cancel();
  runs.join();
  EXPECT_TRUE(session.run());
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineTest, ::testing::ValuesIn(test::onnx_engines()),
                         [](const auto& each) { return each.param; });

// If strata was built with engines (cmake/engines.cmake), tests that need them must not pass
// by being skipped.
TEST(Engines, ThoseOfThisBuildAreHere) {
  const std::string expected = STRATA_EXPECTED_ENGINES;
  EXPECT_THAT(expected, HasSubstr("fake"));
  for (std::size_t at = 0; at < expected.size();) {
    const std::size_t end = std::min(expected.find(' ', at), expected.size());
    const auto engine = load_engine(expected.substr(at, end - at));
    EXPECT_TRUE(engine) << engine.error().message;
    at = end + 1;
  }
}

TEST(Engines, WhatIsMissingIsSaidWithEveryPlaceTried) {
  const auto engine = load_engine("abacus", "/one:/two");
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::EngineMissing);
  EXPECT_THAT(engine.error().fields().found,
              AllOf(HasSubstr("/one/libstrata_engine_abacus.so: not there"),
                    HasSubstr("/two/libstrata_engine_abacus.so: not there"),
                    HasSubstr("/engines/libstrata_engine_abacus.so: not there")));
  EXPECT_FALSE(load_engine("../fake"));
}

TEST(Engines, AFileThatIsNoPluginIsSaidToBeNone) {
  const std::string folder = ::testing::TempDir() + "strata_no_plugin";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/libstrata_engine_prose.so") << "this is prose";
  const auto engine = load_engine("prose", folder);
  ASSERT_FALSE(engine);
  EXPECT_THAT(engine.error().fields().found, HasSubstr("libstrata_engine_prose.so: "));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace strata

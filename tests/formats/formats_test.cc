// One document in the formats of other programs, in the judgement of Python's own json, csv and XML
// readers: check_formats.py compares each with the document as JSON.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include <fmt/format.h>

#include "../run_shell.h"
#include "strata/base/scratch_folder.h"
#include "strata/document/render.h"

namespace {

using namespace strata;

// Stages of blocks of layers, each with a time of its own; one is done by another's kernel. Times
// are from 10 ns to 1 ms, so that rounding them one by one would add up to something.
Document measured_profile() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> power(-8, -3);
  Document document = new_document("profile");
  document.facts = {{"model", Members{{"path", FilePath{"net.onnx"}}}},
                    {"report", "tape"},
                    {"roofline", Members{{"flops_per_s", 5e10}, {"bytes_per_s", 1e10}}}};
  Table table{.name = "layers",
              .columns = {{"layer", "Layer"},
                          {"type", "Type"},
                          {"output", "Output"},
                          {"params", "Params", Unit::Count, true},
                          {"macs", "MACs", Unit::Macs, true},
                          {.name = "macs%", .title = "%", .unit = Unit::Percent, .share = true},
                          {"mem", "Moved", Unit::Bytes, true},
                          {"intensity", "FLOP/B", Unit::FlopsPerByte},
                          {"flops_per_s", "FLOP/s", Unit::FlopsPerSecond},
                          {"time", "Time", Unit::Seconds, true},
                          {"alive", "Alive", Unit::Bytes}}};
  const auto add = [&](const std::string& layer, const char* type, bool timed) {
    const double seconds = std::pow(10, power(random));
    const auto macs = static_cast<std::int64_t>(seconds * 2e10);
    table.rows.push_back({.cells = {layer, type, "1×8, \"x\"", 100, macs, 12.5, 4096,
                                    2.0 * static_cast<double>(macs) / 4096,
                                    2.0 * static_cast<double>(macs) / seconds,
                                    timed ? Cell(seconds) : Cell(), 1 << 20}});
  };
  add("stem", "Conv2d", true);
  for (int stage = 0; stage < 3; ++stage)
    for (int block = 0; block < 4; ++block) {
      add(fmt::format("stages.{}.{}.conv", stage, block), "Conv2d", true);
      add(fmt::format("stages.{}.{}.norm", stage, block), "BatchNorm2d", block != 2);
      add(fmt::format("stages.{}.{}.act", stage, block), "ReLU", true);
    }
  add("=head", "Linear", true);
  add("stem", "Conv2d", true);  // called once more
  document.tables.push_back(std::move(table));
  return document;
}

class Formats : public testing::Test {
 protected:
  const strata::ScratchFolder scratch_ = strata::ScratchFolder::create().value();
  const std::string folder_ = scratch_.path();
};

TEST_F(Formats, SayWhatTheDocumentSays) {
  const Document document = measured_profile();
  for (const char* name : {"json", "csv", "excel", "trace", "model-explorer"}) {
    const Renderer& renderer = **find_renderer(name);
    const Status status =
        save_document(document, renderer, fmt::format("{}/profile{}", folder_, renderer.endings));
    ASSERT_TRUE(status) << name << ": " << status.error().message;
  }
  for (const char* chart : {"along", "memory", "roofline", "treemap"})
    for (const char* format : {"svg", "png"}) {
      const Status status =
          save_document(document, **find_renderer(format),
                        fmt::format("{}/{}.{}", folder_, chart, format), {.chart = chart});
      ASSERT_TRUE(status) << chart << ": " << status.error().message;
    }
  const Ran judged = run_shell(
      "/usr/bin/python3 -B " STRATA_SOURCE_DIR "/tests/formats/check_formats.py " + folder_);
  EXPECT_EQ(judged.code, 0) << judged.text;
}

TEST_F(Formats, ReplaceTheirOwnAndNothingElse) {
  const Document document = measured_profile();
  for (const char* name : {"trace", "model-explorer", "svg", "png", "excel"}) {
    const std::string file = folder_ + "/out";
    std::filesystem::remove(file);
    ASSERT_TRUE(save_document(document, **find_renderer(name), file)) << name;
    EXPECT_TRUE(save_document(document, **find_renderer(name), file)) << name;
    ASSERT_EQ(run_shell("echo '{\"mine\": 1}' > " + file).code, 0);
    EXPECT_FALSE(save_document(document, **find_renderer(name), file)) << name;
  }
}

TEST_F(Formats, RefuseWhatTheyCannotShow) {
  Document document = measured_profile();
  document.kind = "bench";
  const Status other = save_document(document, **find_renderer("trace"), folder_ + "/t");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "a document of the kind \"bench\" cannot be shown as trace: a measured run as Chrome's "
            "tracing and Perfetto show it");
  document.kind = "profile";
  document.tables.front().columns[9].name = "other";
  const Status untimed = save_document(document, **find_renderer("trace"), folder_ + "/t");
  ASSERT_FALSE(untimed);
  EXPECT_EQ(untimed.error().message,
            "no row has a time: the network was not run, or the column was not asked for");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/t"));
}

}  // namespace

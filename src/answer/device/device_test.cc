#include "strata/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <regex>

#include "base/embedded.h"
#include "base/toml_text.h"
#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Devices, EachNumberHasASource) {
  const auto devices = all_devices();
  EXPECT_EQ(devices.size(), device_names().size());
  EXPECT_GE(devices.size(), 60u);
  for (const Device& device : devices) {
    EXPECT_FALSE(device.peaks.empty()) << device.name;
    for (const Peak& peak : device.peaks) {
      EXPECT_GT(peak.per_second.value, 0) << device.name;
      EXPECT_THAT(peak.per_second.source, testing::Not(IsEmpty())) << device.name;
    }
    if (device.kind == "mcu") {
      EXPECT_TRUE(device.ram_bytes && device.flash_bytes && device.clock_hz) << device.name;
    } else {
      ASSERT_TRUE(device.bandwidth) << device.name;
      EXPECT_THAT(device.bandwidth->source, testing::Not(IsEmpty())) << device.name;
    }
  }
}

// The files are read by a reader of their own; toml++ has to see the same in them.
TEST(Devices, FilesAreToml) {
  for (const std::string& name : device_names()) {
    const std::string path = "data/devices/" + name + ".toml";
    const auto table = toml_from_text(embedded_file(path).value(), path);
    ASSERT_TRUE(table.has_value()) << table.error().message;
    const auto device = find_device(name);
    ASSERT_TRUE(device.has_value());
    EXPECT_EQ(table->get("title")->value<std::string>(), device->title);
    std::size_t figures = device->peaks.size();
    for (const auto* figure :
         {&device->memory_bytes, &device->bandwidth, &device->power, &device->process_nm,
          &device->units, &device->clock_hz, &device->l2_bytes, &device->l3_bytes,
          &device->ram_bytes, &device->flash_bytes, &device->link})
      figures += figure->has_value() ? 1 : 0;
    std::size_t keys = 0;
    for (const auto& [key, node] : *table)
      keys += key != "title" && key != "kind" && key != "family" && key != "note" &&
              key != "source" && key != "aliases" && key != "sources" && key != "checked";
    EXPECT_EQ(figures, keys) << name;
  }
}

// Operations a clock and unit, from the white papers of the architectures; units and clocks are in
// the same data sheets as the peaks, so that a number that was mistyped shows.
TEST(Devices, PeaksAreUnitsTimesClockTimesWidth) {
  struct Width {
    const char* name;
    const char* precision;
    double per_clock;
  };
  constexpr Width kWidths[] = {{"p100", "fp32", 128},
                               {"p4", "fp32", 256},
                               {"p40", "fp32", 256},
                               {"v100", "fp32", 128},
                               {"v100", "fp16", 1024},
                               {"t4", "fp32", 128},
                               {"t4", "fp16", 1024},
                               {"t4", "int8", 2048},
                               {"a100-80", "fp32", 128},
                               {"a100-80", "fp16", 2048},
                               {"a100-80", "tf32", 1024},
                               {"a100-80", "int8", 4096},
                               {"a30", "fp32", 128},
                               {"a30", "fp16", 2048},
                               {"a10", "fp32", 256},
                               {"a10", "fp16", 1024},
                               {"a40", "fp32", 256},
                               {"a40", "fp16", 1024},
                               {"a2", "fp32", 256},
                               {"a2", "fp16", 1024},
                               {"rtx-a6000", "fp16", 1024},
                               {"l4", "fp32", 256},
                               {"l4", "fp16", 1024},
                               {"l4", "fp8", 2048},
                               {"l40", "fp32", 256},
                               {"l40", "fp16", 512},
                               {"l40s", "fp32", 256},
                               {"l40s", "fp16", 1024},
                               {"h100", "fp32", 256},
                               {"h100-pcie", "fp32", 256},
                               {"rtx-3090", "fp32", 256},
                               {"rtx-3090", "fp16", 512},
                               {"rtx-4090", "fp32", 256},
                               {"rtx-4090", "fp16", 512},
                               {"rtx-4090", "fp8", 1024},
                               {"rtx-5090", "fp32", 256},
                               {"rtx-5090", "fp16", 512},
                               {"rtx-5090", "fp4", 4096},
                               {"jetson-orin", "fp32", 256},
                               {"jetson-orin", "int8", 4096},
                               {"jetson-nano", "fp32", 256},
                               {"mi100", "fp32", 128},
                               {"mi210", "fp32", 128},
                               {"mi210", "fp16", 1024},
                               {"mi250", "fp16", 1024},
                               {"mi300x", "fp32", 256},
                               {"mi300x", "fp16", 2048},
                               {"rx-7900-xtx", "fp32", 256},
                               {"rx-6900-xt", "fp32", 128},
                               {"rx-9070-xt", "fp16", 1024},
                               {"m1", "fp32", 256},
                               {"m2-max", "fp32", 256},
                               {"m2-ultra", "fp32", 256},
                               {"arc-a770", "fp32", 256},
                               {"raspberry-pi-5", "fp32", 16},
                               {"cortex-m7", "int8", 4}};
  for (const Width& width : kWidths) {
    const auto device = find_device(width.name);
    ASSERT_TRUE(device.has_value()) << width.name;
    const Figure* peak = device->peak(width.precision);
    ASSERT_NE(peak, nullptr) << width.name << " " << width.precision;
    const double expected = device->units->value * device->clock_hz->value * width.per_clock;
    EXPECT_NEAR(peak->value / expected, 1, 0.02) << width.name << " " << width.precision;
  }
}

// `384-bit GDDR6X at 21 Gbit/s per pin` is 384 · 21 / 8 GB/s; `8 channels of DDR4-3200` are
// 8 · 8 · 3.2 GB/s.
TEST(Devices, BandwidthsAreThoseOfTheMemory) {
  const std::regex bus(R"((\d+)-bit .* at ([\d.]+) Gbit/s per pin)");
  const std::regex channels(R"((\d+) channels of L?P?DDR\d-(\d+))");
  const std::regex width(R"((\d+)-bit LPDDR\w+-(\d+))");
  std::size_t checked = 0;
  for (const Device& device : all_devices()) {
    if (!device.bandwidth) continue;
    const std::string& text = device.bandwidth->source;
    std::smatch found;
    double bytes = 0;
    if (std::regex_match(text, found, bus))
      bytes = std::stod(found[1]) * std::stod(found[2]) * 1e9 / 8;
    else if (std::regex_match(text, found, channels))
      bytes = std::stod(found[1]) * 8 * std::stod(found[2]) * 1e6;
    else if (std::regex_match(text, found, width))
      bytes = std::stod(found[1]) / 8 * std::stod(found[2]) * 1e6;
    else
      continue;
    ++checked;
    EXPECT_NEAR(device.bandwidth->value / bytes, 1, 0.01) << device.name;
  }
  EXPECT_GE(checked, 70u);
}

TEST(Devices, NamesAndCounts) {
  EXPECT_EQ(find_device("RTX 4090")->name, "rtx-4090");
  EXPECT_EQ(find_device("rtx4090")->name, "rtx-4090");
  EXPECT_EQ(find_device("a100")->name, "a100-80");
  EXPECT_EQ(find_devices("8xh200")->count, 8);
  EXPECT_EQ(find_devices("h200×4")->count, 4);
  EXPECT_EQ(find_devices("h200×4")->device.name, "h200");
  EXPECT_EQ(find_devices("2 x L40S")->device.name, "l40s");
  EXPECT_EQ(find_devices("rtx4090")->count, 1);
  EXPECT_EQ(find_devices("rtx4090x2")->count, 2);
  EXPECT_FALSE(find_devices("0xh200"));
  EXPECT_FALSE(find_devices("x"));
  EXPECT_FALSE(find_devices(""));
  EXPECT_THAT(find_device("rtx-4091").error().message, HasSubstr("rtx-4090"));
  const Device own{.name = "h100", .title = "mine"};
  EXPECT_EQ(find_devices("2xh100", {own})->device.title, "mine");
}

TEST(Devices, AFileOfAUser) {
  const auto device = parse_device(
      "# A board.\ntitle = \"My board\"\nsource = \"measured\"\nfp32 = \"1.5 TFLOP/s\" # vectors\n"
      "bandwidth = \"50 GB/s\"\nmemory = \"8 GiB\"\nclock = \"1.5 GHz\"\nunits = 4\npower = \"900 "
      "mW\"\n\n[sources]\nmemory = \"the box\"\n",
      "board", "board.toml");
  ASSERT_TRUE(device.has_value()) << device.error().message;
  EXPECT_EQ(device->title, "My board");
  EXPECT_DOUBLE_EQ(device->peak("fp32")->value, 1.5e12);
  EXPECT_DOUBLE_EQ(device->bandwidth->value, 50e9);
  EXPECT_DOUBLE_EQ(device->memory_bytes->value, 8.0 * (1 << 30));
  EXPECT_DOUBLE_EQ(device->clock_hz->value, 1.5e9);
  EXPECT_DOUBLE_EQ(device->units->value, 4);
  EXPECT_DOUBLE_EQ(device->power->value, 0.9);
  EXPECT_EQ(device->memory_bytes->source, "the box");
  EXPECT_EQ(device->bandwidth->source, "measured");
}

// A written file can be read again, by toml++ as well.
TEST(Devices, AMeasuredDeviceIsWrittenAndRead) {
  Device device{
      .name = "mine", .title = "My \\ \"machine\"\n", .kind = "cpu", .family = "measured"};
  device.bandwidth = Figure{12.5e9, "a triad"};
  device.units = Figure{2, ""};
  device.peaks.push_back({"fp32", {88.25e9, "fused multiply-adds"}});
  device.measured =
      MeasuredRuntime{"fake 1, 2 threads",
                      "engine",
                      "fp32",
                      3e-6,
                      0.8,
                      1.25,
                      {{"conv1x1", 0.75, 2.5, 1.5e-6, 12}, {"pool", 0.02, 0.5, 2e-6, 3}}};
  const std::string text = device_text(device);
  EXPECT_TRUE(toml_from_text(text, "mine.toml").has_value()) << text;
  const auto read = parse_device(text, "mine", "mine.toml");
  ASSERT_TRUE(read.has_value()) << read.error().message << text;
  EXPECT_EQ(read->title, "My    machine  ");
  EXPECT_DOUBLE_EQ(read->bandwidth->value, 12.5e9);
  EXPECT_EQ(read->bandwidth->source, "a triad");
  EXPECT_DOUBLE_EQ(read->peak("fp32")->value, 88.25e9);
  ASSERT_TRUE(read->measured);
  EXPECT_EQ(read->measured->engine, "fake 1, 2 threads");
  EXPECT_EQ(read->measured->runtime, "engine");
  EXPECT_DOUBLE_EQ(read->measured->launch_seconds, 3e-6);
  EXPECT_DOUBLE_EQ(read->measured->high, 1.25);
  ASSERT_EQ(read->measured->classes.size(), 2u);
  EXPECT_EQ(read->measured->classes[0].name, "conv1x1");
  EXPECT_DOUBLE_EQ(read->measured->classes[0].memory, 2.5);
  EXPECT_EQ(read->measured->classes[1].kernels, 3u);
}

TEST(Devices, ABrokenFileSaysWhere) {
  const auto message = [](std::string_view text) {
    const auto device = parse_device(text, "a", "a.toml");
    return device ? std::string() : device.error().message;
  };
  EXPECT_THAT(message(""), HasSubstr("neither a speed nor a bandwidth"));
  EXPECT_EQ(message("x"), "a.toml:1: a line has the form key = \"value\"");
  EXPECT_THAT(message("\nbandwith = \"1 GB/s\""),
              HasSubstr("a.toml:2: a device has no \"bandwith\" (did you mean bandwidth"));
  EXPECT_EQ(message("fp32 = \"1 TFLOP/s"), "a.toml:1: the text has no closing quote");
  EXPECT_THAT(message("fp32 = \"fast\""), HasSubstr("a.toml:1: \"fast\" is not a speed"));
  EXPECT_THAT(message("power = \"-3 W\""), HasSubstr("a.toml:1: \"-3 W\" is not a number of W"));
  EXPECT_EQ(message("fp32 = \"1 TFLOP/s\"\nfp32 = \"1 TFLOP/s\""),
            "a.toml:2: \"fp32\" is stated twice");
  EXPECT_EQ(message("[other]"),
            "a.toml:1: a device has the sections [sources], [checked], [measured] and [classes]");
  EXPECT_EQ(message("[classes]"), "a.toml:1: [classes] follows [measured]");
  EXPECT_EQ(message("[measured]\nspeed = \"1\""), "a.toml:2: [measured] has no \"speed\"");
  EXPECT_EQ(message("[measured]\n[classes]\nconv = \"0.5 0.5 1e-6\""),
            "a.toml:3: \"\" is not a number above 0");
  EXPECT_EQ(message("[measured]\n[classes]\nconv = \"1 1 1e-6 3 4\""),
            "a.toml:3: \"4\" follows the four numbers");
  EXPECT_EQ(message("[sources]\nfp32 = \"a\""), "a.toml:2: no \"fp32\" is stated above");
}

}  // namespace
}  // namespace strata

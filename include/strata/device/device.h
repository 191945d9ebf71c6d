// Machines that strata knows by their data sheets: how fast they compute and move bytes, and how
// much they hold. Every number says where it is from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/machine/roofline.h"

namespace strata {

struct Figure {
  double value = 0;
  std::string source;        // the data sheet, or the arithmetic that gave the number
  std::string checked = {};  // who else states it, and why if it differs; empty: nobody was asked
};

// The most operations a second in one precision, without sparsity. A multiply-add is two. Products
// in fp16 and bf16 are accumulated in fp32, those in int8 in int32.
struct Peak {
  std::string precision;  // `fp32` is that of vectors; `fp32-matrix`, `tf32`, `fp16`, `bf16`, …
  Figure per_second;
};

// The speed that kernels of one class reached when the device was measured.
struct MeasuredClass {
  std::string name;  // as `strata predict` calls it: `conv1x1`
  // Shares of the fp32 peak and of the bandwidth; the latter exceeds 1 where caches serve kernels.
  double compute = 1, memory = 1;
  double launch_seconds = 0;
  std::size_t kernels = 0;  // that were measured
};

// The outcome of `strata calibrate-device`.
struct MeasuredRuntime {
  std::string engine;   // with its release and threads
  std::string runtime;  // how it fuses: `engine`
  std::string precision;
  double launch_seconds = 0;  // of classes that were not measured
  double low = 1, high = 1;   // measured over predicted, for 9 of 10 networks
  std::vector<MeasuredClass> classes = {};
};

struct Device {
  std::string name;        // as it is asked for: `rtx-4090`
  std::string title = {};  // as its maker calls it
  std::string kind = {};   // `gpu`, `edge`, `accelerator`, `laptop`, `cpu`, `board`, `phone`, `mcu`
  std::string family = {};  // devices of one design: `ada`, `x86`, `cortex-m7`
  std::string note = {};    // what a reader of its numbers should know; may be empty
  // nullopt: the maker does not say, or it has none.
  std::optional<Figure> memory_bytes = {};  // where weights and activations are
  std::optional<Figure> bandwidth = {};     // of that memory, bytes a second
  std::optional<Figure> power = {};         // the most it is designed to take, in W
  std::optional<Figure> process_nm = {};    // its generation of manufacturing: `5 nm`
  std::optional<Figure> units = {};         // cores; streaming multiprocessors; compute units
  std::optional<Figure> clock_hz = {};      // boost clock of a GPU
  std::optional<Figure> l2_bytes = {}, l3_bytes = {};
  std::optional<Figure> ram_bytes = {}, flash_bytes = {};  // of a microcontroller
  std::optional<Figure> link = {};  // to its neighbours, bytes a second in one direction
  std::vector<Peak> peaks = {};
  std::optional<MeasuredRuntime> measured = {};

  const Figure* peak(std::string_view precision) const;  // nullptr: not stated
};

// One device by its name or another that its file lists. Case, spaces, `-` and `_` do not count.
// `this` is the machine that runs: it is measured, which takes half a second the first time.
Result<Device> find_device(std::string_view name);
// The names of all of them, sorted. Does not read their files.
std::vector<std::string> device_names();
// All devices that are compiled in, by name.
std::vector<Device> all_devices();

// A device that a user describes. Its name is that of the file without its ending.
Result<Device> read_device_file(const std::string& path);
// Like above, from a text; `file` names it in errors.
Result<Device> parse_device(std::string_view text, std::string_view name, std::string_view file);
// A text that parse_device() reads.
std::string device_text(const Device& device);

// The limits of a device by its data sheet, for work in fp32. An error if it does not state them.
Result<Roofline> roofline_of(const Device& device);

// Several of one kind: `8xh200`, `h200x8` or `h200×8`.
struct DeviceCount {
  Device device;
  int count = 1;
};
// `added` are devices of users, which come before those with the same name that are compiled in.
Result<DeviceCount> find_devices(std::string_view text, const std::vector<Device>& added = {});

}  // namespace strata

// Reads data/predict: a file of constants for each runtime and device, or kind of device.
#include "strata/predict/efficiency.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "base/in_quotes.h"
#include "base/json_text.h"
#include "base/nearest.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kIndex = "data/predict/index.json";

// How likely times grow beyond the measured spread with each thing that is not alike. Assumed: the
// published measurements have too few devices to fit it.
constexpr double kOtherKind = 1.35, kOtherRuntime = 1.15, kOtherPrecision = 1.15,
                 kOtherChannels = 1.15;

// One entry of the index.
struct Entry {
  Efficiency efficiency = {};  // without what depends on the device that is asked for
  std::string device = {};     // empty: any
  std::vector<std::string> kinds = {}, precisions = {}, fitted_devices = {}, fitted_kinds = {};
  ChannelOrder channels = ChannelOrder::First;
  Spread unseen = {};  // for devices that it was not fitted on
};

bool lists(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void read_shares(const Json& from, std::array<double, kKernelClasses>& shares, double usual) {
  shares.fill(usual);
  for (const auto& [name, value] : from.items())
    if (const auto kind = kernel_class_from_name(name))
      shares[static_cast<std::size_t>(*kind)] = value.get<double>();
}

Spread read_spread(const Json& from) {
  return {from.at(0).get<double>(), from.at(1).get<double>()};
}

ProductConstants read_products(const Json& from) {
  const auto number = [&](const char* key) { return from.at(key).get<double>(); };
  return {.compute = number("compute"),
          .memory = number("memory"),
          .launch_seconds = number("launch_s"),
          .small = number("small"),
          .depth = number("depth"),
          .waves = number("waves")};
}

// The entry that has the shares of classes: this one, or the one that it is like.
const Json& entry_of_classes(const Json& all, const Json& entry) {
  if (!entry.contains("like")) return entry;
  for (const Json& other : all)
    if (other.at("name") == entry.at("like")) return other;
  return entry;
}

Entry read_entry(const Json& all, const Json& from) {
  Entry out;
  Efficiency& efficiency = out.efficiency;
  const auto text = [&](const char* key) { return from.at(key).get<std::string>(); };
  const auto texts = [&](const char* key) { return from.at(key).get<std::vector<std::string>>(); };
  efficiency.name = text("name");
  efficiency.fitted_on = text("fitted_on");
  efficiency.layers = from.value("layers", "");
  efficiency.runtime = runtime_from_name(text("runtime")).value_or(Runtime::Eager);
  const Json& classes = entry_of_classes(all, from);
  read_shares(classes.at("compute"), efficiency.compute, classes.at("usual_compute").get<double>());
  read_shares(classes.at("memory"), efficiency.memory, classes.at("usual_memory").get<double>());
  efficiency.launch_seconds.fill(classes.at("launch_s").get<double>());
  efficiency.watts_per_tflops = classes.value("watts_per_tflops", 0.0);
  efficiency.backward = classes.value("backward", 1.0);
  if (from.contains("products")) efficiency.products = read_products(from.at("products"));
  efficiency.spread = read_spread(from.at("spread"));
  out.unseen = read_spread(from.at("spread_unseen"));
  out.device = text("device");
  out.kinds = texts("kinds");
  if (from.value("channels_last", false)) out.channels = ChannelOrder::Last;
  out.precisions = texts("precisions");
  out.fitted_devices = texts("fitted_devices");
  out.fitted_kinds = texts("fitted_kinds");
  return out;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kEntries = [] {
    std::vector<Entry> list;
    const Json all = json_from_text(embedded_file(kIndex).value_or("[]"));
    for (const Json& one : all) list.push_back(read_entry(all, one));
    return list;
  }();
  return kEntries;
}

// The higher, the nearer.
int likeness(const Entry& entry, const Device& device, Runtime runtime, std::string_view precision,
             ChannelOrder channels) {
  int points = 0;
  if (lists(entry.kinds, device.kind)) points += 16;
  if (entry.efficiency.runtime == runtime) points += 8;
  if (lists(entry.precisions, precision)) points += 4;
  if (entry.channels == channels) points += 2;
  if (entry.device == device.name)
    points += 1;
  else if (!entry.device.empty())
    return -1;  // constants of one device are for that device
  return points;
}

void widen(Spread& spread, double factor) {
  spread.low /= factor;
  spread.high *= factor;
}

Efficiency for_device(const Entry& entry, const Device& device, Runtime runtime,
                      std::string_view precision, ChannelOrder channels) {
  Efficiency out = entry.efficiency;
  out.same_device = lists(entry.fitted_devices, device.name);
  out.same_kind = lists(entry.fitted_kinds, device.kind);
  out.same_runtime = out.runtime == runtime;
  out.same_precision = lists(entry.precisions, precision);
  out.same_channels = entry.channels == channels || runtime == Runtime::Engine;
  out.runtime = runtime;
  if (!out.same_device) out.spread = entry.unseen;
  if (!out.same_precision) out.products.reset();
  if (!out.same_kind) widen(out.spread, kOtherKind);
  if (!out.same_runtime) widen(out.spread, kOtherRuntime);
  if (!out.same_precision) widen(out.spread, kOtherPrecision);
  if (!out.same_channels) widen(out.spread, kOtherChannels);
  return out;
}

Error no_such_class(const Device& device, std::string_view name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kKernelClasses; ++i)
    names.emplace_back(name_of(static_cast<KernelClass>(i)));
  return {fmt::format("{}: [classes] has {}, which is not a class of kernels{}", device.name,
                      in_quotes(name), did_you_mean(name, names)),
          ErrorKind::Usage};
}

// Assumed for classes that were not measured.
constexpr double kUsualCompute = 0.3, kUsualMemory = 0.8;

Result<Efficiency> measured_efficiency(const Device& device, Runtime runtime,
                                       std::string_view precision) {
  const MeasuredRuntime& measured = *device.measured;
  std::size_t kernels = 0;
  Efficiency out{.name = device.name, .runtime = runtime};
  out.compute.fill(kUsualCompute);
  out.memory.fill(kUsualMemory);
  out.launch_seconds.fill(measured.launch_seconds);
  for (const MeasuredClass& one : measured.classes) {
    const auto kind = kernel_class_from_name(one.name);
    if (!kind) return failure(no_such_class(device, one.name));
    const auto at = static_cast<std::size_t>(*kind);
    out.compute[at] = one.compute;
    out.memory[at] = one.memory;
    out.launch_seconds[at] = one.launch_seconds;
    kernels += one.kernels;
  }
  out.fitted_on = fmt::format("{} kernels measured with {}", kernels, measured.engine);
  out.same_device = out.same_kind = out.same_runtime = out.same_channels = true;
  out.same_precision = measured.precision == precision;
  out.spread = {measured.low, measured.high};
  if (!out.same_precision) widen(out.spread, kOtherPrecision);
  return out;
}

}  // namespace

Result<Efficiency> find_efficiency(const Device& device, Runtime runtime,
                                   std::string_view precision, ChannelOrder channels) {
  if (device.measured && device.measured->runtime == name_of(runtime))
    return measured_efficiency(device, runtime, precision);
  try {
    const Entry* best = nullptr;
    int points = -1;
    for (const Entry& entry : entries())
      if (const int now = likeness(entry, device, runtime, precision, channels); now > points) {
        best = &entry;
        points = now;
      }
    if (best != nullptr) return for_device(*best, device, runtime, precision, channels);
  } catch (const std::exception& e) {
    return failure(fmt::format("{}: {}", kIndex, e.what()), ErrorKind::Bug);
  }
  return failure(fmt::format("{}: it has no constants", kIndex), ErrorKind::Bug);
}

}  // namespace strata

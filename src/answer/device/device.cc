#include "strata/device/device.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/comma_list.h"
#include "base/embedded.h"
#include "base/nearest.h"

namespace strata {

namespace {

constexpr std::string_view kFolder = "data/devices/", kEnding = ".toml";
constexpr int kMaxDevices = 1'000'000;

std::span<const std::string_view> device_paths() {
  const auto all = embedded_paths();
  const auto first = std::lower_bound(all.begin(), all.end(), kFolder);
  const auto last = std::find_if(first, all.end(),
                                 [](std::string_view path) { return !path.starts_with(kFolder); });
  return {first, last};
}

std::string_view name_of_path(std::string_view path) {
  return path.substr(kFolder.size(), path.size() - kFolder.size() - kEnding.size());
}

// `RTX 4090`, `rtx_4090` and `rtx-4090` are the same.
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
    else if (c != ' ' && c != '-' && c != '_')
      out += c;
  return out;
}

// The list at `aliases = "a, b"`, which stands in the first lines.
std::string_view aliases_in(std::string_view text) {
  constexpr std::string_view kKey = "\naliases = \"";
  const std::size_t at = text.find(kKey);
  if (at == text.npos) return {};
  text.remove_prefix(at + kKey.size());
  return text.substr(0, text.find('"'));
}

bool lists(std::string_view aliases, const std::string& plain) {
  const auto all = comma_list(aliases);
  return std::any_of(all.begin(), all.end(),
                     [&](std::string_view alias) { return plain_name(alias) == plain; });
}

Result<Device> device_at(std::string_view path) {
  auto device = parse_device(embedded_file(path).value_or(""), name_of_path(path), path);
  if (!device) return failure(device.error().message, ErrorKind::Bug);
  return device;
}

Device this_machine() {
  const Roofline roofline = cached_roofline(0);
  const std::string source =
      fmt::format("measured here: {}, {} threads", roofline.kernel, roofline.threads);
  Device device{.name = "this", .title = roofline.cpu, .kind = "cpu", .family = "this"};
  device.note = roofline.note;
  device.units = Figure{static_cast<double>(roofline.threads), source};
  device.bandwidth = Figure{roofline.bytes_per_second, source};
  device.peaks.push_back({"fp32", {roofline.fp32_flops, source}});
  if (roofline.bf16_flops) device.peaks.push_back({"bf16", {*roofline.bf16_flops, source}});
  if (roofline.int8_ops) device.peaks.push_back({"int8", {*roofline.int8_ops, source}});
  return device;
}

// The path of a device that is compiled in; empty if there is none.
std::string_view path_of(std::string_view name) {
  const std::string plain = plain_name(name);
  for (const std::string_view path : device_paths())
    if (plain_name(name_of_path(path)) == plain) return path;
  for (const std::string_view path : device_paths())
    if (lists(aliases_in(embedded_file(path).value_or("")), plain)) return path;
  return {};
}

const Device* added_device(std::string_view name, const std::vector<Device>& added) {
  const std::string plain = plain_name(name);
  for (const Device& device : added)
    if (plain_name(device.name) == plain) return &device;
  return nullptr;
}

// A count that stands before or behind a name.
struct Split {
  std::string_view name;
  int count = 1;
};

std::optional<int> count_in(std::string_view digits) {
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  int count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size() || count < 1 ||
      count > kMaxDevices)
    return std::nullopt;
  return count;
}

std::optional<Split> split_count(std::string_view text) {
  for (const std::string_view times : {"×", "x", "X", "*"}) {
    if (const std::size_t at = text.find(times); at != text.npos)
      if (const auto count = count_in(text.substr(0, at)))
        return Split{text.substr(at + times.size()), *count};
    if (const std::size_t at = text.rfind(times); at != text.npos)
      if (const auto count = count_in(text.substr(at + times.size())))
        return Split{text.substr(0, at), *count};
  }
  return std::nullopt;
}

}  // namespace

const Figure* Device::peak(std::string_view precision) const {
  for (const Peak& one : peaks)
    if (one.precision == precision) return &one.per_second;
  return nullptr;
}

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const std::string_view path : device_paths()) names.emplace_back(name_of_path(path));
  return names;
}

std::vector<Device> all_devices() {
  std::vector<Device> devices;
  devices.reserve(device_paths().size());
  for (const std::string_view path : device_paths())
    if (auto device = device_at(path)) devices.push_back(std::move(*device));
  return devices;
}

Result<Device> find_device(std::string_view name) {
  if (name == "this") return this_machine();
  if (const std::string_view path = path_of(name); !path.empty()) return device_at(path);
  return failure(
      Code::NoDevice, {.name = std::string(name)},
      fmt::format("no device is called \"{}\"{}", name, did_you_mean(name, device_names())));
}

Result<Roofline> roofline_of(const Device& device) {
  const Figure* peak = device.peak("fp32-matrix");
  if (peak == nullptr) peak = device.peak("fp32");
  if (peak == nullptr || !device.bandwidth)
    return failure(fmt::format("{} states no {}, so it has no roofline", device.name,
                               peak == nullptr ? "peak for fp32" : "bandwidth"),
                   ErrorKind::Usage);
  Roofline out;
  out.cpu = device.title;
  out.fp32_flops = peak->value;
  out.threads = 0;  // it is not here
  out.bytes_per_second = device.bandwidth->value;
  out.kernel = device.name;
  out.note = fmt::format("the limits are those of {} in fp32, by its data sheet", device.title);
  return out;
}

Result<DeviceCount> find_devices(std::string_view text, const std::vector<Device>& added) {
  const auto known = [&](std::string_view name) {
    return name == "this" || added_device(name, added) != nullptr || !path_of(name).empty();
  };
  Split split{text, 1};
  if (!known(text))  // a whole name first: `rtx4090` has an x and digits, too
    if (const auto found = split_count(text); found && known(found->name)) split = *found;
  if (const Device* device = added_device(split.name, added))
    return DeviceCount{*device, split.count};
  auto device = find_device(split.name);
  if (!device) return failure(device);
  return DeviceCount{std::move(*device), split.count};
}

}  // namespace strata

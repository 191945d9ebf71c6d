#include "strata/zoo/zoo.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/nearest.h"
#include "zoo/registry.h"

namespace strata::zoo {

namespace {

std::vector<Entry> all_networks() {
  std::vector<Entry> all;
  for (const auto& family : {alexnet_networks(),      convnext_networks(),  decoder_networks(),
                             densenet_networks(),     detection_networks(), efficientnet_networks(),
                             efficientvit_networks(), googlenet_networks(), gpt2_networks(),
                             mnasnet_networks(),      mobilenet_networks(), mobilenet_v3_networks(),
                             regnet_networks(),       resnet_networks(),    shufflenet_networks(),
                             squeezenet_networks(),   swiftnet_networks(),  swin_networks(),
                             vgg_networks(),          vit_networks(),       whisper_networks(),
                             yolox_networks()})
    all.insert(all.end(), family.begin(), family.end());
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return all;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) names.emplace_back(entry.name);
  return names;
}

}  // namespace

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kAll = all_networks();
  return kAll;
}

const Entry* find(std::string_view name) {
  const auto found =
      std::lower_bound(entries().begin(), entries().end(), name,
                       [](const Entry& e, std::string_view n) { return e.name < n; });
  return found != entries().end() && found->name == name ? &*found : nullptr;
}

Result<Network> build(std::string_view name_and_arguments) {
  const std::size_t mark = std::min(name_and_arguments.find('?'), name_and_arguments.size());
  const std::string_view name = name_and_arguments.substr(0, mark);
  const Entry* entry = find(name);
  if (entry == nullptr)
    return failure(Code::NoNetwork,
                   {.name = std::string(name), .detail = did_you_mean(name, all_names())});
  auto arguments =
      parse_arguments(name, entry->parameters,
                      name_and_arguments.substr(std::min(mark + 1, name_and_arguments.size())));
  if (!arguments) return failure(arguments);
  DType dtype = DType::F32;
  for (const Parameter& parameter : entry->parameters)
    if (parameter.name == kType.name) dtype = *dtype_from_name(arguments->word(kType.name));
  Builder net(entry->cls, dtype);
  entry->build(net, *arguments);
  auto network = std::move(net).finish();
  if (!network)
    return failure(fmt::format("zoo:{}: {}", name_and_arguments, network.error().message));
  network->model.path = fmt::format("{}{}", kPrefix, name_and_arguments);
  network->model.graph().name = entry->name;
  return network;
}

Var image(Builder& net, const Arguments& arguments) {
  const std::int64_t resolution = arguments.whole("resolution");
  return net.input("input", {arguments.size("batch"), 3, resolution, resolution});
}

std::int64_t scaled_channels(double value, std::int64_t divisor) {
  const auto step = static_cast<double>(divisor);
  double rounded = std::max(step, std::floor((value + step / 2) / step) * step);
  if (rounded < 0.9 * value) rounded += step;
  return static_cast<std::int64_t>(rounded);
}

}  // namespace strata::zoo

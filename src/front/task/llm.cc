#include "strata/task/llm.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/comma_list.h"
#include "base/in_quotes.h"
#include "strata/llm/read.h"

namespace strata {

namespace {

std::optional<llm::Answer> smallest_group(const llm::Network& network,
                                          const llm::Question& question,
                                          const std::vector<Device>& devices) {
  std::optional<llm::Answer> best;
  for (const Device& device : devices) {
    if (!device.memory_bytes || device.kind != "gpu") continue;
    for (int count = 2; count <= 64; count *= 2) {
      const double memory = count * device.memory_bytes->value;
      if (best && memory >= best->count * best->memory.device) break;
      const auto one = llm::answer(network, question, device, count, false);
      if (!one || !one->memory.fits()) continue;
      best = *one;
      break;
    }
  }
  return best;
}

Result<double> batch_of(std::string_view word) {
  constexpr double kMostBatch = 1e6;
  double batch = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), batch);
  if (error == std::errc() && end == word.data() + word.size() && batch >= 1 && batch <= kMostBatch)
    return batch;
  return failure(fmt::format("{} is not a batch from 1 to 1,000,000", in_quotes(word)),
                 ErrorKind::Usage);
}

// Every combination of the lists. A list that is empty has the question's own value.
Result<LlmOutcome> run_sweep(const LlmRequest& request, LlmOutcome out) {
  LlmSweep sweep = *request.sweep;
  const llm::Question& asked = request.question;
  if (sweep.weights.empty()) sweep.weights = {asked.weights};
  if (sweep.caches.empty()) sweep.caches = {asked.cache};
  if (sweep.contexts.empty()) sweep.contexts = {asked.context};
  if (sweep.batches.empty()) sweep.batches = {asked.batch};
  if (sweep.devices.empty() && request.on) sweep.devices = {*request.on};
  if (sweep.devices.empty())
    return failure("a sweep needs devices, such as on=h100,8xh200", ErrorKind::Usage);
  std::size_t setups = 1;
  for (const std::size_t count : {sweep.weights.size(), sweep.caches.size(), sweep.contexts.size(),
                                  sweep.batches.size(), sweep.devices.size()})
    setups = std::min(setups * count, kMostSetups + 1);
  if (setups > kMostSetups)
    return failure(fmt::format("the sweep has more than {} setups", kMostSetups), ErrorKind::Usage);
  for (DeviceCount& on : sweep.devices)
    if (on.count == 1 && asked.division_given)
      on.count = static_cast<int>(asked.division.devices());
  for (const DeviceCount& on : sweep.devices)
    for (const std::string& weights : sweep.weights)
      for (const std::string& cache : sweep.caches)
        for (const double context : sweep.contexts)
          for (const double batch : sweep.batches) {
            llm::Question question = asked;
            question.weights = weights;
            question.cache = cache;
            question.context = context;
            question.batch = batch;
            auto one = llm::answer(out.network, question, on.device, on.count, false);
            if (one)
              out.answers.push_back(std::move(*one));
            else if (std::find(out.refused.begin(), out.refused.end(), one.error().message) ==
                     out.refused.end())
              out.refused.push_back(one.error().message);
          }
  if (out.answers.empty()) return failure(out.refused.front(), ErrorKind::Usage);
  return out;
}

}  // namespace

Status add_axis(LlmSweep& sweep, std::string_view text, const std::vector<Device>& added) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view axis = text.substr(0, equals);
  const auto values = comma_list(text.substr(std::min(equals + 1, text.size())));
  if (values.empty())
    return failure(
        fmt::format("{} has no values; write an axis such as context=8k,32k", in_quotes(text)),
        ErrorKind::Usage);
  for (const std::string_view value : values) {
    if (axis == "weights") {
      sweep.weights.emplace_back(value);
    } else if (axis == "cache") {
      sweep.caches.emplace_back(value);
    } else if (axis == "context") {
      const auto tokens = llm::parse_tokens(value);
      if (!tokens) return failure(tokens);
      sweep.contexts.push_back(*tokens);
    } else if (axis == "batch") {
      const auto batch = batch_of(value);
      if (!batch) return failure(batch);
      sweep.batches.push_back(*batch);
    } else if (axis == "on") {
      const auto device = find_devices(value, added);
      if (!device) return failure(device);
      sweep.devices.push_back(*device);
    } else {
      return failure(fmt::format("{} is not an axis of a sweep; axes are weights, cache, context, "
                                 "batch and on",
                                 in_quotes(axis)),
                     ErrorKind::Usage);
    }
  }
  return {};
}

Result<LlmOutcome> run_llm(const LlmRequest& request, const Observer&) {
  auto network = llm::read_network(request.model);
  if (!network) return failure(network);
  LlmOutcome out;
  out.network = std::move(*network);
  if (request.sweep) return run_sweep(request, std::move(out));
  if (request.on) {
    auto one = llm::answer(out.network, request.question, request.on->device, request.on->count);
    if (!one) return failure(one);
    out.answers.push_back(std::move(*one));
    return out;
  }
  std::vector<Device> devices = request.added;
  for (Device& device : all_devices()) devices.push_back(std::move(device));
  out.answers = llm::answer_for_all(out.network, request.question, devices);
  const bool any = !out.answers.empty() && out.answers.front().memory.fits();
  if (!any) out.smallest = smallest_group(out.network, request.question, devices);
  return out;
}

}  // namespace strata

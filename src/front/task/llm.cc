#include "strata/task/llm.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/quantity.h"
#include "strata/base/number_text.h"
#include "strata/check/budget.h"
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

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    out.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
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
  const auto values = words_of(text.substr(std::min(equals + 1, text.size())));
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

namespace {

struct Limit {
  std::string text;
  std::string_view measure;
  bool is_most = true;
  double value = 0;
};

Result<Limit> limit_of(std::string_view word) {
  const std::size_t sign = word.find_first_of("<>");
  if (sign == word.npos)
    return failure(
        fmt::format("{} is not a budget of a language model: write kv<20GiB, context>=32k "
                    "or on=h100",
                    in_quotes(word)),
        ErrorKind::Usage);
  Limit out{
      .text = std::string(word), .measure = word.substr(0, sign), .is_most = word[sign] == '<'};
  std::string_view value = word.substr(sign + 1);
  if (value.starts_with('=')) value.remove_prefix(1);
  const bool is_bytes = out.measure == "kv" || out.measure == "weights" || out.measure == "memory";
  const bool is_count =
      out.measure == "context" || out.measure == "batch" || out.measure == "speed";
  if (!is_bytes && !is_count)
    return failure(fmt::format("{} is not a measure of a language model; measures are {}",
                               in_quotes(out.measure), budget::kLanguageModelMeasures),
                   ErrorKind::Usage);
  const auto read = is_bytes ? parse_quantity(value, Quantity::Bytes) : llm::parse_tokens(value);
  if (!read) return failure(read);
  if (is_bytes != out.is_most)
    return failure(fmt::format("{}: {} has {} limit", in_quotes(word), out.measure,
                               is_bytes ? "an upper" : "a lower"),
                   ErrorKind::Usage);
  out.value = *read;
  return out;
}

}  // namespace

bool is_llm_budget(std::string_view line) {
  constexpr std::string_view kOwn[] = {"kv", "memory", "context", "batch", "speed", "on"};
  for (const std::string_view word : words_of(line)) {
    const std::string_view key = word.substr(0, word.find_first_of("<>="));
    if (key.size() < word.size() &&
        std::find(std::begin(kOwn), std::end(kOwn), key) != std::end(kOwn))
      return true;
  }
  return false;
}

Result<budget::Outcome> judge_llm(const std::string& model, std::string_view line) {
  auto network = llm::read_network(model);
  if (!network) return failure(network);
  std::optional<DeviceCount> on;
  std::vector<Limit> limits;
  for (const std::string_view word : words_of(line)) {
    if (word.starts_with("on=")) {
      auto device = find_devices(word.substr(3));
      if (!device) return failure(device);
      on = std::move(*device);
      continue;
    }
    auto limit = limit_of(word);
    if (!limit) return failure(limit);
    limits.push_back(std::move(*limit));
  }
  llm::Question question;
  for (const Limit& limit : limits) {
    if (limit.measure == "context") question.context = limit.value;
    if (limit.measure == "batch") question.batch = limit.value;
  }
  const double context = question.context > 0 ? question.context : usual_context(*network);
  std::optional<llm::Answer> answer;
  if (on) {
    auto one = llm::answer(*network, question, on->device, on->count, false);
    if (!one) return failure(one);
    answer = std::move(*one);
  }
  const std::string at =
      fmt::format("at {} tokens and a batch of {}", grouped(static_cast<std::int64_t>(context)),
                  grouped(static_cast<std::int64_t>(question.batch)));
  budget::Outcome out{.model = model};
  for (const Limit& limit : limits) {
    std::optional<double> found;
    std::string reason = at;
    if (limit.measure == "kv") {
      const auto bytes = llm::cache_element_bytes("bf16");
      found = question.batch * llm::cache_bytes(*network, context, *bytes);
    } else if (limit.measure == "weights") {
      const auto scheme = llm::weight_scheme_of(*network, "");
      if (!scheme) return failure(scheme);
      found = llm::weight_bytes(*network, *scheme).all();
      reason = fmt::format("in {}", scheme->name);
    } else if (limit.measure == "context" && !answer && network->max_context > 0) {
      found = static_cast<double>(network->max_context);
      reason = "tokens are what the model was made for";
    } else if (answer && limit.measure == "memory") {
      found = answer->memory.needed();
    } else if (answer && limit.measure == "context") {
      const double most =
          network->max_context > 0 ? static_cast<double>(network->max_context) : llm::kEndless;
      // The longest that fits is of one sequence; of a batch, this context fits or it does not.
      const bool is_alone = question.batch <= 1;
      found = std::min(is_alone ? answer->longest_context : (answer->memory.fits() ? context : 0),
                       most);
      reason = "tokens fit, and the model was made for them";
    } else if (answer && limit.measure == "batch") {
      found = answer->largest_batch;
      reason = "sequences fit";
    } else if (answer && answer->decode && limit.measure == "speed") {
      found = question.batch / answer->decode->likely_s.value;
      reason = "tokens/s are likely " + at;
    }
    budget::Judged judged;
    judged.budget.text = limit.text;
    const bool is_bytes = limit.is_most;
    judged.budget.kind = is_bytes ? budget::BudgetKind::Most : budget::BudgetKind::Operator;
    judged.budget.measure = compare::Measure::Peak;
    judged.budget.limit = limit.value;
    judged.allowed = limit.value;
    if (!found) {
      judged.verdict = budget::Verdict::Unknown;
      judged.reason = "depends on the device: add on=DEVICE, such as on=h100";
    } else {
      const bool is_kept = limit.is_most ? *found <= limit.value : *found >= limit.value;
      judged.verdict = is_kept ? budget::Verdict::Within : budget::Verdict::Over;
      judged.found = compare::real_figure(*found);
      judged.reason = fmt::format(
          "{} {}", is_bytes ? human_bytes(*found) : grouped(static_cast<std::int64_t>(*found)),
          reason);
    }
    out.judged.push_back(std::move(judged));
  }
  return out;
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

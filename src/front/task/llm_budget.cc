// Budgets of a language model as it is served: `kv<20GiB,context>=32k,on=h100`.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/comma_list.h"
#include "base/in_quotes.h"
#include "base/quantity.h"
#include "strata/base/number_text.h"
#include "strata/check/budget.h"
#include "strata/llm/read.h"
#include "strata/task/llm.h"

namespace strata {

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

// A figure of the network, and the words that follow it in a sentence.
struct Found {
  std::optional<double> figure;  // nothing: it depends on a device, and none was named
  std::string words;
};

class Judge {
 public:
  explicit Judge(const llm::Network& network) : network_(network) {}

  // Takes a limit, or the device, which is `on=h100`.
  Status take(std::string_view word) {
    if (word.starts_with("on=")) {
      auto device = find_devices(word.substr(3));
      if (!device) return failure(device);
      on_ = std::move(*device);
      return {};
    }
    auto limit = limit_of(word);
    if (!limit) return failure(limit);
    limits_.push_back(std::move(*limit));
    return {};
  }

  Result<std::vector<budget::Judged>> run() {
    for (const Limit& limit : limits_) {
      if (limit.measure == "context") question_.context = limit.value;
      if (limit.measure == "batch") question_.batch = limit.value;
    }
    context_ = question_.context > 0 ? question_.context : usual_context(network_);
    if (on_) {
      auto one = llm::answer(network_, question_, on_->device, on_->count, false);
      if (!one) return failure(one);
      answer_ = std::move(*one);
    }
    std::vector<budget::Judged> all;
    for (const Limit& limit : limits_) {
      auto found = find(limit.measure);
      if (!found) return failure(found);
      all.push_back(judged(limit, *found));
    }
    return all;
  }

 private:
  Result<Found> find(std::string_view measure) const {
    const std::string at =
        fmt::format("at {} tokens and a batch of {}", grouped(static_cast<std::int64_t>(context_)),
                    grouped(static_cast<std::int64_t>(question_.batch)));
    if (measure == "kv") {
      const auto bytes = llm::cache_element_bytes("bf16");
      return Found{question_.batch * llm::cache_bytes(network_, context_, *bytes), at};
    }
    if (measure == "weights") {
      const auto scheme = llm::weight_scheme_of(network_, "");
      if (!scheme) return failure(scheme);
      return Found{llm::weight_bytes(network_, *scheme).all(), fmt::format("in {}", scheme->name)};
    }
    if (answer_) return find_on_device(measure, at);
    if (measure == "context" && network_.max_context > 0)
      return Found{static_cast<double>(network_.max_context),
                   "tokens are what the model was made for"};
    return Found{std::nullopt, at};
  }

  Found find_on_device(std::string_view measure, const std::string& at) const {
    if (measure == "memory") return {answer_->memory.needed(), at};
    if (measure == "batch") return {answer_->largest_batch, "sequences fit"};
    if (measure == "speed" && answer_->decode)
      return {question_.batch / answer_->decode->likely_s.value, "tokens/s are likely " + at};
    if (measure != "context") return {std::nullopt, at};
    const double most =
        network_.max_context > 0 ? static_cast<double>(network_.max_context) : llm::kEndless;
    // The longest that fits is of one sequence; of a batch, this context fits or it does not.
    const bool is_alone = question_.batch <= 1;
    const double fits =
        is_alone ? answer_->longest_context : (answer_->memory.fits() ? context_ : 0);
    return {std::min(fits, most), "tokens fit, and the model was made for them"};
  }

  static budget::Judged judged(const Limit& limit, const Found& found) {
    budget::Judged out;
    out.budget.text = limit.text;
    // Only budgets in bytes have an upper limit.
    out.budget.kind = limit.is_most ? budget::BudgetKind::Most : budget::BudgetKind::Operator;
    out.budget.measure = compare::Measure::Peak;
    out.budget.limit = limit.value;
    out.allowed = limit.value;
    if (!found.figure) {
      out.verdict = budget::Verdict::Unknown;
      out.reason = "depends on the device: add on=DEVICE, such as on=h100";
      return out;
    }
    const double figure = *found.figure;
    const bool is_kept = limit.is_most ? figure <= limit.value : figure >= limit.value;
    out.verdict = is_kept ? budget::Verdict::Within : budget::Verdict::Over;
    out.found = compare::real_figure(figure);
    out.reason = fmt::format(
        "{} {}", limit.is_most ? human_bytes(figure) : grouped(static_cast<std::int64_t>(figure)),
        found.words);
    return out;
  }

  const llm::Network& network_;
  llm::Question question_;
  std::vector<Limit> limits_;
  std::optional<DeviceCount> on_;
  double context_ = 0;
  std::optional<llm::Answer> answer_;  // of that device
};

}  // namespace

bool is_llm_budget(std::string_view line) {
  constexpr std::string_view kOwn[] = {"kv", "memory", "context", "batch", "speed", "on"};
  for (const std::string_view word : comma_list(line)) {
    const std::string_view key = word.substr(0, word.find_first_of("<>="));
    if (key.size() < word.size() &&
        std::find(std::begin(kOwn), std::end(kOwn), key) != std::end(kOwn))
      return true;
  }
  return false;
}

Result<budget::Outcome> judge_llm(const std::string& model, std::string_view line) {
  const auto network = llm::read_network(model);
  if (!network) return failure(network);
  Judge judge(*network);
  for (const std::string_view word : comma_list(line))
    if (Status status = judge.take(word); !status) return failure(status);
  auto judged = judge.run();
  if (!judged) return failure(judged);
  budget::Outcome out{.model = model};
  out.judged = std::move(*judged);
  return out;
}

}  // namespace strata

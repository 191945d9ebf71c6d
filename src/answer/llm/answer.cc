#include "strata/llm/answer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "strata/base/number_text.h"

namespace strata::llm {

namespace {

constexpr double kUsualContext = 8192;

// Tensor parallelism over as many devices as divide the model, a pipeline over the rest.
Division usual_division(const Network& network, int count) {
  for (int tensor = count; tensor > 1; --tensor) {
    if (count % tensor != 0) continue;
    const Division division{.tensor = tensor, .pipeline = count / tensor};
    if (check_division(network, division)) return division;
  }
  return {.pipeline = std::max(count, 1)};
}

Result<Setup> setup_of(const Network& network, const Question& question, const Device& device,
                       int count) {
  const std::string name = question.weights.empty() ? network.weights : question.weights;
  const auto scheme = weight_scheme_of(network, question.weights);
  if (!scheme) return failure(scheme);
  Setup out{.network = network, .weights = *scheme};
  out.cache_type = question.cache.empty() ? "bf16" : question.cache;
  const auto bytes = cache_element_bytes(out.cache_type);
  if (!bytes) return failure(bytes);
  out.cache_element_bytes = *bytes;
  out.device = device;
  out.engine =
      question.engine.empty()
          ? usual_engine(device, network.is_gguf && question.weights.empty() ? "gguf" : name)
          : question.engine;
  if (find_engine(out.engine, device) == nullptr)
    return failure(fmt::format("strata knows no engine called {}; it knows {}",
                               in_quotes(out.engine), engine_names()),
                   ErrorKind::Usage);
  out.reserve_bytes = question.reserve_bytes;
  out.reserve_engine = question.reserve_engine;
  out.division = question.division_given ? question.division : usual_division(network, count);
  if (auto status = check_division(network, out.division); !status) return failure(status);
  if (out.division.devices() != count)
    return failure(
        fmt::format("the model is divided between {} devices (tensor {}, pipeline {}, experts {}), "
                    "and there {} {}",
                    out.division.devices(), out.division.tensor, out.division.pipeline,
                    out.division.experts, count == 1 ? "is" : "are", count),
        ErrorKind::Usage);
  return out;
}

bool fits(const Network& network, const Question& question, const Device& device, int count,
          double context) {
  const auto setup = setup_of(network, question, device, count);
  return setup && memory_of(*setup, question.batch, context).fits();
}

std::string tokens_text(double tokens) { return grouped(static_cast<std::int64_t>(tokens)); }

// Types that make a model smaller, the most precise first.
std::vector<std::string_view> smaller_types(const std::string& engine, const Device& device) {
  if (engine == "llama.cpp") return {"bf16", "q8_0", "q4_k_m"};
  if (device.peak("fp8") == nullptr) return {"bf16", "awq"};
  return {"bf16", "fp8", "awq"};
}

class FixSearch {
 public:
  FixSearch(const Network& network, const Question& question, const Device& device, int count,
            const Answer& answer)
      : network_(network), question_(question), device_(device), count_(count), answer_(answer) {}

  std::vector<Fix> find() {
    if (answer_.cache_element_bytes > 1 && fits_with(with_cache(question_)))
      out_.push_back({Fix::Change::Cache, "fp8", "a cache in fp8"});
    std::string_view smallest;
    for (const std::string_view name : smaller_types(answer_.engine, device_)) {
      if (!is_smaller(name)) continue;
      smallest = name;
      if (!fits_with(with_weights(question_, name))) continue;
      out_.push_back(weights_fix(name));
      break;
    }
    if (answer_.largest_batch >= 1 && answer_.largest_batch < question_.batch)
      out_.push_back({Fix::Change::Batch, fmt::format("{:.0f}", answer_.largest_batch),
                      fmt::format("a batch of {}", tokens_text(answer_.largest_batch))});
    add_context(question_, {});
    if (out_.empty() && !smallest.empty()) find_pair(smallest);
    if (!question_.division_given) add_devices();
    return std::move(out_);
  }

 private:
  static Question with_cache(Question question) {
    question.cache = "fp8";
    return question;
  }
  static Question with_weights(Question question, std::string_view name) {
    question.weights = name;
    return question;
  }
  static Fix weights_fix(std::string_view name) {
    return {Fix::Change::Weights, std::string(name), fmt::format("weights in {}", name)};
  }

  bool fits_with(const Question& question) const {
    return fits(network_, question, device_, count_, answer_.context);
  }

  // True if it saves a tenth at least; less is not worth a conversion.
  bool is_smaller(std::string_view name) const {
    const auto scheme = find_weight_scheme(name);
    return scheme && weight_bytes(network_, *scheme, answer_.division).all() <
                         0.9 * answer_.memory.weights.all();
  }

  // Adds the longest context that fits, after the other changes.
  void add_context(const Question& question, std::vector<Fix> others) {
    constexpr double kShortest = 512;
    const auto setup = setup_of(network_, question, device_, count_);
    const double longest = setup ? longest_context(*setup, question.batch) : 0;
    if (longest < kShortest || longest >= answer_.context) return;
    Fix fix{Fix::Change::Context, fmt::format("{:.0f}", longest),
            fmt::format("a context of {} tokens", tokens_text(longest)), std::move(others)};
    out_.push_back(std::move(fix));
  }

  // No change is enough alone: the smallest weights, and a smaller cache or a shorter context.
  void find_pair(std::string_view name) {
    const Question smaller = with_weights(question_, name);
    if (answer_.cache_element_bytes > 1 && fits_with(with_cache(smaller)))
      out_.push_back({Fix::Change::Cache, "fp8", "a cache in fp8", {weights_fix(name)}});
    else
      add_context(smaller, {weights_fix(name)});
  }

  void add_devices() {
    for (int more = count_ * 2; more <= 64; more *= 2) {
      if (!fits(network_, question_, device_, more, answer_.context)) continue;
      out_.push_back({Fix::Change::Devices, fmt::format("{}x{}", more, device_.name),
                      fmt::format("{} devices", more)});
      return;
    }
  }

  const Network& network_;
  const Question& question_;
  const Device& device_;
  int count_;
  const Answer& answer_;
  std::vector<Fix> out_;
};

}  // namespace

double usual_context(const Network& network) {
  if (network.max_context <= 0) return kUsualContext;
  return std::min(kUsualContext, static_cast<double>(network.max_context));
}

Result<Answer> answer(const Network& network, const Question& question, const Device& device,
                      int count, bool with_fixes) {
  const auto setup = setup_of(network, question, device, count);
  if (!setup) return failure(setup);
  if (!device.memory_bytes)
    return failure(fmt::format(
        "{} is sold with memory of several sizes, so that nothing can be said to fit; take "
        "a device file with its figures and a line such as memory = \"64 GiB\"",
        device.name));
  Answer out;
  out.device = device.name;
  out.title = device.title.empty() ? device.name : device.title;
  out.count = count;
  out.division = setup->division;
  out.weights = setup->weights;
  out.cache_type = setup->cache_type;
  out.engine = setup->engine;
  out.reserve_engine = setup->reserve_engine.empty() ? setup->engine : setup->reserve_engine;
  out.cache_element_bytes = setup->cache_element_bytes;
  out.context = question.context > 0 ? question.context : usual_context(network);
  out.batch = question.batch;
  out.memory = memory_of(*setup, out.batch, out.context);
  out.longest_context = longest_context(*setup);
  out.largest_batch = largest_batch(*setup, out.context);
  out.prefill_work = work_of(*setup, 1, 0, out.context);
  out.decode_work = work_of(*setup, out.batch, out.context - 1, 1);
  if (const auto time = prefill_time(*setup, out.context)) out.prefill = *time;
  if (const auto time = decode_time(*setup, out.batch, out.context)) out.decode = *time;
  if (!out.decode)
    out.notes.push_back(fmt::format("{} states no peaks: speeds are unknown", device.name));
  if (out.decode && out.decode->assumes_link)
    out.notes.push_back(
        fmt::format("{} states no link between devices; PCIe 4.0 with 16 lanes is "
                    "assumed",
                    device.name));
  if (out.decode && out.engine == "llama.cpp" && out.batch > 1)
    out.notes.emplace_back(
        "llama.cpp is slower with batches than strata assumes: batches of 4 to 32 took up to 1.6 "
        "times as long as the median on GB10, and up to 2.8 times on M2 Ultra");
  if (network.max_context > 0 && out.context > static_cast<double>(network.max_context))
    out.notes.push_back(
        fmt::format("the model was made for {} tokens", grouped(network.max_context)));
  if (with_fixes && !out.memory.fits())
    out.fixes = FixSearch(network, question, device, count, out).find();
  return out;
}

std::vector<Answer> answer_for_all(const Network& network, const Question& question,
                                   const std::vector<Device>& devices) {
  std::vector<Answer> out;
  for (const Device& device : devices) {
    if (!device.memory_bytes || device.kind == "mcu") continue;
    auto one = answer(network, question, device, 1, false);
    if (one) out.push_back(std::move(*one));
  }
  std::stable_sort(out.begin(), out.end(), [](const Answer& a, const Answer& b) {
    if (a.memory.fits() != b.memory.fits()) return a.memory.fits();
    // The largest of those that do not fit is the nearest.
    if (a.memory.device != b.memory.device)
      return a.memory.fits() ? a.memory.device < b.memory.device
                             : a.memory.device > b.memory.device;
    const auto speed = [](const Answer& one) {
      return one.decode ? one.decode->likely_s.value : 1e9;
    };
    return speed(a) < speed(b);
  });
  return out;
}

Result<double> parse_tokens(std::string_view text) {
  const auto refuse = [&] {
    return failure(
        fmt::format("{} is not a number of tokens, such as 8192, 32k or 1M", in_quotes(text)),
        ErrorKind::Usage);
  };
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return refuse();
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit == "k" || unit == "K")
    number *= 1024;
  else if (unit == "m" || unit == "M")
    number *= 1024 * 1024;
  else if (!unit.empty())
    return refuse();
  if (!(number >= 1 && number <= kEndless) || number != std::floor(number)) return refuse();
  return number;
}

}  // namespace strata::llm

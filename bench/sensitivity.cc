// Counts the passes of the network that sensitivity needs, and compares the results of three ways:
// recomputing from the inputs for every layer (naive), recomputing only what follows it (all), and
// with a budget of a tenth, or SHARE. Then compares wall time with that of the same number of plain
// passes. `bench_sensitivity [naive] [SHARE%] [SAMPLES] [NETWORK...]`: a zoo name, or an ONNX file;
// `naive` also runs the naive loop, which takes longest.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "or_exit.h"
#include "strata/build/weights.h"
#include "strata/calibrate/calibrate.h"
#include "strata/infer/infer.h"
#include "strata/read/read.h"
#include "strata/sensitivity/sensitivity.h"
#include "strata/write/onnx.h"
#include "strata/zoo/zoo.h"
#include "watch.h"

namespace {

using namespace strata;

using bench::or_exit;
using bench::Watch;

struct Subject {
  std::string name;
  Model model;
  FillElements fill;
  std::string bytes;  // as engines open it
  std::vector<QuantLayer> layers;
  TensorRanges ranges;
  ActivationSqnr sqnr;

  explicit Subject(const std::string& network) : name(network) {
    if (network.ends_with(".onnx")) {
      model = or_exit(read_model(network));
      InferOptions sizes;
      sizes.batch = 1;
      or_exit(infer(model, sizes));
    } else {
      model = or_exit(zoo::build(network)).model;
      fill = build::random_weights(model, 0);
    }
    WriteOptions write;
    write.fill = fill;
    bytes = or_exit(onnx_bytes(model, write));
    layers = find_quant_layers(model);
  }

  void calibrate_on(const Engine& engine, const Dataset& data) {
    std::vector<Watched> watched;
    for (const TensorId id : rounded_tensors(layers))
      watched.push_back({std::string(model.graph().tensors[id].name), ""});
    CalibrateOptions options;
    options.session.threads = 1;
    ModelSource source;
    source.bytes.model = bytes;
    const auto seen = or_exit(calibrate(engine, source, model, data, watched, options));
    for (std::size_t i = 0; i < watched.size(); ++i) {
      const Range range = or_exit(choose_range(seen.sketches[i]));
      ranges[watched[i].tensor] = range;
      const Scheme scheme{.bits = 8, .symmetric = false, .is_signed = false};
      if (const auto db = sqnr_db(seen.sketches[i], quantization(range, scheme)))
        sqnr[watched[i].tensor] = *db;
    }
  }
};

std::vector<std::size_t> ranking(const Sensitivity& result) {
  std::vector<std::size_t> order(result.layers.size());
  std::iota(order.begin(), order.end(), 0);
  const auto drop_of = [&](std::size_t l) {
    return strata::drop_of(Quality::Sqnr, result.layers[l].alone, result.baseline).value_or(0);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return drop_of(a) > drop_of(b); });
  return order;
}

// The largest relative difference of a layer's noise on one sample.
double worst_difference(const Sensitivity& a, const Sensitivity& b) {
  double worst = 0;
  for (std::size_t l = 0; l < a.layers.size(); ++l)
    for (std::size_t s = 0; s < a.layers[l].alone.size(); ++s) {
      const double one = a.layers[l].alone[s].noise, other = b.layers[l].alone[s].noise;
      if (one != other) worst = std::max(worst, std::abs(one - other) / std::max(one, other));
    }
  return worst;
}

void compare_budget(const Sensitivity& all, const Sensitivity& some, double budget,
                    const char* words) {
  constexpr std::ptrdiff_t kTop = 10;
  const auto full = ranking(all), quick = ranking(some);
  const auto most = std::min<std::ptrdiff_t>(kTop, std::ssize(full));
  const std::set<std::size_t> a(full.begin(), full.begin() + most);
  const auto found = std::count_if(quick.begin(), quick.begin() + most,
                                   [&](std::size_t l) { return a.contains(l); });
  const bool ordered = std::equal(full.begin(), full.begin() + most, quick.begin());
  std::size_t stood_for = 0;
  for (std::size_t l = 0; l < some.like.size(); ++l) stood_for += some.like[l] != l ? 1 : 0;
  std::size_t samples = 0;
  for (const LayerScore& layer : some.layers) samples += layer.alone.size();
  fmt::print(
      "  budget {:g} %{}: {:.1f} passes = {:.3f} x naive (at most {:g}), {} of the top {} found, "
      "order {}; {} of {} layers stood for, {} samples in all\n",
      100 * budget, words, some.passes, some.passes / some.naive_passes, budget, found, most,
      ordered ? "equal" : "not equal", stood_for, some.layers.size(), samples);
}

void look_at(const Engine& engine, const std::string& name, std::int64_t samples, double budget,
             bool naive) {
  Subject subject(name);
  const Dataset data =
      or_exit(Dataset::open("", subject.model, {.samples = samples, .random = true, .seed = 0}));
  subject.calibrate_on(engine, data);
  SensitivityOptions options;
  options.session.threads = 1;
  const auto measured = [&] {
    return or_exit(measure_sensitivity(engine, subject.model, subject.layers, subject.ranges, data,
                                       subject.fill, options));
  };

  // The time of one pass, before and after; the shortest of several runs.
  ModelBytes plain;
  plain.model = subject.bytes;
  Session session = or_exit(engine.open(plain, options.session));
  or_exit(session.bind(or_exit(data.sample(0))));
  double pass = 1e9, pass_processor = 1e9;
  const auto time_pass = [&] {
    for (int i = 0; i < 5; ++i) {
      const Watch watch;
      or_exit(session.run());
      pass = std::min(pass, watch.wall());
      pass_processor = std::min(pass_processor, watch.processor());
    }
  };
  time_pass();
  const Watch watch;
  const Sensitivity all = measured();
  const double seconds = watch.wall(), processor = watch.processor();
  time_pass();
  fmt::print(
      "{}: {} layers, {} samples: {:.1f} passes = {:.3f} x naive (at most 0.6); {:.1f} s = "
      "{:.2f} x passes of {:.1f} ms, processor time {:.1f} s = {:.2f} x; activations kept {:.1f} "
      "MB\n",
      name, subject.layers.size(), samples, all.passes, all.passes / all.naive_passes, seconds,
      seconds / (all.passes * pass), 1e3 * pass, processor,
      processor / (all.passes * pass_processor), 1e-6 * static_cast<double>(all.kept_bytes));
  std::fflush(stdout);

  options.budget = budget;
  compare_budget(all, measured(), budget, ", each layer on its own");
  options.activation_sqnr = subject.sqnr;
  compare_budget(all, measured(), budget, ", blocks alike");
  std::fflush(stdout);
  if (!naive) return;
  options.budget = 1;
  options.naive = true;
  const Sensitivity slow = measured();
  fmt::print("  naive: {:.1f} passes; answers differ by {:.1e} at most (1e-06)\n", slow.passes,
             worst_difference(all, slow));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  const auto asked = [&](std::string_view word) { return std::erase(names, word) > 0; };
  const bool naive = asked("naive");
  double budget = 0.1;
  if (!names.empty() && names[0].ends_with('%')) {
    budget = std::stod(names[0]) / 100;
    names.erase(names.begin());
  }
  std::int64_t samples = 32;
  if (!names.empty() && names[0].find_first_not_of("0123456789") == std::string::npos) {
    samples = std::stoll(names[0]);
    names.erase(names.begin());
  }
  if (names.empty()) names = {"resnet18"};
  const Engine engine = or_exit(load_engine("onnxruntime"));
  for (const std::string& name : names) look_at(engine, name, samples, budget, naive);
  return 0;
}

#include "strata/calibrate/calibrate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>

#include <fmt/format.h>

#include "base/system_calls.h"
#include "calibrate/channels.h"
#include "calibrate/sketch_parts.h"
#include "measure/cancel_on_stop.h"
#include "strata/base/text_map.h"
#include "strata/machine/machine.h"

namespace strata {

namespace {

// The number of sketches per tensor; there are several so that threads need not wait for each
// other.
std::size_t share_count(const CalibrateOptions& options) {
  const int threads = options.session.threads > 0 ? options.session.threads : read_machine().cores;
  return static_cast<std::size_t>(std::clamp(threads, 1, 4));
}

// The state of one tensor.
struct Shares {
  std::vector<Sketch> sketches;  // to be merged; empty: not yet seen
  bool seen = false;             // in this sample
  std::uint64_t nans = 0, infinities = 0;

  void count_nonfinite() {
    nans = infinities = 0;
    for (const Sketch& sketch : sketches) nans += sketch.nans(), infinities += sketch.infinities();
  }
};

std::string some(std::uint64_t count, std::string_view what) {
  return count == 0 ? "" : fmt::format("{} {}", count, what);
}

class Pass {
 public:
  Pass(std::span<const Watched> watched, const CalibrateOptions& options, SketchedSamples before)
      : watched_(watched),
        allow_nonfinite_(options.allow_nonfinite),
        share_count_(share_count(options)),
        shares_(watched.size()),
        samples_(before.samples) {
    for (std::size_t i = 0; i < watched.size(); ++i) {
      index_.emplace(watched[i].tensor, i);
      if (i >= before.sketches.size()) continue;
      const std::int64_t channels = before.sketches[i].channels();
      shares_[i].sketches.push_back(std::move(before.sketches[i]));
      add_members(shares_[i], channels);
      shares_[i].count_nonfinite();
    }
  }

  std::int64_t samples() const { return samples_; }
  // Called from any thread: do not count the current sample. Returns false if part of it has been
  // counted.
  bool give_up_sample() {
    Sample fresh = Sample::Fresh;
    return sample_.compare_exchange_strong(fresh, Sample::GivenUp) || fresh == Sample::GivenUp;
  }
  bool gave_up() const { return sample_ == Sample::GivenUp; }

  Status look_at(Session& session, std::vector<HostTensor> inputs) {
    sample_ = Sample::Fresh;
    for (Shares& shares : shares_) shares.seen = false;
    // The elements do not move when the session takes over the tensors.
    std::vector<Given> given;
    given.reserve(inputs.size());
    for (const HostTensor& input : inputs)
      given.push_back({input.name, input.dtype, input.dims, input.data});
    if (Status status = session.bind(std::move(inputs)); !status) return status;
    Status added;
    Status run =
        session.run_visiting([&](const StrataTensor& tensor, const EngineThreads& threads) {
          Sample fresh = Sample::Fresh;
          if (!sample_.compare_exchange_strong(fresh, Sample::Counted) && fresh == Sample::GivenUp)
            return false;
          added = add({tensor.name,
                       dtype_from_onnx(tensor.dtype).value_or(DType::Undefined),
                       {tensor.dims, tensor.dims + tensor.rank},
                       {static_cast<const std::byte*>(tensor.data), tensor.bytes}},
                      threads.there() ? &threads : nullptr);
          return added.has_value();
        });
    if (!added) return added;
    if (!run) return run;
    for (const Given& input : given)
      if (Status status = add(input, nullptr); !status) return status;
    if (Status status = check(); !status) return status;
    ++samples_;
    return {};
  }

  // All results so far, merged into one sketch for each tensor.
  SketchedSamples sum() {
    SketchedSamples out;
    out.samples = samples_;
    for (Shares& shares : shares_) {
      if (shares.sketches.empty()) shares.sketches.emplace_back();
      Sketch& all = shares.sketches[0];
      for (std::size_t i = 1; i < shares.sketches.size(); ++i) {
        // This cannot fail: all have the same channels, and no count reaches 2^62.
        [[maybe_unused]] const Status merged = all.merge(shares.sketches[i]);
        shares.sketches[i] = Sketch({.channels = all.channels()});
      }
      out.sketches.push_back(all);
    }
    return out;
  }

 private:
  void add_members(Shares& shares, std::int64_t channels) const {
    // With channels, the first sketch takes everything.
    const std::size_t members = channels != 0 ? 1 : share_count_;
    while (shares.sketches.size() < members) shares.sketches.emplace_back(SketchOptions{channels});
  }

  struct Given {
    std::string name;
    DType type;
    std::vector<std::int64_t> dims;
    std::span<const std::byte> elements;
  };
  Status add(const Given& given, const EngineThreads* threads) {
    const auto found = index_.find(given.name);
    if (found == index_.end()) return {};
    const Watched& watched = watched_[found->second];
    Shares& shares = shares_[found->second];
    if (shares.seen) return {};
    shares.seen = true;
    ChannelLayout layout;
    layout.channels = 0;
    if (watched.channel_axis >= 0) {
      auto split = channel_layout(given.dims, watched.channel_axis);
      if (!split) return of(watched, split.error().message);
      layout = *split;
    }
    if (shares.sketches.empty()) add_members(shares, layout.channels);
    if (const std::int64_t before = shares.sketches[0].channels(); before != layout.channels)
      return of(watched, fmt::format("it has {} channels, and had {} in the samples before",
                                     layout.channels, before));
    // Without threads, the first sketch takes everything.
    const auto sketches = std::span(shares.sketches).first(threads ? shares.sketches.size() : 1);
    const Status added =
        add_in_parts(sketches, given.type, given.elements, layout.inner,
                     [&](std::size_t count, const auto& each) { threads->run(count, each); });
    if (!added) return of(watched, added.error().message);
    return {};
  }

  // Checks in running order, so that the error names the first layer where something is wrong.
  Status check() {
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      Shares& shares = shares_[i];
      if (!shares.seen) return of(watched_[i], "the engine did not give it");
      if (allow_nonfinite_) continue;
      const std::uint64_t nans = shares.nans, infinities = shares.infinities;
      shares.count_nonfinite();
      if (shares.nans == nans && shares.infinities == infinities) continue;
      const std::string nan_text = some(shares.nans - nans, "NaN");
      const std::string infinity_text = some(shares.infinities - infinities, "infinite");
      return failure(Code::NotFinite,
                     {.name = title(watched_[i]),
                      .found = fmt::format("{}{}{}", nan_text,
                                           nan_text.empty() || infinity_text.empty() ? "" : " and ",
                                           infinity_text)});
    }
    return {};
  }

  static std::string title(const Watched& watched) {
    if (watched.layer.empty()) return fmt::format("input \"{}\"", watched.tensor);
    return fmt::format("layer {} (tensor \"{}\")", watched.layer, watched.tensor);
  }
  static tl::unexpected<Error> of(const Watched& watched, std::string_view what) {
    return failure(fmt::format("{}: {}", title(watched), what));
  }

  std::span<const Watched> watched_;
  bool allow_nonfinite_;
  std::size_t share_count_;
  TextMap<std::string_view, std::size_t> index_;
  std::vector<Shares> shares_;
  std::int64_t samples_;
  enum class Sample { Fresh, Counted, GivenUp };
  std::atomic<Sample> sample_ = Sample::Fresh;
};

// Values that the engine returns only if asked to.
std::vector<std::string> to_fetch(const Graph& graph, std::span<const Watched> watched) {
  TextSet<std::string_view> given;
  for (const TensorId id : graph.inputs) given.insert(graph.tensors[id].name);
  for (const TensorId id : graph.outputs) given.insert(graph.tensors[id].name);
  std::vector<std::string> fetch;
  for (const Watched& one : watched)
    if (given.insert(one.tensor).second) fetch.push_back(one.tensor);
  return fetch;
}

// Engines take more memory to open a model than to run it; the rest would stay in the heap.
void give_back_memory() { system_calls::trim_heap(); }

// Reads the next sample while the current one runs.
class Ahead {
 public:
  explicit Ahead(const Dataset& data) : data_(data) {}
  void start(std::int64_t number) {
    if (number < data_.count())
      next_ = std::async(std::launch::async, [this, number] { return data_.sample(number); });
  }
  Result<std::vector<HostTensor>> get() { return next_.get(); }

 private:
  const Dataset& data_;
  std::future<Result<std::vector<HostTensor>>> next_;
};

tl::unexpected<Error> of_sample(const Dataset& data, std::int64_t number, const Error& error) {
  return failure(error_in(fmt::format("sample {} ({})", number, data.name(number)), error));
}

}  // namespace

Result<SketchedSamples> calibrate(const Engine& engine, const ModelSource& source,
                                  const Model& model, const Dataset& data,
                                  std::span<const Watched> watched, const CalibrateOptions& options,
                                  SketchedSamples before) {
  using Clock = std::chrono::steady_clock;
  if (before.samples > 0 && before.sketches.size() != watched.size())
    return failure("the run to go on from looked at other tensors", ErrorKind::Bug);
  SessionOptions session_options = options.session;
  session_options.fetch = to_fetch(model.graph(), watched);
  session_options.fetch_early = true;
  auto session = source.path.empty() ? engine.open(source.bytes, session_options)
                                     : engine.open(source.path, session_options);
  if (!session) return failure(session);
  give_back_memory();

  Pass pass(watched, options, std::move(before));
  // Values are counted while a sample runs: once one has been counted, the sample runs to its end.
  CancelOnStop cancel(options.stop, [&] { return pass.give_up_sample(); });
  cancel.watch(*session);
  const auto stopped = [&] { return options.stop != nullptr && *options.stop; };
  Ahead ahead(data);
  ahead.start(pass.samples());
  constexpr double kKeepShare = 0.02;  // of the time may go into keeping
  double keep_took = 0;                // seconds, the last time
  auto kept = Clock::now();
  while (pass.samples() < data.count() && !stopped()) {
    const std::int64_t number = pass.samples();
    auto inputs = ahead.get();
    if (!inputs) return failure(inputs);
    ahead.start(number + 1);
    if (Status status = pass.look_at(*session, std::move(*inputs)); !status) {
      if (pass.gave_up()) break;
      return of_sample(data, number, status.error());
    }
    if (options.progress) options.progress(pass.samples());
    const std::chrono::duration<double> since = Clock::now() - kept;
    const bool is_time = options.keep_seconds <= 0 ||
                         since.count() >= std::max(options.keep_seconds, keep_took / kKeepShare);
    if (options.keep && is_time && pass.samples() < data.count()) {
      const auto start = Clock::now();
      if (Status status = options.keep(pass.sum()); !status) return failure(status);
      kept = Clock::now();
      keep_took = std::chrono::duration<double>(kept - start).count();
    }
  }
  return pass.sum();
}

}  // namespace strata

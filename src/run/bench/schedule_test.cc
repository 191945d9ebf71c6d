// Tests the method on a moody machine: the fake engine, and a clock that runs as unevenly as
// on a machine that is shared with others.
#include "bench/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "strata/build/builder.h"
#include "strata/build/weights.h"
#include "strata/write/onnx.h"

namespace strata {
namespace {

std::string small_model() {
  build::Builder net("Two");
  const build::Var x = net.input("x", {2, 3});
  net.output("y", net.relu(net.matmul(x, net.weight("w", {3, 4}))));
  auto network = std::move(net).finish();
  EXPECT_TRUE(network);
  WriteOptions write;
  write.fill = build::random_weights(network->model, 1);
  return onnx_bytes(network->model, write).value();
}

// The slowness of the machine compared with one left alone: a slow drift of a few per cent (an
// Ornstein-Uhlenbeck process of the logarithm), and bursts in which others run.
class Moods {
 public:
  explicit Moods(std::uint64_t seed) : random_(seed), drift_(kDrift * normal_(random_)) {}

  double slower_at(double now) {
    const double keep = std::exp(-(now - last_) / kDriftSeconds);
    drift_ = keep * drift_ + kDrift * std::sqrt(1 - keep * keep) * normal_(random_);
    last_ = now;
    if (now >= burst_end_ && now >= next_burst_) {
      burst_end_ = now + std::exponential_distribution<double>(1 / kBurstSeconds)(random_);
      next_burst_ = burst_end_ + std::exponential_distribution<double>(1 / kQuietSeconds)(random_);
      burst_ = std::uniform_real_distribution<double>(1.1, 2)(random_);
    }
    return std::exp(drift_) * (now < burst_end_ ? burst_ : 1);
  }
  double jitter(double spread) { return std::exp(spread * normal_(random_)); }

 private:
  static constexpr double kDrift = 0.005, kDriftSeconds = 5;
  static constexpr double kBurstSeconds = 0.1, kQuietSeconds = 1;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double drift_, last_ = 0, burst_ = 1, burst_end_ = 0, next_burst_ = 0.5;
};

// Each trial has a machine of its own: processes of the fake engine on its clock.
class MoodyMachine {
 public:
  MoodyMachine(const Engine& engine, const std::string& model, std::uint64_t seed)
      : engine_(engine), model_(model), moods_(seed) {}

  double now() const { return 1e-9 * static_cast<double>(clock_); }
  // Its inferences take `seconds` on a machine that is left alone.
  std::unique_ptr<Subject> start(double seconds) {
    clock_ += 20'000'000;  // starting a process takes time, too
    return std::make_unique<Process>(*this, seconds * moods_.jitter(kProcess));
  }
  Machine machine(std::vector<double> seconds) {
    return {[this, seconds = std::move(seconds)](std::size_t variant)
                -> WorkerResult<std::unique_ptr<Subject>> { return start(seconds[variant]); },
            [this] { return now(); }};
  }

 private:
  static constexpr double kProcess = 0.002;  // how much processes of one variant differ
  static constexpr double kJitter = 0.02;    // how much inferences differ

  class Process : public Subject {
   public:
    Process(MoodyMachine& machine, double seconds)
        : machine_(machine), session_(machine.open(seconds)) {}
    WorkerResult<OpenReport> open() override {
      auto first = run(1, 0);
      return OpenReport{.first_seconds = first->seconds[0], .engine = "fake"};
    }
    WorkerResult<std::vector<HostTensor>> outputs() override {
      auto trace = session_.run_traced({.kernels = false, .blocks = false, .outputs = true});
      return std::move(trace->outputs);
    }
    WorkerResult<BlockReport> run(int count, double max_seconds) override {
      BlockReport report;
      const std::int64_t start = machine_.clock_;
      for (int i = 0; i < count; ++i) {
        const std::int64_t before = machine_.clock_;
        EXPECT_TRUE(session_.run());
        const double took = static_cast<double>(machine_.clock_ - before) *
                            machine_.moods_.slower_at(machine_.now()) *
                            machine_.moods_.jitter(kJitter);
        machine_.clock_ = before + std::llround(took);
        report.seconds.push_back(1e-9 * took);
        if (1e-9 * static_cast<double>(machine_.clock_ - start) >= max_seconds) break;
      }
      machine_.clock_ += 3'000'000;  // until its threads are at rest
      return report;
    }
    WorkerResult<BlockReport> run_at(const std::vector<double>& moments) override {
      return run(static_cast<int>(moments.size()), 1e9);
    }

   private:
    MoodyMachine& machine_;
    Session session_;
  };

  Session open(double seconds) {
    SessionOptions options;
    options.options = {fmt::format("clock={}", reinterpret_cast<std::uintptr_t>(&clock_)),
                       fmt::format("outside={}", std::llround(1e9 * seconds))};
    auto session = engine_.open(ModelBytes{model_}, options);
    EXPECT_TRUE(session) << session.error().message;
    HostTensor input{"x", DType::F32, {2, 3}, std::vector<std::byte>(6 * sizeof(float))};
    EXPECT_TRUE(session->bind({input}));
    return std::move(*session);
  }

  const Engine& engine_;
  const std::string& model_;
  Moods moods_;
  std::int64_t clock_ = 0;
};

class ScheduleOnMoods : public testing::Test {
 protected:
  static constexpr int kTrials = 1000;
  static constexpr double kSeconds = 1e-3;

  void SetUp() override {
    auto engine = load_engine("fake");
    if (!engine) GTEST_SKIP() << engine.error().message;
    engine_ = std::move(*engine);
    options_.block_seconds = 0.01;
    options_.max_seconds = 10;
  }
  SpeedUp bench(std::uint64_t seed, double other_seconds) {
    MoodyMachine machine(engine_, model_, seed);
    options_.seed = seed;
    BenchResult result =
        run_schedule({Variant{}, Variant{}}, options_, machine.machine({kSeconds, other_seconds}));
    judge(result, seed);
    processes_ += static_cast<double>(result.variants[0].processes.size()) / kTrials;
    reached_ += result.reached ? 1.0 / kTrials : 0;
    return result.speed_ups[1].value_or(SpeedUp{});
  }
  double claimed(double other_seconds, int trials) {
    int claims = 0;
    processes_ = reached_ = 0;
    for (int i = 0; i < trials; ++i)
      claims += bench(static_cast<std::uint64_t>(i), other_seconds).certain() ? 1 : 0;
    return static_cast<double>(claims) / trials;
  }

  Engine engine_ = Engine::from(nullptr, "");
  std::string model_ = small_model();
  BenchOptions options_;
  double processes_ = 0, reached_ = 0;  // means over the trials
};

// The whole method: waves, warm-up, random order, and stopping when intervals are narrow.
TEST_F(ScheduleOnMoods, ClaimsAtMostOneFalseDifferenceInTwenty) {
  const double rate = claimed(kSeconds, kTrials);
  RecordProperty("false_rate", fmt::format("{}", rate));
  RecordProperty("processes", fmt::format("{}", processes_));
  RecordProperty("reached", fmt::format("{}", reached_));
  EXPECT_LE(rate, 0.05) << "with " << processes_ << " processes, " << reached_ << " reached";
  EXPECT_GT(reached_, 0.5);  // stopping early has been part of it
}

TEST_F(ScheduleOnMoods, WithFewBlocksToo) {
  options_.max_seconds = 1.2;  // a few waves and no more
  options_.until = 0;
  const double rate = claimed(kSeconds, kTrials);
  RecordProperty("false_rate", fmt::format("{}", rate));
  RecordProperty("processes", fmt::format("{}", processes_));
  RecordProperty("reached", fmt::format("{}", reached_));
  EXPECT_LE(rate, 0.05) << "with " << processes_ << " processes";
}

TEST_F(ScheduleOnMoods, FindsTwoPerCent) { EXPECT_GE(claimed(1.02 * kSeconds, 100), 0.9); }

// Runs as many blocks, but all of one variant and then all of the other.
TEST_F(ScheduleOnMoods, OneAfterTheOtherClaimsOneInFive) {
  int claims = 0;
  for (int i = 0; i < kTrials; ++i) {
    MoodyMachine machine(engine_, model_, static_cast<std::uint64_t>(i));
    std::vector<double> samples[2];
    for (std::vector<double>& own : samples) {
      const auto process = machine.start(kSeconds);
      ASSERT_TRUE(process->run(80, 1));  // warm-up
      for (int block = 0; block < 20; ++block) {
        const auto report = process->run(20, 1);
        own.insert(own.end(), report->seconds.begin(), report->seconds.end());
      }
    }
    claims += compare_one_after_the_other(samples[0], samples[1]).certain() ? 1 : 0;
  }
  RecordProperty("false_rate", fmt::format("{}", claims / static_cast<double>(kTrials)));
  EXPECT_GT(claims, kTrials / 5);
}

// A machine on which every variant takes exactly as long as it is told to, to open and to run.
class ExactMachine {
 public:
  struct Takes {
    double open, run;
    double compiling = 0;  // in the first run
  };
  Machine machine(std::vector<Takes> variants) {
    return {[this, variants = std::move(variants)](
                std::size_t v) -> WorkerResult<std::unique_ptr<Subject>> {
              return std::make_unique<Process>(now_, variants[v]);
            },
            [this] { return now_; }};
  }

 private:
  class Process : public Subject {
   public:
    Process(double& now, Takes takes) : now_(now), takes_(takes) {}
    WorkerResult<OpenReport> open() override {
      OpenReport report;
      report.first_seconds = takes_.compiling + takes_.run;
      now_ += takes_.open + report.first_seconds;
      return report;
    }
    WorkerResult<std::vector<HostTensor>> outputs() override {
      now_ += takes_.run;
      return std::vector<HostTensor>();
    }
    WorkerResult<BlockReport> run(int count, double max_seconds) override {
      BlockReport report;
      double ran = 0;
      for (int i = 0; i < count && ran < max_seconds; ++i, ran += takes_.run)
        report.seconds.push_back(takes_.run);
      now_ += ran;
      return report;
    }
    WorkerResult<BlockReport> run_at(const std::vector<double>&) override { return BlockReport(); }

   private:
    double& now_;
    Takes takes_;
  };
  double now_ = 0;
};

BenchResult bench_exactly(const std::vector<ExactMachine::Takes>& variants, double seconds) {
  ExactMachine machine;
  BenchOptions options;
  options.max_seconds = seconds;
  options.until = 0;
  BenchResult result =
      run_schedule(std::vector<Variant>(variants.size()), options, machine.machine(variants));
  judge(result, 0);
  return result;
}

// A variant of 30 s per inference, or of a minute until it is compiled, beside two of 20 and 10 ms:
// its runs are few, and the others are compared as without it.
TEST(ScheduleOfUnequals, ASlowVariantTakesNoTimeFromTheOthers) {
  for (const ExactMachine::Takes slow : {ExactMachine::Takes{0.1, 30}, {60, 0.02}, {60, 30}}) {
    const BenchResult result = bench_exactly({{0.1, 0.02}, {0.1, 0.01}, slow}, 20);
    EXPECT_EQ(result.winner, 1u);
    EXPECT_TRUE(result.has_clear_winner());
    EXPECT_EQ(result.speed_ups[1]->withheld, "");
    EXPECT_NEAR(result.speed_ups[1]->median, 2, 1e-6);
    EXPECT_GE(result.variants[0].processes.size(), 5u);
    EXPECT_EQ(result.variants[2].processes.size(), 1u);
    if (slow.run < 1) continue;
    EXPECT_EQ(result.variants[2].runs(), 1u);
    EXPECT_THAT(result.speed_ups[2]->withheld, testing::HasSubstr("1 run was measured"));
  }
}

// A model that is compiled in its first run takes no longer than others after that.
TEST(ScheduleOfUnequals, AModelThatIsCompiledFirstIsMeasured) {
  const BenchResult result = bench_exactly({{0.1, 0.02}, {0.1, 0.01}, {0.1, 0.005, 30}}, 20);
  EXPECT_EQ(result.winner, 2u);
  EXPECT_NEAR(result.speed_ups[1]->median, 2, 1e-6);
  EXPECT_NEAR(result.speed_ups[2]->median, 4, 1e-6);
  EXPECT_GE(result.variants[2].runs(), 20u);
}

// A detector that takes 3 s, opened in 1 s: the default of a minute is enough for six runs.
TEST(ScheduleOfUnequals, ASlowModelHasSixRunsInAMinute) {
  const BenchResult result = bench_exactly({{1, 3}}, 60);
  EXPECT_GE(result.variants[0].runs(), 6u);
  EXPECT_TRUE(result.variants[0].summary().interval);
  EXPECT_LE(result.seconds, 62);
  // In 20 s there are fewer, and nothing is claimed.
  const BenchResult few = bench_exactly({{1, 3}}, 20);
  EXPECT_FALSE(few.variants[0].summary().interval);
  EXPECT_FALSE(few.winner);
}

}  // namespace
}  // namespace strata

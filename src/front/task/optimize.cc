#include "strata/task/optimize.h"

#include <algorithm>
#include <ctime>
#include <filesystem>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/output_file.h"
#include "base/system_calls.h"
#include "bench/ratio.h"
#include "bench/schedule.h"
#include "strata/machine/machine.h"
#include "strata/sensitivity/keep_float.h"
#include "task/bench_group.h"
#include "task/bench_models.h"
#include "task/judge_job.h"
#include "task/optimize_format.h"
#include "task/run_files.h"

namespace strata {

namespace {

// Shares of the time.
constexpr double kScreening = 0.4, kFinal = 0.4, kCheck = 0.2;
constexpr const char* kReceiptEnding = ".receipt.json";
constexpr FileKind kReceipt{FileForm::Json, "optimization"};
constexpr const char *kPython = ".run.py", *kCpp = ".run.cc";
constexpr FileKind kPythonKind{FileForm::Marked, kRunPython}, kCppKind{FileForm::Marked, kRunCpp};
constexpr std::int64_t kSamples = 16;  // to judge answers on, by default

int cores() { return std::max(1, system_calls::usable_processors()); }

// Variants that may be as fast as the fastest.
PlannedGroup finalists(const PlannedGroup& planned, const BenchGroup& screened) {
  PlannedGroup out{planned.model, planned.shape, {}, 0};
  const BenchResult& result = screened.result;
  const double reach = result.speed_ups[*result.winner]->interval.low;
  for (std::size_t i = 0; i < planned.variants.size(); ++i) {
    const auto& speed_up = result.speed_ups[i];
    if (result.variants[i].failure != Failure::None || !speed_up) continue;
    if (i != result.base && i != *result.winner && speed_up->interval.high < reach) continue;
    if (i == result.base) out.base = out.variants.size();
    out.variants.push_back(planned.variants[i]);
  }
  return out;
}

// The reason that there is no winner.
std::string why_no_winner(const BenchResult& result) {
  for (const VariantResult& own : result.variants)
    if (own.failure == Failure::None && !own.withheld().empty()) return own.withheld();
  return "nothing ran";
}

class Search {
 public:
  Search(const OptimizeRequest& request, const Observer& observer)
      : request_(request), observer_(observer) {}
  Result<OptimizeOutcome> run();

 private:
  const std::string& model() const {
    const BenchModel& only = request_.variants.models.front();
    return only.source.empty() ? only.name : only.source;
  }
  Status fill_choices();
  Status settle_int8();
  Result<PlannedGroup> plan();
  Result<Int8Answer> judge(const std::string& floats, const std::string& other) const;
  Status judge_int8(PlannedGroup& group);
  BenchOptions method(double share, double until, int processes) const;
  Result<BenchGroup> measure(const PlannedGroup& group, double share, double until, int processes);
  Result<std::optional<SpeedUp>> check(const PlannedVariant& best, const std::string& file) const;
  Status check_outputs() const;
  Status write(const PlannedVariant& best, const BenchGroup& last);
  Status write_programs(const Variant& best, OptimizedModel& out) const;
  OptimizeOutcome interrupted();

  const OptimizeRequest& request_;
  const Observer& observer_;
  BenchRequest variants_;
  bool torchscript_ = false;
  std::optional<ScratchFolder> scratch_;
  std::optional<ModelFiles> files_;
  std::optional<Int8Answer> answer_;  // of int8
  OptimizeOutcome outcome_;
};

// Fills in what the caller did not choose.
Status Search::fill_choices() {
  variants_ = request_.variants;
  if (variants_.models.size() != 1)
    return failure("one model is optimized at a time", ErrorKind::Usage);
  if (Status status = fill_engines(variants_, torchscript_); !status) return status;
  for (const EngineStyle& style : variants_.engines)
    if (!style.precisions.empty())
      return failure(fmt::format("{}: all engines are tried in the same precisions", style.engine),
                     ErrorKind::Usage);
  if (variants_.precisions.empty()) variants_.precisions = {"fp32", "int8"};
  if (variants_.threads.empty())
    for (int threads = 1; threads <= cores(); threads *= 2) variants_.threads.push_back(threads);
  if (Status status = torchscript_ ? Status() : settle_int8(); !status) return status;
  auto complete = with_usual_choices(std::move(variants_));
  if (!complete) return failure(complete);
  variants_ = std::move(*complete);
  return {};
}

// An int8 model calibrated on made-up samples looks fast, but its answers mean nothing: it is not
// tried unless the caller asks for it or provides a file. If int8 is tried, so are floats, because
// its answers are compared with theirs.
Status Search::settle_int8() {
  std::vector<std::string>& precisions = variants_.precisions;
  const auto int8 = std::find(precisions.begin(), precisions.end(), "int8");
  if (int8 == precisions.end()) return {};
  if (request_.random || !variants_.data.path.empty() || !variants_.models.front().int8.empty()) {
    if (precisions.size() == 1) precisions.insert(precisions.begin(), "fp32");
    return {};
  }
  precisions.erase(int8);
  Error reason = make_error(Code::Int8NeedsSamples);
  if (precisions.empty()) return failure(std::move(reason));
  outcome_.notes.push_back(observer_.phrased(reason));
  return {};
}

Result<PlannedGroup> Search::plan() {
  auto folder = ScratchFolder::create();
  if (!folder) return failure(folder);
  scratch_.emplace(std::move(*folder));
  files_.emplace(variants_, *scratch_);
  EngineFacts engines(variants_, observer_);
  auto groups = plan_model(variants_.models.front(), variants_, *files_, engines, observer_);
  if (!groups) return failure(groups);
  return std::move(groups->front());
}

// Compares the quantized file with the one in float, on the samples.
Result<Int8Answer> Search::judge(const std::string& floats, const std::string& other) const {
  DataRequest data = variants_.data;
  data.data.random = data.path.empty();
  if (data.data.samples == 0) data.data.samples = kSamples;
  JudgeRequest request{{floats}, other, data};
  request.floats.trust_model = variants_.method.limits.trust_model;
  request.engine.path = variants_.engine_path;
  request.engine.threads = cores();
  request.program = variants_.method.program;
  auto scores = judge_outputs(request, observer_);
  if (!scores) return failure(scores);
  Int8Answer answer;
  answer.random = data.data.random;
  answer.samples = scores->size();
  answer.sqnr = score_of(Quality::Sqnr, *scores);
  answer.top1 = score_of(Quality::Top1, *scores);
  const AnswerTarget target{.min_sqnr = request_.min_sqnr, .max_drop = request_.max_drop};
  if (target.max_drop && !answer.top1)
    answer.mistake = observer_.phrased(make_error(Code::DropNeedsClasses));
  else if (!target.met_by(*scores))
    answer.mistake = fmt::format("{} over {} samples, wanted {}", target.found_in(*scores),
                                 answer.samples, target.words());
  return answer;
}

// All variants in int8 use one file, which is judged once.
Status Search::judge_int8(PlannedGroup& group) {
  std::string floats;
  for (const PlannedVariant& planned : group.variants)
    if (planned.refusal.empty() && planned.variant.precision() != "int8")
      floats = planned.variant.file;
  for (PlannedVariant& planned : group.variants) {
    if (!planned.refusal.empty() || planned.variant.precision() != "int8" || floats.empty())
      continue;
    if (!answer_) {
      auto answer = judge(floats, planned.variant.file);
      if (!answer && answer.error().kind == ErrorKind::Usage) return failure(answer);
      answer_ = answer ? *answer : Int8Answer{.mistake = observer_.phrased(answer.error())};
    }
    planned.refusal = answer_->mistake;
  }
  return {};
}

BenchOptions Search::method(double share, double until, int processes) const {
  BenchOptions method;
  method.max_seconds = share * request_.seconds;
  method.until = until;
  method.processes = processes;
  method.seed = variants_.seed;
  method.answers.min_sqnr = request_.min_sqnr;
  method.program = variants_.method.program;
  method.limits = variants_.method.limits;
  return method;
}

Result<BenchGroup> Search::measure(const PlannedGroup& group, double share, double until,
                                   int processes) {
  auto measured = run_group(group, method(share, until, processes), observer_);
  if (!measured) return measured;
  // The bench compares the answers to one input; those to all samples were judged before, and only
  // they are shown.
  for (VariantResult& own : measured->result.variants)
    if (own.difference && own.variant.precision() == "int8" && answer_ && answer_->sqnr) {
      own.difference->sqnr = answer_->sqnr;
      own.difference->rows = answer_->samples;
      own.difference->top1.reset();
      if (answer_->top1) own.difference->top1 = *answer_->top1 / 100;
    }
  outcome_.tried.groups.push_back(*measured);
  return measured;
}

// Compares the file to be written with the best variant that was measured; nullopt: interrupted.
Result<std::optional<SpeedUp>> Search::check(const PlannedVariant& best,
                                             const std::string& file) const {
  PlannedGroup group{model(), "", {best, best}, 0};
  Variant& own = group.variants.back().variant;
  own.file = file;
  own.style += own.style.empty() ? "written" : ",written";
  auto checked = run_group(group, method(kCheck, 0.01, 3), observer_);
  if (!checked) return failure(checked);
  if (observer_.stopped()) return std::nullopt;
  const VariantResult& written = checked->result.variants[1];
  const auto ratio = speed_up_over_first(checked->result);
  if (written.failure != Failure::None || !ratio)
    return failure(
        fmt::format("{}: does not run as it was measured: {}", request_.output, written.reason));
  return *ratio;
}

// Writes the model, which has been tried under another name before it replaces an earlier one, and
// then the receipt.
Status Search::write(const PlannedVariant& best, const BenchGroup& last) {
  const std::string trial = *scratch_ / (torchscript_ ? "optimized.pt" : "optimized.onnx");
  if (auto status = write_model(best.variant.file, trial, torchscript_); !status) return status;
  auto checked = check(best, trial);
  if (!checked) return failure(checked);
  if (auto status = write_model(trial, request_.output, torchscript_); !status) return status;

  OptimizedModel out{model(), request_.output, "", request_.seconds, last.result, *checked};
  if (request_.command) out.command = request_.command(best.variant, request_.output);
  if (best.variant.precision() == "int8") out.answer = answer_;
  if (torchscript_)
    outcome_.notes.push_back(fmt::format(
        "{} is a copy of {}: PyTorch freezes and optimizes a file when it loads it, as the "
        "programs "
        "beside it do. ONNX Runtime and OpenVINO are often faster: "
        "torch.onnx.export(torch.jit.load("
        "\"{}\"), inputs, \"model.onnx\", dynamo=False) in Python, then strata optimize model.onnx",
        request_.output, model(), model()));
  else if (best.variant.file == model())
    outcome_.notes.push_back(
        fmt::format("{} is already the fastest file that was found: {} is a copy of it, and only "
                    "the options above make it faster",
                    model(), request_.output));
  if (auto status = write_programs(best.variant, out); !status) return status;
  out.notes = outcome_.notes;
  if (auto status = write_file(request_.output + kReceiptEnding, kReceipt,
                               optimize_receipt(out, outcome_.tried));
      !status)
    return status;
  outcome_.interrupted = !out.check;
  outcome_.written = std::move(out);
  return {};
}

// The lines that load and run the file, in Python and in C++.
Status Search::write_programs(const Variant& best, OptimizedModel& out) const {
  const auto files = run_files(best, std::filesystem::path(request_.output).filename().string());
  // Programs of an earlier run would run this file in another way.
  for (const auto& [ending, kind] : {std::pair(kPython, kPythonKind), {kCpp, kCppKind}})
    if (auto status = remove_output(request_.output + ending, kind); !status) return status;
  if (!files) return {};
  out.programs = {request_.output + kPython, request_.output + kCpp};
  if (auto status = write_file(out.programs[0], kPythonKind, files->python); !status) return status;
  return write_file(out.programs[1], kCppKind, files->cpp);
}

// The outcome if the job is interrupted before anything was written.
OptimizeOutcome Search::interrupted() {
  outcome_.tried.complete = false;
  outcome_.interrupted = true;
  return std::move(outcome_);
}

// Before the work, not after it.
Status Search::check_outputs() const {
  std::error_code error;
  for (const BenchModel& each : request_.variants.models)
    for (const std::string& source : each.sources())
      if (std::filesystem::equivalent(request_.output, source, error))
        return failure(fmt::format("{} is the model itself; name another file", request_.output),
                       ErrorKind::Usage);
  if (Status status = check_model_output(request_.output, torchscript_); !status) return status;
  for (const auto& [ending, kind] :
       {std::pair(kPython, kPythonKind), {kCpp, kCppKind}, {kReceiptEnding, kReceipt}})
    if (Status status = check_writable(request_.output + ending, kind); !status) return status;
  return {};
}

Result<OptimizeOutcome> Search::run() {
  if (request_.variants.models.size() == 1) {
    if (auto status = check_format(model()); !status) return failure(status);
    torchscript_ = is_torchscript(model());
  }
  if (auto status = check_outputs(); !status) return failure(status);
  if (auto status = fill_choices(); !status) return failure(status);
  auto planned = plan();
  if (observer_.stopped()) return interrupted();
  if (!planned) return failure(planned);
  if (auto status = judge_int8(*planned); !status) return failure(status);
  if (observer_.stopped()) return interrupted();

  BenchRun& tried = outcome_.tried;
  tried.program = variants_.caller.program;
  tried.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  tried.machine = named_facts(read_machine());
  tried.method = method(kScreening, 0.05, 1);
  const auto screened = measure(*planned, kScreening, 0.05, 1);
  if (!screened) return failure(screened);
  if (observer_.stopped()) return interrupted();
  if (!screened->result.winner) {
    outcome_.not_written = fmt::format("{}: {}; {} was not written", model(),
                                       why_no_winner(screened->result), request_.output);
    return std::move(outcome_);
  }
  const PlannedGroup last = finalists(*planned, *screened);
  auto final_group = measure(last, kFinal, 0.01, 3);
  if (!final_group) return failure(final_group);
  BenchResult& result = final_group->result;
  std::size_t lossy = 0;
  if (const auto gain = prefer_lossless(result, variants_.seed, lossy))
    outcome_.notes.push_back(fmt::format(
        "{} is not taken: its answers differ, and it is not surely faster than {}{}",
        result.variants[lossy].variant.label(), result.variants[*result.winner].variant.label(),
        gain->withheld.empty() ? fmt::format(" ({:.2f}× [{:.2f}, {:.2f}])", gain->median,
                                             gain->interval.low, gain->interval.high)
                               : ": " + gain->withheld));
  tried.groups.back().result = result;
  tried.groups.back().model += " (final)";
  if (observer_.stopped()) return interrupted();
  if (!final_group->result.winner)
    return failure(fmt::format("{}: in the second comparison, {}", model(), why_no_winner(result)));
  const PlannedVariant& best = last.variants[*final_group->result.winner];
  if (auto status = write(best, *final_group); !status) return failure(status);
  return std::move(outcome_);
}

}  // namespace

Result<OptimizeOutcome> run_optimize(const OptimizeRequest& request, const Observer& observer) {
  return Search(request, observer).run();
}

}  // namespace strata

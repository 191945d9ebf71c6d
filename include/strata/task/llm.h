// The job behind `strata llm`: whether a language model fits a device, at which context and batch,
// and how fast it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/check/check.h"
#include "strata/llm/answer.h"

namespace strata {

// Values that are tried in every combination. An empty list stands for the question's own value.
struct LlmSweep {
  std::vector<std::string> weights = {}, caches = {};
  std::vector<double> contexts = {}, batches = {};
  std::vector<DeviceCount> devices = {};
};
inline constexpr std::size_t kMostSetups = 10000;

// Reads `weights=bf16,fp8`, `cache=…`, `context=8k,32k`, `batch=1,16` or `on=h100,8xh200` into it.
Status add_axis(LlmSweep& sweep, std::string_view text, const std::vector<Device>& added = {});

struct LlmRequest {
  std::string model;  // a folder, a config.json, or zoo:NAME
  llm::Question question;
  std::optional<DeviceCount> on = {};  // nullopt: every device
  std::vector<Device> added = {};      // devices of the user, which are in that list, too
  std::optional<LlmSweep> sweep = {};
};

struct LlmOutcome {
  llm::Network network;
  std::vector<llm::Answer> answers;  // of the device that was asked for, or of each
  // Where no single device holds it: the least memory of several of one kind that do.
  std::optional<llm::Answer> smallest;
  std::vector<std::string> refused = {};  // why setups of a sweep have no answer; each once
};

// Everything is computed from the configuration; nothing is run.
Result<LlmOutcome> run_llm(const LlmRequest& request, const Observer& observer = {});

// True if a budget is about a language model as it is served: kv, memory, context, batch or speed.
bool is_llm_budget(std::string_view line);
// Judges `kv<20GiB,context>=32k,batch>=8,on=h100`. Measures are kv, weights and memory in bytes,
// context, batch, and speed in tokens/s of all users. What has a lower limit is asked for together:
// the cache is that of the context and the batch that must be reached.
Result<budget::Outcome> judge_llm(const std::string& model, std::string_view line);

}  // namespace strata

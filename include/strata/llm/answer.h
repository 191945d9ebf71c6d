// Answers whether a model fits a device, at which context and batch, and how fast it is. If it does
// not fit, the answer names the cheapest change that makes it fit.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/llm/count.h"
#include "strata/llm/step.h"

namespace strata::llm {

struct Question {
  double context = 0;  // tokens of each sequence; 0: 8192, or what the model was made for
  double batch = 1;
  std::string weights = {};  // a scheme; empty: as the model's files are
  std::string cache = {};    // empty: bf16
  std::string engine = {};   // empty: the usual one for the device
  double reserve_bytes = -1;
  std::string reserve_engine = {};  // whose reserve is taken; empty: that of `engine`
  Division division = {};
  bool division_given = false;  // else several devices are divided by tensor parallelism first
};

// A change that makes a model fit.
struct Fix {
  enum class Change : std::uint8_t { Cache, Weights, Batch, Context, Devices };
  Change change = Change::Cache;
  std::string value;           // `fp8`; `12345`; `2xh100`
  std::string text;            // `a cache in fp8`
  std::vector<Fix> with = {};  // changes that are needed beside it
};

struct Answer {
  std::string device, title;  // its name, and what its maker calls it
  int count = 1;
  Division division;
  WeightScheme weights;
  std::string cache_type, engine;
  std::string reserve_engine;  // whose memory is assumed
  double cache_element_bytes = 2;
  double context = 0, batch = 1;
  Memory memory;
  double longest_context = 0;  // of one sequence
  double largest_batch = 0;    // at `context`
  Work prefill_work, decode_work;
  std::optional<StepTime> prefill, decode;  // nullopt: the device states no peaks
  std::vector<Fix> fixes;                   // if it does not fit, the cheapest first
  std::vector<std::string> notes;
};

// `count` devices of one kind.
Result<Answer> answer(const Network& network, const Question& question, const Device& device,
                      int count, bool with_fixes = true);

// One of each device that states a memory, the smallest that fits first.
std::vector<Answer> answer_for_all(const Network& network, const Question& question,
                                   const std::vector<Device>& devices);

// Tokens of a context as people write them: `8192`, `8k`, `128K`, `1M`. Powers of 1024.
Result<double> parse_tokens(std::string_view text);

double usual_context(const Network& network);

}  // namespace strata::llm

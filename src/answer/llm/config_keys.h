// The keys of a config.json, by all the names that authors gave them, within limits that keep every
// count below 2^63.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fields.h"
#include "strata/base/result.h"
#include "strata/llm/network.h"

namespace strata::llm {

inline constexpr std::int64_t kMostLayers = 4096;
inline constexpr std::int64_t kMostWidth = std::int64_t{1} << 20;
inline constexpr std::int64_t kMostFfn = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostVocab = std::int64_t{1} << 26;
inline constexpr std::int64_t kMostHeads = 65536;
inline constexpr std::int64_t kMostHead = 65536;
inline constexpr std::int64_t kMostExperts = 65536;
inline constexpr std::int64_t kMostContext = std::int64_t{1} << 40;
// More than any model has; sums of products stay far below 2^63.
inline constexpr double kMostParameters = 1e16;

class Keys : public JsonFields {
 public:
  using Names = std::initializer_list<const char*>;

  // `json` has the keys of the language model; `outer` has what may stand beside them.
  Keys(const Json& json, const Json& outer, std::string_view label)
      : JsonFields(label), json_(json), outer_(outer) {}

  const Json& json() const { return json_; }
  const Json& outer() const { return outer_; }
  bool has(const char* key) const { return at(json_, key) != nullptr; }
  bool names(const char* key) const { return json_.contains(key); }  // it may be null

  // From 1 to `most`. `otherwise` where no key is there; 0 then means that one has to be there.
  std::int64_t size(Names names, std::int64_t most, std::int64_t otherwise = 0) {
    return bounded(names, 1, most, otherwise, otherwise == 0);
  }
  // Like above from 0 on, and 0 or `otherwise` where there is none.
  std::int64_t size_or_none(Names names, std::int64_t most, std::int64_t otherwise = 0) {
    return bounded(names, 0, most, otherwise, false);
  }
  bool truth(const char* key, bool otherwise) {
    used_.insert(key);
    return at(json_, key) == nullptr ? otherwise : flag(json_, key);
  }
  std::string word(const char* key) {
    used_.insert(key);
    return text(json_, key);
  }
  std::vector<std::string> words(const char* key) {
    used_.insert(key);
    std::vector<std::string> out;
    texts(json_, key, out);
    return out;
  }
  std::vector<std::int64_t> wholes(const char* key) {
    used_.insert(key);
    std::vector<double> numbers_at;
    numbers(json_, key, numbers_at);
    std::vector<std::int64_t> out;
    for (const double number : numbers_at)
      out.push_back(number >= 0 && number <= 1e9 ? static_cast<std::int64_t>(number) : 0);
    return out;
  }
  // Reads an object inside.
  Keys inside(const char* key) {
    used_.insert(key);
    return {object(json_, key), outer_, file()};
  }
  void take_problem(const Keys& from) {
    if (good() && !from.good()) wrong_as(from.problem());
  }
  const std::set<std::string>& used() const { return used_; }

  Status checked() {
    if (good()) return {};
    return failed();
  }

 private:
  std::int64_t bounded(Names names, std::int64_t least, std::int64_t most, std::int64_t otherwise,
                       bool required) {
    for (const char* name : names) used_.insert(name);
    for (const char* name : names) {
      if (at(json_, name) == nullptr) continue;
      const std::int64_t number = whole(json_, name);
      if (good() && (number < least || number > most))
        wrong(fmt::format("its {} of {} is not from {} to {}", name, number, least, most));
      return std::max(number, least);
    }
    if (good() && required) wrong(fmt::format("it has no \"{}\"", *names.begin()));
    return std::max(otherwise, least);
  }
  void wrong_as(const std::string& whole) {
    const std::string start = file() + ": ";
    wrong(whole.starts_with(start) ? whole.substr(start.size()) : whole);
  }

  const Json& json_;
  const Json& outer_;
  std::set<std::string> used_;
};

// Fills the layers and what is around them; problems are left in `keys`.
struct ClassReader {
  std::string_view name;        // `LlamaForCausalLM`, without which model_type is looked at
  std::string_view model_type;  // `llama`
  void (*read)(Keys& keys, Network& network);
};
std::span<const ClassReader> decoder_classes();  // decoders.cc
std::span<const ClassReader> expert_classes();   // latent attention, chunks, mixed windows
std::span<const ClassReader> state_classes();    // state spaces and hybrids
std::span<const ClassReader> linear_classes();   // linear attention and short convolutions
std::span<const ClassReader> gemma_classes();    // Gemma 3n and 4
std::span<const ClassReader> recent_classes();   // rows for classes of 2025 and 2026
std::span<const ClassReader> older_classes();    // with names of their own: GPT-2, BLOOM, …
std::span<const ClassReader> newer_classes();    // with rules of their own: ERNIE, Apertus, …
// The class that an unknown one is taken for, if all of its keys are understood.
const ClassReader& nearest_class();

// The parts that every class has, by their usual names.
void read_sizes(Keys& keys, Network& network, std::int64_t layers_otherwise = 0);
std::int64_t read_layer_count(Keys& keys, std::int64_t otherwise = 0);
bool read_tied(Keys& keys, bool otherwise);

}  // namespace strata::llm

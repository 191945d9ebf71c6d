// Operators on text. They do no arithmetic. Text has no fixed size, so its bytes are unknown.
#include <algorithm>

#include "ops/common.h"
#include "ops/registry.h"

namespace strata {
namespace {

bool same_word(std::string_view a, std::string_view b, bool case_sensitive) {
  if (case_sensitive) return a == b;
  const auto lower = [](char ch) {
    return ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char left, char right) { return lower(left) == lower(right); });
}

// If there are stopwords, the length depends on the data. An output without words has one empty
// word.
Status string_normalizer(ShapeContext& c) {
  const auto stopwords = c.texts("stopwords");
  if (!c.ranked(0) || stopwords.empty()) return like_input(c);
  Dims dims = c.dims(0);
  if (dims.empty() || dims.size() > 2) return c.error("its input must have one or two axes");
  const auto words = c.texts_of(0);
  if (words.empty() || words.size() * stopwords.size() > kMaxValueElements) {
    dims.back() = c.fresh("words");
  } else {
    const bool case_sensitive = c.integer("is_case_sensitive", 0) != 0;
    const auto kept = std::count_if(words.begin(), words.end(), [&](const auto& word) {
      return std::none_of(stopwords.begin(), stopwords.end(), [&](std::string_view stop) {
        return same_word(word, stop, case_sensitive);
      });
    });
    dims.back() = std::max<std::int64_t>(kept, 1);
  }
  c.set(0, DType::String, std::move(dims));
  return {};
}

bool is_space(char ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r'); }

// Without a delimiter, a string is split where there is white space, and what is empty does not
// count. `most` is how often it is split.
std::int64_t count_words(std::string_view text, std::int64_t most) {
  std::int64_t words = 0;
  for (std::size_t i = 0; i < text.size() && words <= most; ++i)
    if (!is_space(text[i]) && (i == 0 || is_space(text[i - 1]))) ++words;
  return words;
}

std::int64_t count_parts(std::string_view text, std::string_view delimiter, std::int64_t most) {
  if (delimiter.empty()) return count_words(text, most);
  std::int64_t parts = 1;
  for (std::size_t at = text.find(delimiter); at != text.npos && parts <= most;
       at = text.find(delimiter, at + delimiter.size()))
    ++parts;
  return parts;
}

// The largest number of parts; a symbol if the strings are not known.
Expr most_parts(ShapeContext& c) {
  if (elements(c.dims(0)).is(0)) return 0;
  const auto strings = c.texts_of(0);
  if (strings.empty()) return c.fresh("parts");
  const std::int64_t most = c.integer("maxsplit", Expr::kMaxNumber);
  std::int64_t parts = 0;
  for (const std::string& text : strings)
    parts = std::max(parts, count_parts(text, c.text("delimiter", ""), most));
  return parts;
}

// The parts of each string in a new last axis, which is as long as the largest number of parts, and
// the number of parts of each string.
Status string_split(ShapeContext& c) {
  TypeInfo counts = c.in(0);
  counts.dtype = DType::I64;
  c.set(1, std::move(counts));
  if (!c.ranked(0)) {
    c.set_unranked(0, DType::String);
    return {};
  }
  Dims dims = c.dims(0);
  dims.push_back(most_parts(c));
  c.set(0, DType::String, std::move(dims));
  return {};
}

Status regex_full_match(ShapeContext& c) {
  TypeInfo type = c.in(0);
  type.dtype = DType::Bool;
  c.set(0, std::move(type));
  return {};
}

Status tf_idf_vectorizer(ShapeContext& c) {
  const auto indexes = c.integers("ngram_indexes");
  if (indexes.empty()) return c.error("it has no n-grams (attribute `ngram_indexes`)");
  const std::int64_t last = *std::max_element(indexes.begin(), indexes.end());
  if (last < 0) return c.error("an index in its attribute `ngram_indexes` is negative");
  if (!c.ranked(0)) {
    c.set_unranked(0, DType::F32);
    return {};
  }
  if (c.rank(0) > 2) return c.error("its input must have one or two axes");
  Dims dims;
  if (c.rank(0) == 2) dims.push_back(c.dims(0)[0]);
  dims.push_back(Expr(last) + 1);
  c.set(0, DType::F32, std::move(dims));
  return {};
}

// One product per output if counts are weighted; the counting depends on the data.
void tf_idf_cost(CostContext& c) {
  if (c.text("mode", "TF") != "TF") muls_per_output<1>(c);
  c.at_least("how many n-grams are found depends on the data");
}

constexpr Example kNormalizer[] = {
    {"string[4]", "case_change_action=\"LOWER\"", "string[4]", {.macs = 0, .flops = 0}},
    {"string[1,N]", "", "string[1,N]"},
};
constexpr Example kConcat[] = {{"string[2,1], string[3]", "", "string[2,3]", {.flops = 0}}};
constexpr Example kSplit[] = {
    {"string[2]", "delimiter=\".\"", "string[2,parts], i64[2]", {.flops = 0}},
};
constexpr Example kMatch[] = {{"string[2,3]", "pattern=\"a+\"", "bool[2,3]", {.flops = 0}}};
constexpr Example kTfIdf[] = {
    {"i64[12]", "mode=\"TF\" ngram_indexes=0,1,2,3,4,5,6", "f32[7]", {.flops = 0}},
    {"i64[2,6]", "mode=\"IDF\" ngram_indexes=0,3,1,2", "f32[2,4]", {.flops = 8}},
};

constexpr OpRule kStringRules[] = {
    any_rank("StringNormalizer", 10, string_normalizer, no_arithmetic, kNormalizer),
    any_rank("StringConcat", 20, broadcast_inputs, no_arithmetic, kConcat),
    any_rank("StringSplit", 20, string_split, no_arithmetic, kSplit),
    any_rank("RegexFullMatch", 20, regex_full_match, no_arithmetic, kMatch),
    any_rank("TfIdfVectorizer", 9, tf_idf_vectorizer, tf_idf_cost, kTfIdf),
};

}  // namespace

std::span<const OpRule> string_rules() { return kStringRules; }

}  // namespace strata

// Fields of a JSON object that anybody may have written, taken out one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strata/base/result.h"
#include "strata/base/statistics.h"

namespace strata {

// Keeps the first problem; what is read after it is empty. `where` names the object in the
// sentence of a problem: `it`, `its model`, `item 3 of "rows"`. What is null is taken for absent.
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  // The kind of the file, which may be empty, and its name: `profile`, `a.json`.
  JsonFields(std::string_view kind, std::string_view file) : kind_(kind), file_(file) {}
  explicit JsonFields(std::string_view file) : JsonFields("", file) {}

  bool good() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }
  const std::string& file() const { return file_; }
  // The problem as a failure; `what` is one if there is none yet.
  tl::unexpected<Error> failed(std::string_view what = {});

  void wrong(std::string_view what);
  void wrong(std::string_view where, std::string_view what) {
    wrong(fmt::format("{} {}", where, what));
  }

  // The value at a key, nullptr if it is not there, or null, or something is wrong already.
  const Json* at(const Json& from, const char* key) const;
  // An empty one where there is none.
  const Json& object(const Json& from, const char* key, std::string_view where = kIt);

  // Empty where there is none.
  std::string text(const Json& from, const char* key, std::string_view where = kIt);
  // A problem where there is none.
  std::string needed_text(const Json& from, const char* key, std::string_view where = kIt);
  bool flag(const Json& from, const char* key, std::string_view where = kIt);

  std::int64_t whole(const Json& from, const char* key, std::string_view where = kIt,
                     bool required = false);
  std::int64_t whole_or(const Json& from, const char* key, std::int64_t otherwise,
                        std::string_view where = kIt);
  // From 0 on.
  std::uint64_t size(const Json& from, const char* key, std::string_view where = kIt,
                     bool required = false);
  // One that a program may loop over; from `otherwise` on, which it is where there is none.
  int count(const Json& from, const char* key, std::string_view where = kIt, int otherwise = 0);

  std::optional<double> real_if_any(const Json& from, const char* key,
                                    std::string_view where = kIt);
  double real_or(const Json& from, const char* key, double otherwise,
                 std::string_view where = kIt) {
    return real_if_any(from, key, where).value_or(otherwise);
  }
  double real(const Json& from, const char* key, std::string_view where = kIt) {
    return real_or(from, key, 0, where);
  }
  // In documents of strata a real may also be infinite, which JSON has no number for.
  std::optional<double> real_or_infinity(const Json& from, const char* key,
                                         std::string_view where = kIt);
  // A pair of such reals; an end that is null is not known, and so 0 or infinite.
  std::optional<Interval> interval(const Json& from, const char* key, std::string_view where = kIt);

  // A list, each item of which `read` takes with the words that name it.
  template <class Read>
  void list(const Json& from, const char* key, const Read& read, bool required = false) {
    const Json* items = list_at(from, key, required);
    if (items == nullptr) return;
    std::size_t number = 0;
    for (const Json& item : *items) {
      if (!problem_.empty()) return;
      read(item, fmt::format("item {} of \"{}\"", ++number, key));
    }
  }
  void texts(const Json& from, const char* key, std::vector<std::string>& out);
  // Numbers at a key, and those of a list that is one itself.
  void numbers(const Json& from, const char* key, std::vector<double>& out);
  void numbers_in(const Json& items, const char* key, std::vector<double>& out);
  // An object of texts, in its order.
  void pairs(const Json& from, const char* key,
             std::vector<std::pair<std::string, std::string>>& out);

  static std::optional<std::int64_t> whole_number(const Json& value);
  // A number, "inf" or "-inf".
  static std::optional<double> real_number(const Json& value);

 private:
  static constexpr std::string_view kIt = "it";
  const Json* list_at(const Json& from, const char* key, bool required);

  std::string kind_, file_;
  std::string problem_;
};

}  // namespace strata

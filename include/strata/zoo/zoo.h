// The built-in networks: `mobilenet_v2`, `mobilenet_v2?width=0.5&resolution=160`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/base/result.h"
#include "strata/build/builder.h"
#include "strata/read/source.h"

namespace strata::zoo {

using namespace build;  // networks are descriptions for a Builder

enum class ParameterKind : std::uint8_t {
  Size,    // a whole number of at least 1, or a name for one that stays open
  Whole,   // a whole number within bounds
  Real,    // a number within bounds
  Choice,  // one of several words
};

// A parameter that a network can be built with.
struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::Whole;
  std::string_view usual;  // its default value
  std::string_view help;
  double least = 1, most = 1 << 20;  // Whole, Real
  std::string_view choices = {};     // `f32|f16|bf16`
};

// The arguments that a network is built with: every parameter has a value of its kind.
class Arguments {
 public:
  Expr size(std::string_view name) const;
  std::int64_t whole(std::string_view name) const;
  double real(std::string_view name) const;
  std::string_view word(std::string_view name) const;

 private:
  friend Result<Arguments> parse_arguments(std::string_view network,
                                           std::span<const Parameter> parameters,
                                           std::string_view text);
  std::vector<std::pair<std::string_view, std::string>> values_;
};

struct Entry {
  std::string_view name;
  std::string_view summary;  // one line
  std::string_view cls;      // class of the root module
  std::span<const Parameter> parameters;
  void (*build)(Builder& net, const Arguments& arguments);
  bool in_table = false;  // one of the 34 networks whose figures were published
};

// All networks, in alphabetical order.
const std::vector<Entry>& entries();
// nullptr if no network has that name.
const Entry* find(std::string_view name);

// Parses `width=0.5&batch=8` into values for all parameters; an error lists the parameters there
// are.
Result<Arguments> parse_arguments(std::string_view network, std::span<const Parameter> parameters,
                                  std::string_view text);

// Builds `mobilenet_v2?width=0.5`. For an unknown name, the error suggests similar ones.
Result<Network> build(std::string_view name_and_arguments);

// Returns the same network with another batch: `mobilenet_v2?width=0.5&batch=8`.
std::string with_batch(std::string_view name_and_arguments, std::int64_t batch);

// Users name a model as `zoo:NAME?…` or by the path of a file.
inline constexpr std::string_view kPrefix = kZooPrefix;

}  // namespace strata::zoo

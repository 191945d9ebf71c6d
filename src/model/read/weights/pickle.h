// Python's pickles of state dicts, read as data. A pickle is a program for a small machine, which
// could call any function of Python; this reader only builds values, and knows just the functions
// that rebuild tensors. It stops at anything else and says its name. Nothing is ever executed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/dtype.h"

namespace strata::weights {

using ValueId = std::uint32_t;

enum class ValueKind : std::uint8_t {
  Nothing,  // also what is of no interest: a fraction, bytes
  Number,
  Text,
  List,  // also a tuple
  Dict,
  Global,   // a name that is allowed; `number` is its row in the list
  Storage,  // `number` is an index into Pickle::storages
  Tensor,   // `number` is an index into Pickle::tensors
};

struct PickledValue {
  ValueKind kind = ValueKind::Nothing;
  std::int64_t number = 0;
  std::string_view text = {};
  std::vector<ValueId> items = {};  // of a Dict: key, value, key, value, …
};

struct PickledStorage {
  std::string_view key;  // names the file in the archive
  DType dtype = DType::Undefined;
  std::uint64_t elements = 0;  // bytes, if the type is not known
};

struct PickledTensor {
  std::uint32_t storage = 0;
  DType dtype = DType::Undefined;
  std::uint64_t offset = 0;  // in elements
  std::vector<std::int64_t> dims = {}, strides = {};
};

struct Pickle {
  std::vector<PickledValue> values;
  std::vector<PickledStorage> storages;
  std::vector<PickledTensor> tensors;
  ValueId result = 0;
  std::size_t bytes = 0;  // that the pickle took; more may follow

  const PickledValue& at(ValueId id) const { return values[id]; }
};

struct PickleLimits {
  std::size_t values = 4'000'000;  // as many as the pickle may make
};

// The first pickle in `bytes`. Texts are views into them. An error is a sentence without the name
// of the file.
Result<Pickle> read_pickle(std::string_view bytes, const PickleLimits& limits = {});

}  // namespace strata::weights

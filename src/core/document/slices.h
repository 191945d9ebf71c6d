// The rows of a measured run as slices of time, one inside the other as modules are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/document/document.h"

namespace strata {

struct Slice {
  std::string name;     // `features.3.conv`
  std::uint32_t depth;  // slices that it is in
  std::int64_t start_ns, end_ns;
  const TableRow* row;  // nullptr: a module, which rows are in
};

// A row that has no time of its own, such as one whose work another's kernel does.
struct Untimed {
  std::int64_t at_ns;
  const TableRow* row;
  std::size_t before;  // the slice that comes next; as many as there are: it is the last
};

struct Slices {
  const Table* table = nullptr;
  std::vector<Slice> all = {};  // a module before what is in it, else in running order
  std::vector<Untimed> untimed = {};
  std::int64_t end_ns = 0;
};

// Rows follow one another, each as long as its time; neighbours with a common path are in
// the same module. Moments are rounded to nanoseconds, and lengths are differences of moments, so
// that no error adds up and no slice ends after the one that it is in. Fails if nothing was timed.
Result<Slices> slices_of(const Document& document);

}  // namespace strata

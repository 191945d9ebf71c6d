// Reads a model, works out every shape, counts every layer and prints the five
// most expensive ones: profile_model MODEL
#include <algorithm>
#include <cstdio>
#include <string>

#include "strata/profile/rows.h"
#include "strata/read/read.h"

namespace {

// Compares formulas with every open size as 1; what is not known comes last.
double with_sizes_of_one(const strata::Row& row) {
  const strata::Amount& macs = row.figures.macs;
  if (!macs.is_whole()) return macs.number().value_or(-1);
  return macs.above().evaluate([](std::string_view) { return 1.0; }).value_or(-1);
}

strata::Status run(const std::string& path) {
  auto model = strata::read_model(path);  // maps the file; weights are not read
  if (!model) return failure(model);
  const auto inferred = strata::infer(*model);  // every shape; open sizes stay symbols
  if (!inferred) return failure(inferred);
  const auto analysis = strata::analyse(*model, *inferred);  // every layer, once
  if (!analysis) return failure(analysis);

  // One row for each call of a module. Other rows, such as the module tree, are made from the
  // same analysis.
  strata::Rows rows = strata::make_rows(*analysis);
  std::stable_sort(rows.list.begin(), rows.list.end(),
                   [](const strata::Row& a, const strata::Row& b) {
                     return with_sizes_of_one(a) > with_sizes_of_one(b);
                   });
  rows.list.resize(std::min<std::size_t>(rows.list.size(), 5));
  for (const strata::Row& row : rows.list)  // a number, or a formula such as 10838016·N
    std::printf("%-30s %s MACs\n", row.layer.c_str(), row.figures.macs.text().c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: profile_model MODEL\n"), 2;
  const auto done = run(argv[1]);
  if (!done) return std::fprintf(stderr, "%s\n", done.error().message.c_str()), 1;
}

#include "task/found_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace strata {

namespace {

constexpr int kMaxRounds = 100;

Status infer_again(LoadedModel& loaded, const ModelRequest& model, const FoundSizes& sizes) {
  InferOptions again = model.sizes;
  again.limit = model.limit;
  again.sizes.insert(again.sizes.end(), sizes.begin(), sizes.end());
  auto inference = infer(loaded.model, again);
  if (!inference) return failure_in(model.source.word(), inference);
  loaded.inference = std::move(*inference);
  return {};
}

void say(LoadedModel& loaded, const FoundSizes& sizes, std::string_view from) {
  std::vector<std::string> told;
  for (const auto& [name, number] : sizes) told.push_back(fmt::format("{} = {}", name, number));
  loaded.model.notes.push_back(fmt::format("{}: {}", from, fmt::join(told, ", ")));
}

}  // namespace

Status take_sizes(LoadedModel& loaded, const ModelRequest& model, const FoundSizes& sizes,
                  std::string_view from) {
  if (sizes.empty()) return {};
  if (Status status = infer_again(loaded, model, sizes); !status) return status;
  say(loaded, sizes, from);
  return {};
}

Status assume_largest_sizes(LoadedModel& loaded, const ModelRequest& model) {
  FoundSizes sizes;
  // The largest of a later size may depend on an earlier one.
  bool found = true;
  for (int round = 0; found && round < kMaxRounds; ++round) {
    found = false;
    for (const Inference::Symbol& symbol : loaded.inference.symbols)
      if (symbol.needs_data && symbol.at_most.is_number()) {
        sizes.emplace_back(symbol.name, symbol.at_most.value());
        found = true;
      }
    if (found)
      if (Status status = infer_again(loaded, model, sizes); !status) return status;
  }
  if (!sizes.empty()) say(loaded, sizes, "assumed, since only data tells, as many as there can be");
  return {};
}

}  // namespace strata

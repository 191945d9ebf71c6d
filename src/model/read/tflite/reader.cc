#include "read/tflite/reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "ops/tflite_table.h"
#include "read/model_or_failure.h"
#include "read/tflite/graph.h"
#include "read/tflite/notes.h"
#include "read/tflite/offline_plan.h"
#include "read/tflite/schema_table.h"

namespace strata::tflite {

namespace {

constexpr std::uint32_t kVersion = 3;

struct Signature {
  std::string_view key;
  std::uint32_t subgraph = 0;
};

std::vector<Signature> signatures_of(Loading& loading) {
  const List list = loading.file.list(slot::kModelSignatureDefs, sizeof(std::uint32_t));
  loading.count_list_items(list.count);
  std::vector<Signature> signatures;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    const Table table = loading.wire.table_at(list, i);
    signatures.push_back({table.text(slot::kSignatureDefSignatureKey),
                          table.number<std::uint32_t>(slot::kSignatureDefSubgraphIndex, 0)});
  }
  return signatures;
}

// The subgraph to read: that of the signature that was asked for, or of the only one.
std::uint32_t chosen_subgraph(Loading& loading) {
  const std::vector<Signature> signatures = signatures_of(loading);
  const std::string& wanted = loading.options.model;
  std::string names;
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < std::min(signatures.size(), kMost); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", in_quotes(signatures[i].key));
  for (const Signature& signature : signatures)
    if (!wanted.empty() && signature.key == wanted) return signature.subgraph;
  if (!wanted.empty())
    throw Broken{fmt::format("it has no signature {}; its signatures are: {}", in_quotes(wanted),
                             names.empty() ? "none" : names)};
  if (signatures.empty()) return 0;
  const auto differs = [&](const Signature& other) {
    return other.subgraph != signatures[0].subgraph;
  };
  if (std::any_of(signatures.begin(), signatures.end(), differs))
    loading.note(
        fmt::format("it has {} signatures ({}); this is {}, and another is read by its name",
                    signatures.size(), names, in_quotes(signatures[0].key)));
  return signatures[0].subgraph;
}

void read_model(Loading& loading) {
  Model& model = loading.model;
  const auto version = loading.file.number<std::uint32_t>(slot::kModelVersion, 0);
  if (version != kVersion)
    throw Broken{
        fmt::format("it is written in version {} of TensorFlow Lite's format, and strata "
                    "reads version {}",
                    version, kVersion)};
  model.ir_version = version;
  model.producer = "tflite";
  model.doc = loading.file.text(slot::kModelDescription);
  model.opsets.push_back({kTflite, version});
  loading.buffers = loading.file.list(slot::kModelBuffers, sizeof(std::uint32_t));
  loading.subgraphs = loading.file.list(slot::kModelSubgraphs, sizeof(std::uint32_t));
  read_operator_codes(loading);
  const std::uint32_t subgraph = chosen_subgraph(loading);
  if (subgraph >= loading.subgraphs.count)
    throw Broken{fmt::format("it is damaged: it has {} subgraphs, and no number {}",
                             loading.subgraphs.count, subgraph)};
  GraphReader(loading, model.graph(), 0).read(subgraph);
  keep_offline_plan(loading);
  loading.scopes.finish();
  model.states_types = !loading.has_open_sizes;
  add_notes(loading);
}

}  // namespace

// The number of a builtin operator is in one of two fields, by the age of the file.
void read_operator_codes(Loading& loading) {
  const List codes = loading.file.list(slot::kModelOperatorCodes, sizeof(std::uint32_t));
  loading.count_list_items(codes.count);
  for (std::uint32_t i = 0; i < codes.count; ++i) {
    const Table code = loading.wire.table_at(codes, i);
    const int old = code.number<std::int8_t>(slot::kOperatorCodeDeprecatedBuiltinCode, 0);
    const int number = std::max(old, code.number<std::int32_t>(slot::kOperatorCodeBuiltinCode, 0));
    OperatorName name;
    name.version = code.number<std::int32_t>(slot::kOperatorCodeVersion, 1);
    name.domain = kTflite;
    if (number < 0) throw Broken{fmt::format("it is damaged: an operator has number {}", number)};
    if (static_cast<std::size_t>(number) < kOperators.size())
      name.op = kOperators[static_cast<std::size_t>(number)];
    else
      name.op = loading.model.keep(fmt::format("BUILTIN_{}", number));
    if (name.op == "CUSTOM") {
      name.op = code.text(slot::kOperatorCodeCustomCode);
      name.domain = kTfliteCustom;
    }
    loading.operators.push_back(name);
  }
}

bool looks_like_model(std::string_view bytes) {
  constexpr std::size_t kIdentifierAt = 4;
  return bytes.size() > 8 && bytes.substr(kIdentifierAt, 4) == "TFL3";
}

Result<Model> read(std::string_view bytes, std::string_view label, const ReadOptions& options) {
  return model_or_failure(bytes, label, options,
                          [&](Model& model, const ReadOptions& limits) -> Status {
                            const Wire wire(bytes);
                            Loading loading(model, limits, wire);
                            loading.file = wire.root();
                            read_model(loading);
                            return {};
                          });
}

}  // namespace strata::tflite

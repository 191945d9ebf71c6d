#include "read/onnx/reader.h"

#include <fmt/format.h>

#include "read/limits.h"
#include "read/looks_like.h"
#include "read/model_or_failure.h"
#include "read/onnx/entry.h"
#include "read/onnx/graph.h"
#include "read/onnx/proto.h"

namespace strata::onnx {

namespace {

void read_model(Loading& loading) {
  Source& source = loading.source;
  Model& model = loading.model;
  std::optional<std::string_view> graph;
  for (Fields f(source, source.bytes); f.next();) {
    switch (f.number()) {
      case proto::model::kIrVersion:
        model.ir_version = f.integer();
        break;
      case proto::model::kProducerName:
        model.producer = f.bytes();
        break;
      case proto::model::kProducerVersion:
        model.producer_version = f.bytes();
        break;
      case proto::model::kDomain:
        model.domain = f.bytes();
        break;
      case proto::model::kModelVersion:
        model.model_version = f.integer();
        break;
      case proto::model::kDocString:
        model.doc = f.bytes();
        break;
      case proto::model::kOpsetImport:
        if (model.opsets.size() >= kMostOpsets)
          source.wrong(fmt::format("more than {} domains of operators are imported", kMostOpsets),
                       Code::OverLimit);
        model.opsets.push_back(read_opset(source, f.bytes()));
        break;
      case proto::model::kMetadata:
        model.metadata.push_back(read_entry(source, f.bytes()));
        break;
      case proto::model::kFunctions:
        loading.functions.add(source, f.bytes());
        break;
      case proto::model::kGraph:
        if (graph) source.wrong("the file holds two graphs; two models were joined into one file");
        graph = f.bytes();
        break;
      default:
        f.skip();
    }
  }
  if (!graph) source.wrong("the file holds no graph, so it is not an ONNX model");
  GraphBuilder builder(loading, model.graph());
  Names names(loading, model.graph(), nullptr);
  builder.read({builder, names, nullptr, ScopeTree::kRoot, 0}, *graph);
  loading.scopes.finish();
  if (std::string note = loading.folded_norms.note(); !note.empty()) loading.note(std::move(note));
}

}  // namespace

bool looks_like_model(std::string_view bytes) {
  if (!looks_like_relative_of_onnx(bytes).what.empty()) return false;
  constexpr int kFieldsLookedAt = 4;
  Source source{.bytes = bytes, .label = {}, .function = {}};
  int seen = 0;
  try {
    for (Fields f(source, bytes); seen < kFieldsLookedAt && f.next(); ++seen) {
      switch (f.number()) {
        case proto::model::kIrVersion:
        case proto::model::kModelVersion:
          if (f.wire() != Fields::Wire::Varint) return false;
          break;
        case proto::model::kGraph:  // usually the rest of the file
          return f.wire() == Fields::Wire::Bytes;
        case proto::model::kProducerName:
        case proto::model::kProducerVersion:
        case proto::model::kDomain:
        case proto::model::kDocString:
        case proto::model::kOpsetImport:
        case proto::model::kMetadata:
        case proto::model::kTrainingInfo:
        case proto::model::kFunctions:
        case proto::model::kConfiguration:
          if (f.wire() != Fields::Wire::Bytes) return false;
          break;
        default:
          return seen > 0;
      }
      f.skip();
    }
  } catch (const Broken&) {
    return seen > 0;  // cut off or damaged further on
  }
  return seen > 0;
}

Result<Model> read(std::string_view bytes, std::string_view label, std::optional<std::string> path,
                   const ReadOptions& given) {
  const ReadOptions options = in_proportion(given, bytes.size());
  Model model;
  model.file_bytes = bytes.size();
  constexpr std::size_t kLarge = std::size_t{256} << 20;
  Source source{.bytes = bytes,
                .label = std::string(label),
                .function = {},
                .lets_go = path.has_value() && bytes.size() > kLarge};
  try {
    const Status status = caught(label, [&]() -> Status {
      Loading loading{.model = model,
                      .source = source,
                      .options = options,
                      .external = ExternalFiles(std::move(path), options.allow_outside_data),
                      .scopes = ScopeTree(model),
                      .functions = {},
                      .folded_norms = {},
                      .prefixes = {}};
      read_model(loading);
      return {};
    });
    if (!status) return failure(status);
  } catch (Broken& broken) {  // its sentence names the file
    return failure(broken.code, {}, std::move(broken.message));
  }
  return model;
}

}  // namespace strata::onnx

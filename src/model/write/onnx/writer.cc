// Writes the ModelProto and turns exceptions into Errors.
#include <algorithm>
#include <filesystem>
#include <new>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "base/output_file.h"
#include "read/onnx/encoding.h"
#include "read/onnx/proto.h"
#include "write/onnx/graph.h"
#include "write/onnx/writing.h"

namespace strata::onnx {

void wrong_model(std::string message) { throw CannotWrite{{std::move(message), ErrorKind::Bug}}; }

std::string_view own_message(const Encoded& encoded) {
  if (encoded.encoding != nullptr && encoded.encoding != &kEncoding)
    throw CannotWrite{
        {fmt::format("a part of the model is kept in the format {}, which cannot be "
                     "written to an ONNX file",
                     encoded.encoding->format)}};
  return encoded.bytes;
}

std::uint64_t DataFile::add(const Payload& payload) {
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;
  const std::uint64_t unit = payload.size >= kLarge ? 4096 : 64;
  const std::uint64_t offset = (size + unit - 1) / unit * unit;
  parts.push_back({offset, payload});
  size = offset + payload.size;
  return offset;
}

namespace {

// For files whose version is unknown. It can be read everywhere: onnx 1.12 is from 2022.
constexpr std::int64_t kUsualIrVersion = 8;

void add_opset(Message& model, std::string_view domain, std::int64_t version) {
  Message opset;
  if (!domain.empty()) opset.text(proto::opset::kDomain, domain);
  opset.integer(proto::opset::kVersion, version);
  model.message(proto::model::kOpsetImport, opset);
}

// Adds the imports of the model, and domains that only inlined functions have imported.
void add_opsets(const Model& model, Message& message) {
  std::set<std::string_view> imported;
  for (const OpsetImport& opset : model.opsets) {
    imported.insert(opset.domain);
    add_opset(message, opset.domain, opset.version);
  }
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes)
      if (imported.insert(node.domain).second)
        add_opset(message, node.domain, std::max(node.opset, 1));
}

Message model_message(Writing& writing) {
  const Model& model = writing.model;
  Message message;
  message.integer(proto::model::kIrVersion,
                  model.ir_version == 0 ? kUsualIrVersion : model.ir_version);
  const auto text = [&](unsigned field, std::string_view value) {
    if (!value.empty()) message.text(field, value);
  };
  text(proto::model::kProducerName, model.producer);
  text(proto::model::kProducerVersion, model.producer_version);
  text(proto::model::kDomain, model.domain);
  if (model.model_version != 0) message.integer(proto::model::kModelVersion, model.model_version);
  text(proto::model::kDocString, model.doc);
  message.message(proto::model::kGraph, graph_message(writing, model.graph(), nullptr));
  add_opsets(model, message);
  for (const KeyValue& entry : model.metadata) {
    Message pair;
    pair.text(proto::entry::kKey, entry.key);
    pair.text(proto::entry::kValue, entry.value);
    message.message(proto::model::kMetadata, pair);
  }
  return message;
}

void check(Status status) {
  if (!status) throw CannotWrite{std::move(status.error())};
}

// Passes a payload to `take`, piece by piece.
template <class F>
void stream(const Payload& payload, const WriteOptions& options, F&& take) {
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;
  std::string buffer;
  for (std::uint64_t at = 0; at < payload.size; at += kChunk) {
    const auto size = static_cast<std::size_t>(std::min(kChunk, payload.size - at));
    if (payload.fill == nullptr) {
      const std::string_view part = payload.memory.substr(static_cast<std::size_t>(at), size);
      MappedFile::want(part);
      take(part);
      if (payload.may_forget) MappedFile::forget(part);
      continue;
    }
    buffer.resize(size);
    const auto first =
        static_cast<std::int64_t>(at * 8 / static_cast<std::uint64_t>(bits(payload.fill->dtype)));
    check(options.fill(*payload.fill, first, std::as_writable_bytes(std::span(buffer))));
    take(std::string_view(buffer));
  }
}

template <class F>
void stream(const Message& message, const WriteOptions& options, F&& take) {
  const std::string_view bytes = message.bytes();
  std::size_t at = 0;
  for (const Message::Gap& gap : message.gaps()) {
    take(bytes.substr(at, gap.at - at));
    stream(gap.payload, options, take);
    at = gap.at;
  }
  take(bytes.substr(at));
}

// Weights beside a model may only be replaced together with it: without a model there, the file is
// somebody else's.
Status check_data_file(const std::string& path, const std::string& data) {
  if (!std::filesystem::exists(data) || std::filesystem::exists(path)) return {};
  return failure(fmt::format("{} is there already, and belongs to no {}; name another file, or "
                             "remove this one first",
                             data, path),
                 ErrorKind::Usage);
}

OutputFile open_output(const std::string& path, FileForm form) {
  auto file = OutputFile::create(path, {form});
  if (!file) throw CannotWrite{std::move(file.error())};
  return std::move(*file);
}

// Turns whatever a write throws into an Error.
template <class F>
auto caught(F&& write) -> decltype(write()) {
  try {
    return write();
  } catch (CannotWrite& cannot) {
    return tl::unexpected(std::move(cannot.error));
  } catch (const std::bad_alloc&) {
    return failure(Code::OutOfMemory, {}, "there is not enough memory to write the model");
  } catch (const std::length_error&) {
    return failure(Code::OutOfMemory, {}, "there is not enough memory to write the model");
  }
}

Status write(const Model& model, const std::string& path, const WriteOptions& options) {
  Writing writing{model, options, ScopeLists(model), {}, {}};
  Message message = model_message(writing);
  if (message.size() > options.max_file) {
    writing.data.name = std::filesystem::path(path).filename().string() + ".data";
    message = model_message(writing);
    if (message.size() > options.max_file)
      return failure(fmt::format(
          "{}: the model needs {} bytes without its weights, more than the {} a file may have",
          path, message.size(), options.max_file));
  }
  const std::string data_path = path + ".data";
  if (!writing.data.name.empty()) check(check_data_file(path, data_path));
  OutputFile file = open_output(path, FileForm::Onnx);
  stream(message, options, [&](std::string_view bytes) { check(file.write(bytes)); });
  check(file.close());
  if (!writing.data.name.empty()) {
    OutputFile data = open_output(data_path, FileForm::Other);
    for (const DataFile::Part& part : writing.data.parts) {
      check(data.pad_to(part.offset));
      stream(part.payload, options, [&](std::string_view bytes) { check(data.write(bytes)); });
    }
    check(data.commit());
  }
  return file.commit();
}

}  // namespace

}  // namespace strata::onnx

namespace strata {

Status write_onnx(const Model& model, const std::string& path, const WriteOptions& options) {
  return onnx::caught([&] { return onnx::write(model, path, options); });
}

Result<std::string> onnx_bytes(const Model& model, const WriteOptions& options) {
  return onnx::caught([&]() -> Result<std::string> {
    onnx::Writing writing{model, options, onnx::ScopeLists(model), {}, {}};
    const onnx::Message message = onnx::model_message(writing);
    if (message.size() > options.max_file)
      return failure(
          fmt::format("the model needs {} bytes, more than the {} it may have; write it "
                      "to a file, which is split",
                      message.size(), options.max_file));
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(message.size()));
    onnx::stream(message, options, [&](std::string_view part) { bytes += part; });
    return bytes;
  });
}

}  // namespace strata

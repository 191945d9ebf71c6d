#include "model_source.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "failure.h"
#include "proto_fields.h"
#include "strata/engine/engine.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"
#include "watch.h"

namespace strata::ort {

namespace {

namespace fs = std::filesystem;

// Walks the fields of a ModelProto without reading their contents; true if one is a local function.
bool has_functions(std::FILE* model) {
  bool ended = false;
  const auto varint = [&] {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const int byte = std::getc(model);
      ended = byte == EOF;
      if (ended) break;
      number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return number;
  };
  while (true) {
    const std::uint64_t tag = varint();
    if (ended) return false;
    if (tag >> 3 == kModelFunctions) return true;
    std::uint64_t skipped = (tag & 7) == 1 ? 8 : 4;
    if ((tag & 7) == 0 || (tag & 7) == 2) skipped = varint();
    if ((tag & 7) == 0) continue;
    if (::fseeko(model, static_cast<off_t>(skipped), SEEK_CUR) != 0) return false;
  }
}

// The outputs that a node makes and that are certainly tensors.
std::vector<std::string> tensor_outputs(const Graph& graph) {
  std::vector<std::string> names;
  for (const TensorId id : graph.outputs)
    if (id != kNone && graph.tensors[id].role == Role::Activation &&
        graph.tensors[id].type->kind == ValueKind::Tensor &&
        graph.tensors[id].type->dtype != DType::Undefined)
      names.emplace_back(graph.tensors[id].name);
  return names;
}

}  // namespace

ModelSource::ModelSource(const StrataOpen& open, bool changeable) {
  if (open.path != nullptr) file_ = path_ = open.path;
  for (std::uint64_t i = 0; i < open.stored_count; ++i)
    locations_.push_back(open.stored[i].location);
  for (std::uint64_t i = 0; i < open.stored_count; ++i)
    stored_.push_back({locations_[i].c_str(), open.stored[i].data, open.stored[i].bytes});
  const std::vector<std::string> fetch(open.fetch, open.fetch + open.fetch_count);
  if (open.path != nullptr) {
    std::error_code error;
    if (!fs::is_regular_file(path_, error))
      throw Failure{STRATA_FAILED, fmt::format("there is no file {}", path_)};
  } else {
    bytes_ = {static_cast<const char*>(open.model), open.model_bytes};
    if (bytes_.empty()) throw Failure{STRATA_FAILED, "the model is empty"};
    if (changeable) bytes_ = kept_ = std::string(bytes_);
  }
  const bool as_stored = open.precision == nullptr || *open.precision == 0;
  if (!changeable && fetch.empty() && as_stored) return;
  read();
  if (changeable) name_nodes();
  if (!fetch.empty()) add_values(fetch, open.fetch_early != 0 && !changeable);
}

Model& ModelSource::read() {
  auto model = from_file() ? read_model(file_) : read_onnx(bytes_, "the model");
  if (!model) throw Failure{STRATA_FAILED, model.error().message};
  return model_.emplace(std::move(*model));
}

// Profiles identify nodes by their names; strata inlines functions, so that both use the same names
// for the nodes in them.
void ModelSource::name_nodes() {
  const std::vector<std::string> keys = node_keys(*model_);
  const std::string_view held = from_file() ? file_.bytes() : bytes_;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      ::fmemopen(const_cast<char*>(held.data()), held.size(), "rb"), std::fclose);
  bool changed = file != nullptr && has_functions(file.get());
  std::size_t number = 0;
  for (Graph& graph : model_->graphs)
    for (NodeId id = 0; id < graph.nodes.size(); ++id, ++number) {
      if (graph.nodes[id].name == keys[number]) continue;
      graph.nodes.change(id, [&](Node& node) { node.name = model_->keep(keys[number]); });
      changed = true;
    }
  if (!changed) return;
  auto written = onnx_bytes(*model_, {.elsewhere = WriteOptions::Elsewhere::Refer});
  if (!written)
    throw Failure{STRATA_FAILED, fmt::format("some nodes have no names of their own, and the "
                                             "model could not be given some: {}",
                                             written.error().message)};
  model_.reset();  // its views pointed into the old bytes
  kept_ = std::move(*written);
  bytes_ = kept_;
  read();
}

// A second `graph` field is merged with the first, so a value can become an output, or be watched,
// without writing the rest again. strata's own reader does not accept such a file, and need
// not.
void ModelSource::add_values(const std::vector<std::string>& names, bool watched) {
  const Graph& graph = model_->graph();
  std::vector<std::string> values;
  for (const std::string& name : names) {
    const auto found = std::find_if(graph.tensors.begin(), graph.tensors.end(),
                                    [&](const Tensor& tensor) { return tensor.name == name; });
    if (found == graph.tensors.end() || found->role == Role::Captured || name.empty())
      throw Failure{STRATA_WRONG_INPUT,
                    fmt::format("the model has no value \"{}\" to fetch", name)};
    if (found->role != Role::Activation)
      throw Failure{STRATA_WRONG_INPUT,
                    fmt::format("\"{}\" is {}: there is nothing to fetch", name,
                                found->role == Role::Input ? "an input" : "stored in the model")};
    const auto id = static_cast<TensorId>(found - graph.tensors.begin());
    const bool is_one =
        std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
    if (!is_one && std::find(values.begin(), values.end(), name) == values.end())
      values.push_back(name);
  }
  if (values.empty()) return;
  std::string more;
  if (watched) {
    watched_ = std::move(values);
    more = watch_fields(watched_, tensor_outputs(graph));
  } else {
    for (const std::string& name : values) more += field(kGraphOutput, field(kValueName, name));
    more = field(kModelGraph, more);
  }
  if (from_file() && copy_with(more)) return;
  with_more_ = std::string(from_file() ? file_.bytes() : bytes_);
  with_more_ += more;
  bytes_ = with_more_;
}

// A large file goes through the disk, because ONNX Runtime keeps a copy of bytes in memory. A file
// with weights beside it does not.
bool ModelSource::copy_with(const std::string& more) {
  constexpr std::uintmax_t kLarge = 4 << 20;
  std::error_code error;
  const auto size = fs::file_size(path_, error);
  if (error || size < kLarge) return false;
  for (const TensorData& data : model_->stored)
    if (data.store == TensorData::Store::External) return false;
  scratch_ = std::make_unique<ScratchFolder>(value_or_throw(ScratchFolder::create()));
  copy_ = *scratch_ / "model.onnx";
  if (fs::copy_file(path_, copy_, error) && !error) {
    fs::permissions(copy_, fs::perms::owner_write, fs::perm_options::add, error);
    std::ofstream file(copy_, std::ios::binary | std::ios::app);
    if (file << more && file.flush()) return true;
  }
  copy_.clear();
  scratch_.reset();
  return false;
}

std::string ModelSource::folder() const {
  if (path_.empty()) return "";
  const fs::path folder = fs::absolute(path_).parent_path();
  return folder.string();
}

}  // namespace strata::ort

#include "read/openvino/reader.h"

#include <filesystem>

#include <fmt/format.h>

#include "ops/openvino_table.h"
#include "read/model_or_failure.h"
#include "read/openvino/graph.h"

namespace strata::openvino {

namespace {

constexpr std::int64_t kOldest = 10, kNewest = 11;

void find_weights(Loading& loading, const std::string& path) {
  const std::filesystem::path other = std::filesystem::path(path).replace_extension(".bin");
  loading.weights_name = loading.model.keep(other.filename().string());
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(other, ignored)) return;
  if (auto file = MappedFile::open(other.string())) loading.weights = std::move(*file);
}

void add_notes(Loading& loading) {
  const Counts& counts = loading.counts;
  if (const std::int64_t folded = counts.unpacked_halves + counts.unpacked_integers; folded > 0)
    loading.note(
        fmt::format("{} stored weights and {} folded into the layers that read them",
                    folded == 1 ? "1 operator unpacks" : fmt::format("{} operators unpack", folded),
                    folded == 1 ? "is" : "are"));
  if (counts.biases > 0)
    loading.note(
        counts.biases == 1
            ? "1 Add is a bias; it is folded into the layer before it"
            : fmt::format("{} Adds are biases; they are folded into the layers before them",
                          counts.biases));
  if (loading.weights == nullptr && !loading.model.stored.empty())
    loading.note(fmt::format("{} is not there, so the elements of constants are not known",
                             loading.weights_name));
}

void read_model(Loading& loading, std::string_view bytes, const std::string& path) {
  Model& model = loading.model;
  const Net net = read_net(loading, bytes);
  if (net.version < kOldest || net.version > kNewest)
    throw Broken{fmt::format(
        "it is in version {} of OpenVINO's format, and strata reads versions 10 and 11; convert "
        "the model again with `ovc MODEL`",
        net.version)};
  model.ir_version = net.version;
  model.producer = "openvino";
  model.opsets.push_back({kOpenvino, net.version});
  find_weights(loading, path);
  GraphReader(loading, model.graph(), net).read();
  model.graph().name = loading.model.keep(net.name);
  loading.scopes.finish();
  model.states_types = !loading.has_open_sizes;
  add_notes(loading);
}

}  // namespace

bool looks_like_network(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 1024);
  const std::size_t net = start.find("<net ");
  const std::size_t first = start.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return net != start.npos && first != start.npos && start[first] == '<' &&
         start.find("name=", net) != start.npos;
}

Result<Model> read(std::string_view bytes, const std::string& path, const ReadOptions& options) {
  return model_or_failure(bytes, path, options,
                          [&](Model& model, const ReadOptions& limits) -> Status {
                            Loading loading(model, limits);
                            read_model(loading, bytes, path);
                            return {};
                          });
}

}  // namespace strata::openvino

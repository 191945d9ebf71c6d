#include "read/ncnn/reader.h"

#include "ops/ncnn_table.h"
#include "read/model_or_failure.h"
#include "read/ncnn/graph.h"
#include "read/ncnn/stored.h"

namespace strata::ncnn {

bool looks_like_network(std::string_view bytes) {
  return bytes.starts_with("7767517\n") || bytes.starts_with("7767517\r\n");
}

Result<Model> read(std::string_view bytes, const std::string& path, const ReadOptions& options) {
  return model_or_failure(bytes, path, options,
                          [&](Model& model, const ReadOptions& limits) -> Status {
                            model.producer = "ncnn";
                            model.opsets.push_back({kNcnn, 1});
                            Loading loading(model, limits);
                            GraphReader(loading).read(bytes);
                            read_stored(loading, path);
                            return {};
                          });
}

}  // namespace strata::ncnn

// The layers and edges of an IR file, as its XML states them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "read/openvino/xml.h"
#include "strata/graph/dtype.h"

namespace strata::openvino {

struct Port {
  std::int64_t id = 0;
  DType dtype = DType::Undefined;
  std::vector<std::int64_t> dims;  // -1: open
  bool has_rank = true;
};

struct Net;

// A value that is handed into a body, or out of it.
struct PortMap {
  bool is_input = false;
  std::int64_t external_port = -1, internal_layer = -1;
  std::int64_t axis = -1, part_size = 1;  // an axis: one part of it for each iteration
};
struct Body {
  std::string_view name;  // then, else, or empty
  std::unique_ptr<Net> net;
  std::vector<PortMap> maps;
};

struct Layer {
  std::int64_t id = 0;
  std::string_view name, type, version;
  std::vector<XmlAttribute> data;
  std::vector<Port> inputs, outputs;
  std::vector<Body> bodies;

  std::string_view text(std::string_view name_of, std::string_view otherwise = {}) const;
  std::int64_t whole(std::string_view name_of, std::int64_t otherwise) const;
  float real(std::string_view name_of, float otherwise) const;
  bool flag(std::string_view name_of, bool otherwise) const;
  std::vector<std::int64_t> wholes(std::string_view name_of) const;  // `1, 2`
};

struct Edge {
  std::int64_t from_layer = 0, from_port = 0, to_layer = 0, to_port = 0;
};

struct Net {
  std::string_view name;
  std::int64_t version = 0;
  std::vector<Layer> layers;
  std::vector<Edge> edges;
};

Net read_net(torch::Counting& loading, std::string_view bytes);

// `1,3,224,224`; -1 for what is not a number.
std::vector<std::int64_t> numbers_of(std::string_view list);
// `f32` and `FP32`; Undefined for types that strata has no name for.
DType dtype_of(std::string_view name);

}  // namespace strata::openvino

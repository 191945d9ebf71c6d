#include "read/openvino/net.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/in_quotes.h"

namespace strata::openvino {

namespace {

using Event = Xml::Event;

constexpr int kDeepestBodies = 32;

std::optional<std::int64_t> whole_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class Reader {
 public:
  Reader(torch::Counting& loading, Xml& xml) : loading_(loading), xml_(xml) {}

  // The content of `<net>` or of a body, which was opened.
  void read(Net& net, int depth) {
    if (depth > kDeepestBodies)
      throw Broken{fmt::format("its bodies are nested more than {} deep", kDeepestBodies),
                   Code::OverLimit};
    while (xml_.next() == Event::Open) {
      if (xml_.name() == "layers")
        read_layers(net, depth);
      else if (xml_.name() == "edges")
        read_edges(net);
      else
        xml_.skip();
    }
  }

 private:
  std::int64_t need(std::string_view attribute) const {
    if (const auto number = whole_of(xml_.attribute(attribute))) return *number;
    throw Broken{fmt::format("it is damaged: a {} has no number as its {}", in_quotes(xml_.name()),
                             attribute)};
  }
  std::int64_t number(std::string_view attribute, std::int64_t otherwise) const {
    return whole_of(xml_.attribute(attribute)).value_or(otherwise);
  }

  void read_layers(Net& net, int depth) {
    while (xml_.next() == Event::Open) {
      if (xml_.name() != "layer") {
        xml_.skip();
        continue;
      }
      loading_.count_node();
      Layer layer;
      layer.id = need("id");
      layer.name = xml_.attribute("name");
      layer.type = xml_.attribute("type");
      layer.version = xml_.attribute("version");
      read_layer(layer, depth);
      net.layers.push_back(std::move(layer));
    }
  }

  void read_layer(Layer& layer, int depth) {
    while (xml_.next() == Event::Open) {
      const std::string_view name = xml_.name();
      if (name == "data") {
        loading_.count_list_items(xml_.attributes().size());
        layer.data = xml_.attributes();
        xml_.skip();
      } else if (name == "input" || name == "output") {
        read_ports(name == "input" ? layer.inputs : layer.outputs);
      } else if (name == "body" || name == "then_body" || name == "else_body") {
        Body& body = body_of(layer, name.substr(0, name.size() - 4));
        body.net = std::make_unique<Net>();
        read(*body.net, depth + 1);
      } else if (name == "port_map" || name == "then_port_map" || name == "else_port_map") {
        read_maps(body_of(layer, name.substr(0, name.size() - 8)));
      } else {
        xml_.skip();
      }
    }
  }

  static Body& body_of(Layer& layer, std::string_view name) {
    if (name.ends_with('_')) name.remove_suffix(1);
    for (Body& body : layer.bodies)
      if (body.name == name) return body;
    Body body;
    body.name = name;
    layer.bodies.push_back(std::move(body));
    return layer.bodies.back();
  }

  void read_maps(Body& body) {
    while (xml_.next() == Event::Open) {
      loading_.count_list_items(1);
      PortMap map;
      map.is_input = xml_.name() == "input";
      map.external_port = number("external_port_id", -1);
      map.internal_layer = number("internal_layer_id", -1);
      map.axis = xml_.attribute("axis").empty() ? -1 : number("axis", -1);
      map.part_size = number("part_size", 1);
      body.maps.push_back(map);
      xml_.skip();
    }
  }

  void read_ports(std::vector<Port>& ports) {
    while (xml_.next() == Event::Open) {
      if (xml_.name() != "port") {
        xml_.skip();
        continue;
      }
      loading_.count_list_items(1);
      Port port;
      port.id = need("id");
      port.dtype = dtype_of(xml_.attribute("precision"));
      while (xml_.next() == Event::Open) {
        const bool is_dim = xml_.name() == "dim";
        if (!is_dim) {
          if (xml_.name() == "rank") port.has_rank = false;  // of a dynamic rank
          xml_.skip();
          continue;
        }
        while (xml_.next() == Event::Open) xml_.skip();
        loading_.count_list_items(1);
        const auto size = whole_of(xml_.text());
        if (!size || *size < -1)
          throw Broken{
              fmt::format("it is damaged: a port has the size {}", in_quotes(xml_.text()))};
        port.dims.push_back(*size);
      }
      ports.push_back(std::move(port));
    }
  }

  void read_edges(Net& net) {
    while (xml_.next() == Event::Open) {
      loading_.count_list_items(1);
      if (xml_.name() == "edge")
        net.edges.push_back(
            {need("from-layer"), need("from-port"), need("to-layer"), need("to-port")});
      xml_.skip();
    }
  }

  torch::Counting& loading_;
  Xml& xml_;
};

}  // namespace

std::vector<std::int64_t> numbers_of(std::string_view list) {
  std::vector<std::int64_t> numbers;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, end);
    const std::size_t first = item.find_first_not_of(' ');
    item = first == item.npos ? std::string_view()
                              : item.substr(first, item.find_last_not_of(' ') + 1 - first);
    numbers.push_back(whole_of(item).value_or(-1));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return numbers;
}

DType dtype_of(std::string_view name) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f32", DType::F32},       {"FP32", DType::F32},        {"f16", DType::F16},
      {"FP16", DType::F16},      {"bf16", DType::BF16},       {"BF16", DType::BF16},
      {"f64", DType::F64},       {"FP64", DType::F64},        {"i64", DType::I64},
      {"I64", DType::I64},       {"i32", DType::I32},         {"I32", DType::I32},
      {"i16", DType::I16},       {"I16", DType::I16},         {"i8", DType::I8},
      {"I8", DType::I8},         {"i4", DType::I4},           {"I4", DType::I4},
      {"u64", DType::U64},       {"U64", DType::U64},         {"u32", DType::U32},
      {"U32", DType::U32},       {"u16", DType::U16},         {"U16", DType::U16},
      {"u8", DType::U8},         {"U8", DType::U8},           {"u4", DType::U4},
      {"U4", DType::U4},         {"boolean", DType::Bool},    {"BOOL", DType::Bool},
      {"string", DType::String}, {"STRING", DType::String},   {"u2", DType::U2},
      {"U2", DType::U2},         {"f8e4m3", DType::F8E4M3FN}, {"FP8_E4M3", DType::F8E4M3FN},
      {"f8e5m2", DType::F8E5M2}, {"FP8_E5M2", DType::F8E5M2}, {"nf4", DType::U4},
      {"NF4", DType::U4},        {"f8e8m0", DType::F8E8M0},   {"f4e2m1", DType::F4E2M1},
  };
  for (const auto& [word, type] : kTypes)
    if (word == name) return type;
  return DType::Undefined;
}

std::string_view Layer::text(std::string_view name_of, std::string_view otherwise) const {
  for (const XmlAttribute& attribute : data)
    if (attribute.name == name_of) return attribute.value;
  return otherwise;
}

std::int64_t Layer::whole(std::string_view name_of, std::int64_t otherwise) const {
  return whole_of(text(name_of)).value_or(otherwise);
}

float Layer::real(std::string_view name_of, float otherwise) const {
  const std::string_view word = text(name_of);
  float number = otherwise;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

bool Layer::flag(std::string_view name_of, bool otherwise) const {
  const std::string_view word = text(name_of);
  return word.empty() ? otherwise : word == "true" || word == "1";
}

std::vector<std::int64_t> Layer::wholes(std::string_view name_of) const {
  return numbers_of(text(name_of));
}

Net read_net(torch::Counting& loading, std::string_view bytes) {
  Xml xml(loading, bytes);
  Net net;
  if (xml.next() != Event::Open || xml.name() != "net")
    throw Broken{"it holds no network of OpenVINO"};
  net.name = xml.attribute("name");
  net.version = whole_of(xml.attribute("version")).value_or(0);
  Reader(loading, xml).read(net, 0);
  return net;
}

}  // namespace strata::openvino

// Models too large to keep in a repository, written when needed.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

namespace bench {

class ModelWriter {
 public:
  void input(const std::string& name, int dtype, const std::vector<std::string>& dims) {
    std::string shape, tensor, type, info;
    protozero::pbf_writer shape_writer(shape);
    for (const std::string& dim : dims) {
      std::string bytes;
      protozero::pbf_writer writer(bytes);
      if (dim[0] >= '0' && dim[0] <= '9')
        writer.add_int64(1, std::stoll(dim));
      else
        writer.add_string(2, dim);
      shape_writer.add_message(1, bytes);
    }
    protozero::pbf_writer tensor_writer(tensor);
    tensor_writer.add_int32(1, dtype);
    tensor_writer.add_message(2, shape);
    protozero::pbf_writer(type).add_message(1, tensor);
    protozero::pbf_writer info_writer(info);
    info_writer.add_string(1, name);
    info_writer.add_message(2, type);
    protozero::pbf_writer(graph_).add_message(11, info);
  }

  // A weight with sizes only, without elements.
  void weight(const std::string& name, const std::vector<std::int64_t>& dims) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    for (std::int64_t dim : dims) writer.add_int64(1, dim);
    writer.add_int32(2, 1);
    writer.add_string(8, name);
    protozero::pbf_writer(graph_).add_message(5, bytes);
  }

  void integers(const std::string& name, const std::vector<std::int64_t>& items) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_int64(1, static_cast<std::int64_t>(items.size()));
    writer.add_int32(2, 7);
    writer.add_packed_int64(7, items.begin(), items.end());
    writer.add_string(8, name);
    protozero::pbf_writer(graph_).add_message(5, bytes);
  }

  void external_weight(const std::string& name, const std::vector<std::int64_t>& dims,
                       const std::string& location, std::int64_t offset, std::int64_t length) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    for (std::int64_t dim : dims) writer.add_int64(1, dim);
    writer.add_int32(2, 1);
    writer.add_string(8, name);
    const std::pair<std::string, std::string> entries[] = {{"location", location},
                                                           {"offset", std::to_string(offset)},
                                                           {"length", std::to_string(length)}};
    for (const auto& [key, value] : entries) {
      std::string entry;
      protozero::pbf_writer entry_writer(entry);
      entry_writer.add_string(1, key);
      entry_writer.add_string(2, value);
      writer.add_message(13, entry);
    }
    writer.add_int32(14, 1);
    protozero::pbf_writer(graph_).add_message(5, bytes);
  }

  void node(const std::string& op, const std::vector<std::string>& inputs,
            const std::string& output, const std::string& name, const std::string& attribute = "") {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    for (const std::string& input_name : inputs) writer.add_string(1, input_name);
    writer.add_string(2, output);
    writer.add_string(3, name);
    writer.add_string(4, op);
    if (!attribute.empty()) writer.add_message(5, attribute);
    protozero::pbf_writer(graph_).add_message(1, bytes);
    ++nodes_;
  }

  static std::string integers_attribute(const std::string& name,
                                        const std::vector<std::int64_t>& items) {
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    for (std::int64_t item : items) writer.add_int64(8, item);
    writer.add_int32(20, 7);
    return bytes;
  }

  void output(const std::string& name) {
    std::string info;
    protozero::pbf_writer(info).add_string(1, name);
    protozero::pbf_writer(graph_).add_message(12, info);
  }

  std::size_t nodes() const { return nodes_; }

  std::string finish() const { return before_graph() + field(7, graph_.size()) + graph_; }

  // Everything but the elements of one more weight, which come at the end of the file.
  std::string finish_before(const std::string& name, std::int64_t rows,
                            std::int64_t columns) const {
    const auto payload = static_cast<std::uint64_t>(rows * columns * 4);
    std::string tensor;
    protozero::pbf_writer writer(tensor);
    writer.add_int64(1, rows);
    writer.add_int64(1, columns);
    writer.add_int32(2, 1);
    writer.add_string(8, name);
    tensor += field(9, payload);
    const std::string graph = graph_ + field(5, tensor.size() + payload) + tensor;
    return before_graph() + field(7, graph.size() + payload) + graph;
  }

 private:
  static std::string before_graph() {
    std::string bytes, opset;
    protozero::pbf_writer(opset).add_int64(2, 17);
    protozero::pbf_writer writer(bytes);
    writer.add_int64(1, 8);
    writer.add_message(8, opset);
    return bytes;
  }
  // The start of a field with `size` bytes to come; protozero keeps sizes in 32 bits.
  static std::string field(unsigned number, std::uint64_t size) {
    std::string bytes(1, static_cast<char>((number << 3) | 2));
    for (; size >= 128; size >>= 7) bytes += static_cast<char>(size | 128);
    return bytes + static_cast<char>(size);
  }

  std::string graph_;
  std::size_t nodes_ = 0;
};

// A llama-shaped decoder of `layers` blocks, batch B and sequence S open.
inline std::string decoder(int layers, std::size_t& nodes) {
  constexpr std::int64_t kWidth = 512, kHidden = 1408, kHeads = 8;
  ModelWriter model;
  model.input("hidden", 1, {"B", "S", std::to_string(kWidth)});
  model.integers("split_heads", {0, 0, kHeads, kWidth / kHeads});
  model.integers("join_heads", {0, 0, kWidth});
  const std::string swap = ModelWriter::integers_attribute("perm", {0, 2, 1, 3});
  const std::string swap_last = ModelWriter::integers_attribute("perm", {0, 2, 3, 1});
  std::string x = "hidden";
  for (int i = 0; i < layers; ++i) {
    const auto at = [&](const char* name) { return fmt::format("/layers.{}/{}", i, name); };
    const auto weight = [&](const char* name, const std::vector<std::int64_t>& dims) {
      std::string full = fmt::format("layers.{}.{}.weight", i, name);
      model.weight(full, dims);
      return full;
    };
    const auto step = [&](const char* op, const std::vector<std::string>& inputs, const char* name,
                          const std::string& attribute = "") {
      std::string out = at(name) + "_output_0";
      model.node(op, inputs, out, at(name), attribute);
      return out;
    };
    const std::string n1 =
        step("LayerNormalization", {x, weight("norm1", {kWidth})}, "norm1/LayerNormalization");
    std::string heads[3];
    const char* names[3][4] = {{"q/MatMul", "attn/ReshapeQ", "attn/TransposeQ", "q"},
                               {"k/MatMul", "attn/ReshapeK", "attn/TransposeK", "k"},
                               {"v/MatMul", "attn/ReshapeV", "attn/TransposeV", "v"}};
    for (int h = 0; h < 3; ++h) {
      const std::string projected =
          step("MatMul", {n1, weight(names[h][3], {kWidth, kWidth})}, names[h][0]);
      const std::string split = step("Reshape", {projected, "split_heads"}, names[h][1]);
      heads[h] = step("Transpose", {split}, names[h][2], h == 1 ? swap_last : swap);
    }
    const std::string scores = step("MatMul", {heads[0], heads[1]}, "attn/MatMul");
    const std::string soft = step("Softmax", {scores}, "attn/Softmax");
    const std::string mixed = step("MatMul", {soft, heads[2]}, "attn/MatMul_1");
    const std::string back = step("Transpose", {mixed}, "attn/Transpose", swap);
    const std::string joined = step("Reshape", {back, "join_heads"}, "attn/Reshape");
    const std::string o = step("MatMul", {joined, weight("o", {kWidth, kWidth})}, "o/MatMul");
    const std::string r1 = step("Add", {x, o}, "Add");
    const std::string n2 =
        step("LayerNormalization", {r1, weight("norm2", {kWidth})}, "norm2/LayerNormalization");
    const std::string gate =
        step("MatMul", {n2, weight("gate", {kWidth, kHidden})}, "mlp/gate/MatMul");
    const std::string up = step("MatMul", {n2, weight("up", {kWidth, kHidden})}, "mlp/up/MatMul");
    const std::string sig = step("Sigmoid", {gate}, "mlp/act/Sigmoid");
    const std::string act = step("Mul", {gate, sig}, "mlp/act/Mul");
    const std::string gated = step("Mul", {act, up}, "mlp/Mul");
    const std::string down =
        step("MatMul", {gated, weight("down", {kHidden, kWidth})}, "mlp/down/MatMul");
    x = step("Add", {r1, down}, "Add_1");
  }
  model.output(x);
  nodes = model.nodes();
  return model.finish();
}

// Inputs with an open size each, and a node that reads each.
inline std::string open_inputs(int count) {
  ModelWriter model;
  for (int i = 0; i < count; ++i)
    model.input(fmt::format("in{}", i), 1, {fmt::format("N{}", i), "4"});
  for (int i = 0; i < count; ++i) {
    model.node("Relu", {fmt::format("in{}", i)}, fmt::format("out{}", i),
               fmt::format("/r{}/Relu", i));
    model.output(fmt::format("out{}", i));
  }
  return model.finish();
}

// Calls of one module, each of which reads what the one before made.
inline std::string one_path(int calls) {
  ModelWriter model;
  model.input("x", 1, {"1", "64"});
  std::string x = "x";
  for (int i = 0; i < calls; ++i) {
    const std::string out = fmt::format("t{}", i);
    model.node("Relu", {x}, out, i == 0 ? "/block/act/Relu" : fmt::format("/block/act_{}/Relu", i));
    x = out;
  }
  model.output(x);
  return model.finish();
}

// Nodes whose results are all alive at the end.
inline std::string wide_peak(int nodes) {
  ModelWriter model;
  model.input("x", 1, {"1", "64"});
  for (int i = 0; i < nodes; ++i) {
    model.node("Relu", {"x"}, fmt::format("t{}", i), fmt::format("/r{}/Relu", i));
    model.output(fmt::format("t{}", i));
  }
  return model.finish();
}

// Sparse files: they take no room on disk, and reading a hole would show as resident memory.

// One weight of about `weight_bytes` inside the file.
inline bool write_embedded(const std::string& path, std::int64_t weight_bytes) {
  constexpr std::int64_t kColumns = 1024;
  const std::int64_t rows = weight_bytes / 4 / kColumns;
  ModelWriter model;
  model.input("x", 1, {"1", std::to_string(rows)});
  model.node("MatMul", {"x", "w"}, "y", "/fc/MatMul");
  model.output("y");
  const std::string head = model.finish_before("w", rows, kColumns);
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (file < 0) return false;
  const bool written =
      ::write(file, head.data(), head.size()) == static_cast<ssize_t>(head.size()) &&
      ::ftruncate(file, static_cast<off_t>(head.size()) + rows * kColumns * 4) == 0;
  return ::close(file) == 0 && written;
}

// Weights of `weight_bytes` in a file beside the model.
inline bool write_external(const std::string& folder, std::int64_t weight_bytes) {
  constexpr std::int64_t kPieces = 16;
  const std::int64_t piece = weight_bytes / kPieces, side = piece / 4 / 1024;
  ModelWriter model;
  model.input("x0", 1, {"1", std::to_string(side)});
  for (std::int64_t i = 0; i < kPieces; ++i) {
    const std::string name = fmt::format("w{}", i);
    model.external_weight(name, {side, 1024}, "weights.bin", i * piece, piece);
    model.node("MatMul", {"x0", name}, fmt::format("y{}", i), fmt::format("/fc{}/MatMul", i));
    model.output(fmt::format("y{}", i));
  }
  const std::string bytes = model.finish();
  const int data = ::open((folder + "/weights.bin").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (data < 0 || ::ftruncate(data, weight_bytes) != 0 || ::close(data) != 0) return false;
  const int file = ::open((folder + "/external.onnx").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (file < 0) return false;
  const bool written =
      ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  return ::close(file) == 0 && written;
}

}  // namespace bench

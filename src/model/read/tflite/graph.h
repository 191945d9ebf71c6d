// Subgraphs: the network's own, and those that operators of control flow run.
#pragma once

#include <vector>

#include "read/tflite/options.h"

namespace strata::tflite {

class GraphReader {
 public:
  // `depth` counts the graphs around this one.
  GraphReader(Loading& loading, Graph& graph, int depth)
      : loading_(loading), graph_(graph), depth_(depth) {}

  void read(std::uint32_t subgraph);

 private:
  enum class Use : std::uint8_t { Reads, Makes };

  void read_operator(const Table& op);
  // The stored tensor behind an operator that only unpacks it; kNone if that is not what it does.
  TensorId unpacked(const OperatorName& name, std::span<const std::int32_t> inputs,
                    std::span<const std::int32_t> outputs);
  void read_bodies(const OperatorName& name, const OptionTexts& options,
                   std::vector<Attribute>& attributes);
  void count_iterations(std::span<const Attribute> attributes);
  void add_stated(std::vector<Attribute>& attributes, std::span<const std::int32_t> inputs);
  // The tensor with this number in the file, which is read when it is asked for the first time.
  TensorId tensor(std::int32_t number, Use use, std::string_view reader);
  TensorId new_tensor(const Table& table, std::int32_t number, Role role);
  Table table_of(std::int32_t number, std::string_view reader) const;

  Loading& loading_;
  Graph& graph_;
  const int depth_;
  List tensors_;
  std::vector<TensorId> ids_;  // by number in the file; kNone: not read yet
  std::vector<bool> is_output_;
  OptionTexts options_;  // of the operator being read
  std::vector<TensorId> inputs_of_node_, outputs_of_node_;
};

}  // namespace strata::tflite

#include "read/tflite/arena_tail.h"

#include <algorithm>
#include <map>
#include <set>

#include "ops/tflite_table.h"
#include "ops/tflm.h"
#include "read/limits.h"
#include "read/tflite/loading.h"
#include "read/tflite/offline_plan.h"
#include "read/tflite/schema_table.h"
#include "read/tflite/tensor.h"

namespace strata::tflite {

namespace {

// Structures of the interpreter.
constexpr TflmBytes kPointer = {4, 8}, kInt = {4, 4}, kByte = {1, 1};
constexpr TflmBytes kAllocator = {36, 104}, kPlanner = {44, 72}, kMicroAllocator = {36, 272};
constexpr TflmBytes kVariables = {12, 16}, kVariable = {20, 40};
constexpr TflmBytes kOptionsAllocator = {8, 16};
constexpr TflmBytes kSubgraph = {8, 24}, kTensor = {12, 24}, kNode = {32, 64};
constexpr TflmBytes kEnd = {40, 64}, kQuantization = {12, 24};  // of inputs and outputs

constexpr TflmBytes kKernel = {16, 16};          // the alignment of what kernels ask for
constexpr std::int64_t kSoftmaxTable = 513 * 2;  // of 16-bit inputs
constexpr std::int64_t kProductScales = 28;      // of products of integers

constexpr TflmBytes same(std::int64_t bytes) { return {bytes, bytes}; }
// A list of sizes, and how many there are.
constexpr TflmBytes list_of(std::size_t sizes) {
  return same(4 + 4 * static_cast<std::int64_t>(sizes));
}

// Grows from the end of the arena towards its start.
class Tail {
 public:
  void add(TflmBytes bytes, TflmBytes alignment, std::int64_t count = 1) {
    grow(used_.chip, bytes.chip, alignment.chip, count);
    grow(used_.package, bytes.package, alignment.package, count);
  }
  void keep(TflmBytes bytes, std::int64_t count = 1) { add(bytes, kKernel, count); }
  TflmBytes used() const { return used_; }

 private:
  static void grow(std::int64_t& used, std::int64_t bytes, std::int64_t alignment,
                   std::int64_t count) {
    constexpr std::int64_t kMost = std::int64_t{1} << 60;
    std::int64_t all = 0, end = 0;
    if (__builtin_mul_overflow(bytes, count, &all) || __builtin_add_overflow(used, all, &end) ||
        end > kMost)
      throw Broken{"it is damaged: the sizes of its tensors are too large to be added"};
    if (all > 0) used = (end + alignment - 1) / alignment * alignment;
  }

  TflmBytes used_;
};

struct SizedTensor {
  DType dtype = DType::Undefined;
  std::vector<std::int32_t> sizes;
  std::int64_t scales = 0;

  bool is_integer() const { return dtype == DType::I8 || dtype == DType::I16; }
  std::int64_t size(std::size_t axis) const { return axis < sizes.size() ? sizes[axis] : 0; }
  TflmBytes stored() const {
    Expr elements = 1;
    for (const std::int32_t size : sizes) elements *= std::int64_t{size};
    return same(bytes(elements, dtype).number().value_or(0));
  }
};

class TailReader {
 public:
  explicit TailReader(Loading& loading)
      : loading_(loading),
        offsets_(offline_plan_of(loading).value_or(std::vector<std::int32_t>())) {}

  ArenaTail read(std::int64_t scratch_buffers) {
    for (std::uint32_t i = 0; i < loading_.subgraphs.count; ++i)
      find_operators(loading_.wire.table_at(loading_.subgraphs, i));
    if (graphs_.empty()) throw Broken{"it is damaged: it has no subgraphs"};
    make_structures();
    for (const Operator& op : operators_) unpack_options(op.memory.options);
    for (const Operator& op : operators_) begin(op);
    for (const Operator& op : operators_) prepare(op);
    tail_.add(kPointer, kPointer, scratch_buffers);
    for (const Table& graph : graphs_) keep_state(graph);
    make_ends(slot::kSubGraphInputs);
    make_ends(slot::kSubGraphOutputs);
    return {tail_.used(), {unknown_.begin(), unknown_.end()}};
  }

 private:
  struct Operator {
    std::string_view name;
    TflmMemory memory;
    std::size_t graph = 0;  // and the numbers of its tensors there
    std::vector<std::int32_t> inputs, outputs;
    Table options;
  };
  // Variables are known by names, and read through handles.
  using Handle = std::pair<std::size_t, std::int32_t>;

  static List tensors_of(const Table& graph) {
    return graph.list(slot::kSubGraphTensors, sizeof(std::uint32_t));
  }

  void find_operators(const Table& graph) {
    const List list = graph.list(slot::kSubGraphOperators, sizeof(std::uint32_t));
    loading_.count_list_items(1 + std::size_t{list.count} + tensors_of(graph).count);
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const Table table = loading_.wire.table_at(list, i);
      const auto kind = table.number<std::uint32_t>(slot::kOperatorOpcodeIndex, 0);
      if (kind >= loading_.operators.size()) throw Broken{"it is damaged: an operator has no kind"};
      const OperatorName& name = loading_.operators[kind];
      const bool is_known = name.domain == kTflite && has_tflm_kernel(name.op);
      if (!is_known) unknown_.emplace(name.op);
      operators_.push_back({name.op, is_known ? tflm_memory(name.op) : TflmMemory(), graphs_.size(),
                            integers_of(loading_, table, slot::kOperatorInputs),
                            integers_of(loading_, table, slot::kOperatorOutputs),
                            table.table(slot::kOperatorBuiltinOptions)});
      if (name.op == "VAR_HANDLE") variables_.insert(variable_of(operators_.back()));
    }
    nodes_.push_back(list.count);
    graphs_.push_back(graph);
  }

  static std::string_view variable_of(const Operator& handle) {
    constexpr std::uint16_t kSharedName = 1;
    return handle.options.text(kSharedName);
  }

  SizedTensor tensor(std::size_t graph, std::int32_t number) {
    const List list = tensors_of(graphs_[graph]);
    if (number < 0 || static_cast<std::uint32_t>(number) >= list.count) return {};
    const Table table = loading_.wire.table_at(list, static_cast<std::uint32_t>(number));
    SizedTensor made;
    made.dtype = dtype_of(table);
    made.sizes = integers_of(loading_, table, slot::kTensorShape);
    const Table scales = table.table(slot::kTensorQuantization);
    if (scales.list(slot::kQuantizationParametersZeroPoint, sizeof(std::int64_t)).count > 0)
      made.scales = scales.list(slot::kQuantizationParametersScale, sizeof(float)).count;
    return made;
  }
  SizedTensor input(const Operator& op, std::size_t i) {
    return i < op.inputs.size() ? tensor(op.graph, op.inputs[i]) : SizedTensor();
  }

  void make_structures() {
    for (const TflmBytes& bytes : {kAllocator, kPlanner, kMicroAllocator})
      tail_.add(bytes, kPointer);
    if (!variables_.empty()) {
      tail_.keep(kVariables);
      tail_.keep(kVariable, static_cast<std::int64_t>(variables_.size()));
    }
    tail_.add(kOptionsAllocator, kPointer);
    tail_.add(kSubgraph, kPointer, static_cast<std::int64_t>(graphs_.size()));
    for (const Table& graph : graphs_) tail_.add(kTensor, kPointer, tensors_of(graph).count);
    for (const std::int64_t nodes : nodes_) tail_.add(kNode, kPointer, nodes);
  }

  // Options with pointers have as many bytes more on 64 bits; those of a few bytes are flags.
  void unpack_options(const TflmBytes& bytes) {
    const bool has_pointers = bytes.chip != bytes.package;
    tail_.add(bytes, has_pointers ? kPointer : bytes.chip % 4 == 0 ? kInt : kByte);
  }

  void begin(const Operator& op) {
    if (!op.memory.only_integers || input(op, 0).is_integer()) tail_.keep(op.memory.data);
  }

  // Adds what a kernel asks for once it has seen the sizes of its tensors.
  void prepare(const Operator& op) {
    const std::string_view name = op.name;
    if (name == "CONV_2D" || name == "TRANSPOSE_CONV") keep_scales(input(op, 1).size(0));
    if (name == "DEPTHWISE_CONV_2D") keep_scales(input(op, 1).size(3));
    if (name == "FULLY_CONNECTED" && input(op, 0).is_integer() && input(op, 1).scales > 1)
      keep_scales(input(op, 1).scales);
    if (name == "SOFTMAX" && input(op, 0).dtype == DType::I16)
      for (int i = 0; i < 2; ++i) tail_.keep(same(kSoftmaxTable));
    if (name == "BATCH_MATMUL") prepare_product(op);
    if (name == "VAR_HANDLE" && !op.outputs.empty())
      handles_[{op.graph, op.outputs[0]}] = variable_of(op);
    if (name == "ASSIGN_VARIABLE") keep_variable(op);
    constexpr std::string_view kWriteSizes[] = {
        "BATCH_MATMUL", "DEPTH_TO_SPACE", "SPACE_TO_DEPTH",  "GATHER",
        "GATHER_ND",    "L2_POOL_2D",     "EMBEDDING_LOOKUP"};
    if (std::find(std::begin(kWriteSizes), std::end(kWriteSizes), name) != std::end(kWriteSizes) &&
        !op.outputs.empty())
      tail_.keep(list_of(tensor(op.graph, op.outputs[0]).sizes.size()));
  }

  // A multiplier and a shift for each output channel.
  void keep_scales(std::int64_t channels) {
    for (int i = 0; i < 2; ++i) tail_.keep(same(4), channels);
  }

  // The second factor is transposed unless it is stored that way, and the first if it is.
  void prepare_product(const Operator& op) {
    constexpr std::uint16_t kFirst = 0, kSecond = 1;
    if (input(op, 0).is_integer()) tail_.keep(same(kProductScales));
    if (op.options.number<std::uint8_t>(kFirst, 0) != 0) keep_copy(input(op, 0));
    if (op.options.number<std::uint8_t>(kSecond, 0) == 0) keep_copy(input(op, 1));
  }
  void keep_copy(const SizedTensor& copied) {
    tail_.keep(kTensor);
    tail_.keep(list_of(copied.sizes.size()));
    tail_.keep(copied.stored());
  }

  // The first value that a variable is given has its size.
  void keep_variable(const Operator& op) {
    if (op.inputs.empty()) return;
    const auto found = handles_.find({op.graph, op.inputs[0]});
    if (found != handles_.end() && variables_.erase(found->second) > 0)
      tail_.keep(input(op, 1).stored());
  }

  // Tensors that keep their values from run to run, unless the file places them in the head. TFLite
  // Micro looks that up by their number in their subgraph, also where that is not the first.
  void keep_state(const Table& graph) {
    const List list = tensors_of(graph);
    const std::size_t number = static_cast<std::size_t>(&graph - graphs_.data());
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const bool is_placed = i < offsets_.size() && offsets_[i] != kPlannedLater;
      if (loading_.wire.table_at(list, i).number<std::uint8_t>(slot::kTensorIsVariable, 0) != 0 &&
          !is_placed)
        tail_.keep(tensor(number, static_cast<std::int32_t>(i)).stored());
    }
  }

  void make_ends(std::uint16_t field) {
    const auto numbers = integers_of(loading_, graphs_[0], field);
    tail_.keep(kPointer, static_cast<std::int64_t>(numbers.size()));
    for (const std::int32_t number : numbers) {
      const SizedTensor end = tensor(0, number);
      tail_.add(kEnd, kPointer);
      if (end.scales == 0) continue;
      tail_.add(kQuantization, kPointer);
      tail_.add(list_of(static_cast<std::size_t>(end.scales)), kInt);
    }
  }

  Loading& loading_;
  const std::vector<std::int32_t> offsets_;  // of an offline plan; empty if there is none
  std::vector<Table> graphs_;
  std::vector<std::int64_t> nodes_;  // of each graph
  std::vector<Operator> operators_;  // of all graphs
  std::set<std::string_view> variables_;
  std::map<Handle, std::string_view> handles_;
  std::set<std::string> unknown_;
  Tail tail_;
};

}  // namespace

Result<ArenaTail> tail_of_arena(std::string_view file, std::int64_t scratch_buffers) {
  try {
    Model model;
    const ReadOptions limits = in_proportion({}, file.size());
    const Wire wire(file);
    Loading loading(model, limits, wire);
    loading.file = wire.root();
    loading.subgraphs = loading.file.list(slot::kModelSubgraphs, sizeof(std::uint32_t));
    read_operator_codes(loading);
    return TailReader(loading).read(scratch_buffers);
  } catch (const Broken& broken) {
    return failure(broken.code, {}, broken.message);
  }
}

}  // namespace strata::tflite

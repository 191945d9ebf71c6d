#include "read/executorch/plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "ops/aten_schema.h"
#include "read/executorch/delegate.h"
#include "read/executorch/kernel.h"
#include "strata/base/number_text.h"

namespace strata::executorch {

namespace {

using Kind = torch::Argument::Kind;

// The key of a place in the memory that the plan lays out.
std::uint64_t key_of(const Allocation& place) {
  constexpr int kBits = 56;
  return std::uint64_t{place.memory} << kBits ^ place.offset;
}

// `mul` for `mul.Tensor`.
std::string_view without_overload(std::string_view op) { return op.substr(0, op.find('.')); }

std::uint32_t index_of(const Table& call, std::uint16_t field, std::uint32_t count,
                       std::string_view what) {
  const auto number = call.number<std::int32_t>(field, 0);
  if (number < 0 || static_cast<std::uint32_t>(number) >= count)
    throw Broken{
        fmt::format("it is damaged: an instruction calls {} {} of {}", what, number, count)};
  return static_cast<std::uint32_t>(number);
}

}  // namespace

PlanReader::PlanReader(Loading& loading, const Table& plan)
    : loading_(loading), plan_(plan), values_(loading, plan) {
  operators_ = plan.list(slot::kExecutionPlanOperators, sizeof(std::uint32_t));
  delegates_ = plan.list(slot::kExecutionPlanDelegates, sizeof(std::uint32_t));
  ids_.assign(values_.count(), kNone);
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(values_.count()); ++i)
    any_learned_ = any_learned_ || (values_.is_constant(i) && values_.requires_grad(i));
}

TensorId PlanReader::new_tensor(std::string_view name, TypeInfo type, Role role) {
  loading_.count_tensor();
  Graph& graph = loading_.model.graph();
  const auto id = static_cast<TensorId>(graph.tensors.size());
  Tensor& tensor = graph.tensors.emplace_back();
  tensor.name = name;
  tensor.role = role;
  tensor.type = std::move(type);
  return id;
}

bool PlanReader::has(std::int32_t value) const {
  return ids_[static_cast<std::size_t>(value)] != kNone || values_.is_stored(value) ||
         viewed(value) >= 0;
}

TensorId PlanReader::make(std::int32_t value, std::string_view maker) {
  const TensorId id = new_tensor(maker, values_.tensor_type(value), Role::Activation);
  ids_[static_cast<std::size_t>(value)] = id;
  if (const Allocation place = values_.allocation(value); place.is_planned)
    last_at_[key_of(place)] = value;
  return id;
}

std::int32_t PlanReader::viewed(std::int32_t value) const {
  const Allocation place = values_.allocation(value);
  if (!place.is_planned) return -1;
  const auto there = last_at_.find(key_of(place));
  if (there == last_at_.end()) return -1;
  const TypeInfo own = values_.tensor_type(value), other = values_.tensor_type(there->second);
  const bool is_same =
      own.ranked && other.ranked &&
      bytes(elements(own.dims), own.dtype) == bytes(elements(other.dims), other.dtype);
  return is_same ? there->second : -1;
}

TensorId PlanReader::stored(std::int32_t value, std::string_view reader,
                            std::string_view argument) {
  TensorData data = values_.stored(value);
  std::string_view name = values_.name(value);
  if (name.empty()) name = loading_.kept(fmt::format("{}.{}", reader, argument));
  data.name = name;
  const bool changes = !values_.is_constant(value);
  if (values_.requires_grad(value) && !changes)
    data.learned = Learned::Yes;
  else if (changes || (any_learned_ && is_float(data.dtype)) || data.elements() == Expr(1))
    data.learned = Learned::No;  // one element is a number in the network's code
  const TensorId id = new_tensor(name, values_.tensor_type(value), Role::Initializer);
  loading_.model.graph().tensors[id].data = &loading_.model.stored.emplace_back(data);
  return id;
}

TensorId PlanReader::use(std::int32_t value, std::string_view reader, std::string_view argument) {
  if (value < 0 || !values_.is_tensor(value)) return kNone;
  TensorId& id = ids_[static_cast<std::size_t>(value)];
  if (id != kNone) return id;
  if (values_.is_stored(value)) return id = stored(value, reader, argument);
  if (const std::int32_t other = viewed(value); other >= 0) {
    const TensorId whole = ids_[static_cast<std::size_t>(other)];
    Node node;
    node.op = "view";
    node.domain = "aten";
    node.opset = 1;
    node.name = loading_.numbered("", node.op);
    const TensorId made = make(value, node.name);
    last_at_[key_of(values_.allocation(value))] = other;
    const TensorId in[] = {whole}, out[] = {made};
    loading_.add(node, in, out, {});
    return made;
  }
  // A tensor that is neither made nor stored keeps its value from one run to the next.
  ++loading_.counts.states;
  TensorData data;
  std::string_view name = values_.name(value);
  if (name.empty()) name = loading_.kept(fmt::format("state_{}", value));
  const TypeInfo type = values_.tensor_type(value);
  std::vector<std::int64_t> dims;
  for (const Expr& size : type.dims) dims.push_back(size.value());
  data.name = name;
  data.dtype = type.dtype;
  data.dims = loading_.model.keep(std::span<const std::int64_t>(dims));
  data.learned = Learned::No;
  id = new_tensor(name, type, Role::Initializer);
  loading_.model.graph().tensors[id].data = &loading_.model.stored.emplace_back(data);
  return id;
}

void PlanReader::call_kernel(const Table& call) {
  const Table op = loading_.wire.table_at(
      operators_, index_of(call, slot::kKernelCallOpIndex, operators_.count, "operator"));
  const torch::Operator name =
      operator_of_kernel(loading_, op.text(slot::kOperatorName), op.text(slot::kOperatorOverload));
  const auto args = loading_.integers<std::int32_t>(loading_.wire, call, slot::kKernelCallArgs);
  // The last argument is what the kernel returns. Before it are the tensors that it writes.
  if (args.empty()) return;
  const std::int32_t returned = args.back();
  const std::vector<std::int32_t> made = values_.items(returned);
  if (made.empty()) {
    values_.computes(returned);  // a size, which types state
    return;
  }
  std::size_t given = args.size() - 1;
  const auto ends_with = [&](std::span<const std::int32_t> items) {
    return given > items.size() &&
           std::equal(items.begin(), items.end(),
                      args.begin() + static_cast<std::ptrdiff_t>(given - items.size()));
  };
  if (ends_with(made))
    given -= made.size();
  else if (given > 0 && values_.items(args[given - 1]) == made &&
           !values_.is_tensor(args[given - 1]))
    --given;

  const std::string_view node_name = loading_.numbered("", without_overload(name.op));
  const AtenSchema* schema = name.domain == "aten" ? find_aten_schema(name.op) : nullptr;
  arguments_.clear();
  tensors_.clear();
  for (std::size_t i = 0; i < given; ++i) {
    torch::Argument argument;
    if (schema != nullptr && i >= schema->arguments().size()) break;
    if (schema != nullptr) argument.name = schema->arguments()[i].name();
    const ValueType type = values_.type(args[i]);
    if (type == ValueType::Tensor || type == ValueType::TensorList ||
        type == ValueType::OptionalTensorList) {
      const bool of_tensors = schema == nullptr || schema->arguments()[i].is_tensor();
      if (!of_tensors) continue;
      argument.kind = Kind::Tensors;
      argument.is_list = type != ValueType::Tensor;
      argument.first = static_cast<std::uint32_t>(tensors_.size());
      const std::string_view label = argument.name.empty() ? "input" : argument.name;
      for (const std::int32_t item : values_.items(args[i]))
        tensors_.push_back(use(item, node_name, label));
      argument.count = static_cast<std::uint32_t>(tensors_.size()) - argument.first;
      if (schema == nullptr) argument.is_list = false;  // its attribute would have no name
    } else if (type != ValueType::NONE && type != ValueType::Null) {
      if (schema == nullptr || schema->arguments()[i].is_tensor()) continue;
      argument.kind = Kind::Value;
      argument.value = values_.attribute(args[i]);
    }
    arguments_.push_back(argument);
  }
  torch::arrange(name, arguments_, operands_);
  inputs_.clear();
  for (const std::uint32_t place : operands_.inputs)
    inputs_.push_back(place == kNone ? kNone : tensors_[place]);
  outputs_.clear();
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!values_.is_tensor(made[i]))
      throw Broken{fmt::format("it is damaged: {} makes value {}, which is not a tensor", node_name,
                               made[i])};
    outputs_.push_back(
        make(made[i], i == 0 ? node_name : loading_.kept(fmt::format("{}:{}", node_name, i))));
  }
  Node node;
  node.op = name.op;
  node.domain = name.domain;
  node.name = node_name;
  node.opset = 1;
  loading_.add(node, inputs_, outputs_, operands_.attributes);
}

void PlanReader::move(const Table& call) {
  const auto from = call.number<std::int32_t>(slot::kMoveCallMoveFrom, 0);
  const auto to = call.number<std::int32_t>(slot::kMoveCallMoveTo, 0);
  if (!values_.is_tensor(from) || !values_.is_tensor(to)) {
    values_.computes(to);
    return;
  }
  Node node;
  node.op = "alias";
  node.domain = "aten";
  node.opset = 1;
  node.name = loading_.numbered("", "move");
  const TensorId in[] = {use(from, node.name, "self")}, out[] = {make(to, node.name)};
  loading_.add(node, in, out, {});
}

void PlanReader::call_delegate(const Table& call) {
  const Table delegate = loading_.wire.table_at(
      delegates_, index_of(call, slot::kDelegateCallDelegateIndex, delegates_.count, "delegate"));
  const auto args = loading_.integers<std::int32_t>(loading_.wire, call, slot::kDelegateCallArgs);
  read_delegate(*this, delegate, args, delegates_called_++);
}

// A jump back is a loop, and how often it runs is unknown: its node has no cost, so that totals are
// lower bounds.
void PlanReader::jump(const Table& call, std::uint32_t index) {
  const auto to = call.number<std::int32_t>(slot::kJumpFalseCallDestinationInstruction, 0);
  if (std::int64_t{to} > std::int64_t{index}) {
    ++loading_.counts.branches;
    return;
  }
  ++loading_.counts.loops;
  Node node;
  node.op = "loop";
  node.domain = kDelegate;
  node.opset = 1;
  node.name = loading_.numbered("", node.op);
  loading_.add(node, {}, {}, {});
}

void PlanReader::read_instruction(const Table& instruction, std::uint32_t index) {
  const auto kind =
      static_cast<Call>(instruction.number<std::uint8_t>(slot::kInstructionInstrArgsType, 0));
  const Table call = instruction.table(slot::kInstructionInstrArgs);
  switch (kind) {
    case Call::KernelCall:
      return call_kernel(call);
    case Call::DelegateCall:
      return call_delegate(call);
    case Call::MoveCall:
      return move(call);
    case Call::JumpFalseCall:
      return jump(call, index);
    case Call::FreeCall:
      return;
    default:
      throw Broken{
          fmt::format("it is damaged: it has an instruction of kind {}", static_cast<int>(kind))};
  }
}

// Parameters that no instruction reads are stored nonetheless. One that shares its buffer with a
// parameter that is read is the same, seen in another shape.
void PlanReader::hold_unread() {
  NumberSet read;
  const auto count = static_cast<std::int32_t>(values_.count());
  for (std::int32_t i = 0; i < count; ++i)
    if (ids_[static_cast<std::size_t>(i)] != kNone && values_.is_constant(i))
      read.insert(values_.buffer(i));
  std::vector<TensorId> unread;
  for (std::int32_t i = 0; i < count; ++i) {
    if (ids_[static_cast<std::size_t>(i)] != kNone || !values_.is_constant(i) ||
        !values_.requires_grad(i))
      continue;
    if (!read.insert(values_.buffer(i)).second) continue;
    unread.push_back(stored(i, "unread", std::to_string(i)));
  }
  if (unread.empty()) return;
  Node node;
  node.op = "Unread";
  node.domain = "strata";
  node.opset = 1;
  node.name = "unread";
  loading_.add(node, unread, {}, {});
}

void PlanReader::note_memory() {
  const auto sizes = loading_.integers<std::int64_t>(loading_.wire, plan_,
                                                     slot::kExecutionPlanNonConstBufferSizes);
  std::int64_t all = 0;
  std::size_t memories = 0;
  for (const std::int64_t size : sizes) {
    if (size < 0 || __builtin_add_overflow(all, size, &all))
      throw Broken{"it is damaged: the sizes of its memories are impossible"};
    memories += size > 0 ? 1 : 0;
  }
  if (memories == 0) return;
  loading_.note(fmt::format("the memory plan in the file takes {} bytes for activations{}{}",
                            grouped(all),
                            memories == 1 ? "" : fmt::format(" in {} memories", memories),
                            delegates_.count == 0 ? "" : "; delegates allocate their own"));
}

void PlanReader::read() {
  for (const std::int32_t value :
       loading_.integers<std::int32_t>(loading_.wire, plan_, slot::kExecutionPlanInputs)) {
    if (!values_.is_tensor(value)) {
      values_.computes(value);
      continue;
    }
    if (ids_[static_cast<std::size_t>(value)] != kNone)
      throw Broken{fmt::format("it is damaged: value {} is twice an input", value)};
    const std::size_t number = loading_.model.graph().inputs.size();
    const TensorId id =
        make(value, loading_.kept(number == 0 ? "input" : fmt::format("input_{}", number)));
    loading_.model.graph().tensors[id].role = Role::Input;
    loading_.model.graph().inputs.push_back(id);
  }
  const List chains = plan_.list(slot::kExecutionPlanChains, sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < chains.count; ++i) {
    const List instructions =
        loading_.wire.table_at(chains, i).list(slot::kChainInstructions, sizeof(std::uint32_t));
    for (std::uint32_t j = 0; j < instructions.count; ++j) {
      loading_.count_entry();
      read_instruction(loading_.wire.table_at(instructions, j), j);
    }
  }
  for (const std::int32_t value :
       loading_.integers<std::int32_t>(loading_.wire, plan_, slot::kExecutionPlanOutputs))
    if (values_.is_tensor(value))
      loading_.model.graph().outputs.push_back(use(value, "output", "value"));
  hold_unread();
  note_memory();
}

}  // namespace strata::executorch

// Loop and Scan. The rows are in control.cc.
#include <algorithm>

#include <fmt/format.h>

#include "ops/bodies.h"
#include "ops/common.h"
#include "ops/elements.h"
#include "ops/sizes.h"
#include "ops/types.h"

namespace strata {

namespace {

// A loop whose steps are all known is followed step by step, unless that takes more than this many
// steps or node visits.
constexpr std::int64_t kMaxSteps = 100;
constexpr std::int64_t kMaxVisits = 4096;

// More iterations than anyone would mean: `while` loops are written with the largest integer.
constexpr std::int64_t kEndless = 0x7fffffff;

struct LoopNode {
  Graph& body;
  std::size_t carried;
  std::size_t stacked;         // outputs that collect one element per iteration
  std::optional<Expr> limit;   // nullopt: there is no limit
  std::optional<bool> starts;  // nullopt: only known at run time
  Dims counter, condition;     // what the body takes them as: a scalar, or a list of one
};

// The standard says a scalar; some exporters declare a list of one, and compute with that.
Dims declared_dims(const Graph& body, std::size_t input) {
  const TypeInfo& type = body.tensors[body.inputs[input]].type;
  return type.ranked && type.dims.size() == 1 && type.dims[0].is(1) ? Dims{1} : Dims{};
}

Result<LoopNode> read_loop(ShapeContext& c) {
  Graph* body = c.body("body");
  if (body == nullptr) return c.error("it has no body");
  const std::size_t carried = c.input_count() > 2 ? c.input_count() - 2 : 0;
  if (body->inputs.size() != carried + 2 || body->outputs.size() < carried + 1) {
    return c.error(fmt::format(
        "its body has {} inputs and {} outputs, where {} carried values need {} and at least {}",
        body->inputs.size(), body->outputs.size(), carried, carried + 2, carried + 1));
  }
  LoopNode loop{*body,
                carried,
                body->outputs.size() - carried - 1,
                std::nullopt,
                true,
                declared_dims(*body, 0),
                declared_dims(*body, 1)};
  if (c.has(0)) {
    const Expr limit = c.scalar_of(0).value_or(Expr::unknown());
    const bool endless = limit.is_overflow() || (limit.is_number() && limit.value() >= kEndless);
    if (!endless) loop.limit = limit.is_number() ? max(limit, 0) : limit;
  }
  if (c.has(1)) {
    const auto condition = c.scalar_of(1);
    if (condition && condition->is_number())
      loop.starts = !condition->is(0);
    else
      loop.starts = std::nullopt;
  }
  return loop;
}

// An element that is passed to the body: the iteration number or the condition.
const Value* constant(ShapeContext& c, DType type, const Dims& dims, std::int64_t number) {
  Value value = scalar_value(type, number);
  for (std::size_t i = 0; i < dims.size(); ++i) value.dims.push_back(1);
  return c.host().model().keep(std::move(value));
}

// The result of following a loop step by step.
struct Steps {
  std::int64_t count = 0;
  Flow carried;
  std::vector<TypeInfo> stacked;
};

Result<std::optional<Steps>> follow(ShapeContext& c, const LoopNode& loop) {
  const auto size = static_cast<std::int64_t>(loop.body.nodes.size());
  if (loop.starts != true || c.graph().parent != nullptr) return std::nullopt;
  if (loop.limit && !loop.limit->is_number()) return std::nullopt;
  if (loop.limit && loop.limit->value() > std::min(kMaxSteps, kMaxVisits / (size + 1))) {
    return std::nullopt;
  }
  Steps steps;
  steps.carried = flow_of(c, 2, c.input_count());
  const TypeInfo number = TypeInfo::tensor(DType::I64, loop.counter),
                 truth = TypeInfo::tensor(DType::Bool, loop.condition);
  const Value* yes = constant(c, DType::Bool, loop.condition, 1);
  for (bool goes_on = true; goes_on && !(loop.limit && loop.limit->is(steps.count));) {
    if (steps.count * (size + 1) >= kMaxVisits || steps.count >= kMaxSteps) return std::nullopt;
    Flow inputs;
    inputs.add(number, constant(c, DType::I64, loop.counter, steps.count));
    inputs.add(truth, yes);
    for (std::size_t i = 0; i < loop.carried; ++i) {
      inputs.add(steps.carried.types[i], steps.carried.values[i]);
    }
    const auto outputs = run_body(c, loop.body, inputs);
    if (!outputs) return failure(outputs);
    ++steps.count;
    const Value* condition = outputs->values[0];
    if (condition == nullptr || condition->size() != 1) return std::nullopt;
    const Expr next = condition->items[0].whole();
    if (!next.is_number()) return std::nullopt;
    goes_on = !next.is(0);
    steps.carried = {};
    for (std::size_t i = 0; i < loop.carried; ++i) {
      steps.carried.add(outputs->types[1 + i], outputs->values[1 + i]);
    }
    for (std::size_t i = 0; i < loop.stacked; ++i) {
      const TypeInfo& element = outputs->types[1 + loop.carried + i];
      if (steps.count == 1)
        steps.stacked.push_back(element);
      else
        steps.stacked[i] = common_type(steps.stacked[i], element);
    }
  }
  return steps;
}

// Returns how often a loop runs, given the condition after any run.
Expr trip_count(ShapeContext& c, const LoopNode& loop, const Value* condition) {
  if (loop.starts == false || (loop.limit && loop.limit->is(0))) return 0;
  const Expr next = condition != nullptr && condition->size() == 1 ? condition->items[0].whole()
                                                                   : Expr::unknown();
  Expr trips = Expr::unknown();
  if (loop.starts == true && next.is_number()) {
    if (!next.is(0))
      trips = loop.limit.value_or(Expr::unknown());
    else
      trips = loop.limit ? min(*loop.limit, 1) : Expr(1);
  }
  return known_or_fresh(c, trips, "trips");
}

// Joins one element per run along a new axis.
TypeInfo stacked(const TypeInfo& element, const Expr& count, std::int64_t axis) {
  if (!element.ranked) return TypeInfo::unranked(element.dtype);
  const auto rank = static_cast<std::int64_t>(element.dims.size()) + 1;
  TypeInfo type = TypeInfo::tensor(element.dtype, element.dims);
  if (axis < 0) axis += rank;
  type.dims.insert(static_cast<std::size_t>(std::clamp<std::int64_t>(axis, 0, rank - 1)), count);
  return type;
}

Status set_followed(ShapeContext& c, const LoopNode& loop, const Steps& steps) {
  const Expr trips = steps.count;
  loop.body.runs = trips;
  for (std::size_t i = 0; i < loop.carried; ++i)
    set_from(c, i, steps.carried.types[i], steps.carried.values[i], "carried");
  for (std::size_t i = 0; i < loop.stacked; ++i)
    set_from(c, loop.carried + i, stacked(steps.stacked[i], trips, 0), nullptr, "stacked");
  return {};
}

}  // namespace

Status loop_shape(ShapeContext& c) {
  const auto loop = read_loop(c);
  if (!loop) return failure(loop);
  const auto steps = follow(c, *loop);
  if (!steps) return failure(steps);

  // After one iteration, the body keeps the types that it had.
  if (*steps && (*steps)->count == 1) return set_followed(c, *loop, **steps);

  // The types that remain in the body afterwards hold for every iteration.
  Flow inputs;
  inputs.add(TypeInfo::tensor(DType::I64, loop->counter));
  inputs.add(TypeInfo::tensor(DType::Bool, loop->condition),
             constant(c, DType::Bool, loop->condition, 1));
  const Flow start = flow_of(c, 2, c.input_count());
  for (std::size_t i = 0; i < loop->carried; ++i) inputs.add(start.types[i], start.values[i]);
  Repeated repeated(c, loop->body, 2, 1, loop->carried);
  if (auto status = repeated.settle(std::move(inputs)); !status) return status;
  const Flow& outputs = repeated.outputs();

  if (*steps && (*steps)->count > 0) return set_followed(c, *loop, **steps);
  const Expr trips = trip_count(c, *loop, outputs.values[0]);
  loop->body.runs = trips;
  for (std::size_t i = 0; i < loop->carried; ++i) {
    const Value* value = trips.is(0) ? start.values[i] : repeated.unchanged(i);
    set_from(c, i, repeated.after(i, trips), value, "carried");
  }
  for (std::size_t i = 0; i < loop->stacked; ++i) {
    set_from(c, loop->carried + i, stacked(outputs.types[1 + loop->carried + i], trips, 0), nullptr,
             "stacked");
  }
  return {};
}

namespace {

// Version 8 has a batch axis before all others and takes the length of each sequence as its first
// input.
struct ScanNode {
  Graph& body;
  std::size_t first;  // index of the input that is the first state
  std::size_t states;
  std::size_t scanned;  // inputs that are sliced
  bool batched;
};

Result<ScanNode> read_scan(ShapeContext& c) {
  Graph* body = c.body("body");
  if (body == nullptr) return c.error("it has no body");
  const bool batched = c.opset() < 9;
  const std::size_t first = batched ? 1 : 0;
  const std::size_t available = c.input_count() > first ? c.input_count() - first : 0;
  const std::int64_t scanned = c.integer("num_scan_inputs", 0);
  if (scanned < 1 || scanned > static_cast<std::int64_t>(available)) {
    return c.error(fmt::format("num_scan_inputs is {}, but it has {} inputs", scanned, available));
  }
  const std::size_t states = available - static_cast<std::size_t>(scanned);
  if (body->inputs.size() != available || body->outputs.size() < states) {
    return c.error(fmt::format("its body has {} inputs and {} outputs, where {} and {} are needed",
                               body->inputs.size(), body->outputs.size(), available, states));
  }
  return ScanNode{*body, first, states, static_cast<std::size_t>(scanned), batched};
}

// The type with one axis removed.
TypeInfo without(TypeInfo type, std::size_t axis) {
  if (type.ranked && axis < type.dims.size()) type.dims.erase(axis);
  return type;
}

// Item i of a list attribute, 0 if there is none.
std::int64_t listed(std::span<const std::int64_t> list, std::size_t i) {
  return i < list.size() ? list[i] : 0;
}

}  // namespace

Status scan_shape(ShapeContext& c) {
  const auto scan = read_scan(c);
  if (!scan) return failure(scan);
  Flow inputs = flow_of(c, scan->first, scan->first + scan->states);
  if (scan->batched) {
    for (std::size_t i = 0; i < scan->states; ++i) {
      inputs.types[i] = without(std::move(inputs.types[i]), 0);
      inputs.values[i] = nullptr;
    }
  }
  Expr batch = 1, length = Expr::unknown();
  const auto meet = [](Expr& known, const Expr& size) {
    if (clash(known, size)) return false;
    if (!known.is_number()) known = size;
    return true;
  };
  for (std::size_t i = 0; i < scan->scanned; ++i) {
    TypeInfo type = c.in(scan->first + scan->states + i);
    if (!type.ranked) {
      inputs.add(std::move(type));
      continue;
    }
    const std::int64_t asked = scan->batched ? 1 : listed(c.integers("scan_input_axes"), i);
    const auto axis = c.axis(asked, type.dims.size());
    if (!axis) return failure(axis);
    if (!meet(length, type.dims[*axis])) {
      return c.error(fmt::format("it scans inputs of {} and {} elements together", length.text(),
                                 type.dims[*axis].text()));
    }
    if (scan->batched && (i == 0 || !batch.is_number())) batch = type.dims[0];
    type = without(std::move(type), *axis);
    if (scan->batched) type = without(std::move(type), 0);
    inputs.add(std::move(type));
  }
  length = known_or_fresh(c, length, "steps");

  Repeated repeated(c, scan->body, 0, 0, scan->states);
  if (auto status = repeated.settle(std::move(inputs)); !status) return status;
  scan->body.runs = length * batch;
  const auto put = [&](std::size_t i, TypeInfo type, const Value* value, std::string_view hint) {
    if (scan->batched && type.ranked) type.dims.insert(0, batch);
    set_from(c, i, std::move(type), scan->batched ? nullptr : value, hint);
  };
  for (std::size_t i = 0; i < scan->states; ++i) {
    put(i, repeated.after(i, length), repeated.unchanged(i), "state");
  }
  for (std::size_t i = scan->states; i < repeated.outputs().size(); ++i) {
    const std::int64_t axis =
        scan->batched ? 0 : listed(c.integers("scan_output_axes"), i - scan->states);
    put(i, stacked(repeated.outputs().types[i], length, axis), nullptr, "stacked");
  }
  return {};
}

}  // namespace strata

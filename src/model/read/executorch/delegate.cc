#include "read/executorch/delegate.h"

#include <fmt/format.h>

#include "read/executorch/xnnpack.h"

namespace strata::executorch {

namespace {

// A delegate that strata does not open: what it computes is unknown. The values that nothing has
// made before are its outputs.
void add_closed(PlanReader& plan, std::string_view id, std::string_view program,
                std::span<const std::int32_t> args) {
  Loading& loading = plan.loading();
  Node node;
  node.op = id.empty() ? std::string_view("delegate") : id;
  node.domain = kDelegate;
  node.opset = 1;
  node.name = loading.numbered("", "delegate");
  std::vector<TensorId> inputs, outputs;
  for (const std::int32_t value : args) {
    if (!plan.values().is_tensor(value)) continue;
    if (plan.has(value))
      inputs.push_back(plan.use(value, node.name, "input"));
    else
      outputs.push_back(
          plan.make(value, loading.kept(fmt::format("{}:{}", node.name, outputs.size()))));
  }
  TensorData data;
  data.name = loading.kept(fmt::format("{}.program", node.name));
  data.dtype = DType::U8;
  data.store = TensorData::Store::Raw;
  data.bytes = program;
  data.learned = Learned::No;
  const std::int64_t size[] = {static_cast<std::int64_t>(program.size())};
  data.dims = loading.model.keep(std::span<const std::int64_t>(size));
  const TensorId stored =
      plan.new_tensor(data.name, TypeInfo::tensor(data.dtype, {size[0]}), Role::Initializer);
  loading.model.graph().tensors[stored].data = &loading.model.stored.emplace_back(data);
  inputs.push_back(stored);
  loading.add(node, inputs, outputs, {});
  loading.counts.closed.emplace_back(node.op, program.size());
}

}  // namespace

void read_delegate(PlanReader& plan, const Table& delegate, std::span<const std::int32_t> args,
                   std::uint32_t number) {
  const std::string_view id = delegate.text(slot::kBackendDelegateId);
  const std::string_view program = plan.loading().storage.delegate(delegate);
  if (id == "XnnpackBackend" && looks_like_xnnpack(program))
    read_xnnpack(plan, program, args, plan.loading().kept(fmt::format("xnnpack_{}", number)));
  else
    add_closed(plan, id, program, args);
}

}  // namespace strata::executorch

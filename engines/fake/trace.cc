// Reports what runs did, kernel by kernel and module by module.
#include <utility>

#include "session.h"

namespace strata::fake {

namespace {

// Reports what one kernel did or will do; the report points to memory in here.
bool give_kernel(const StrataSession& session, const KernelTime& record, void* user,
                 StrataOnKernel each) {
  const KernelPlan& kernel = session.plan.kernels[record.kernel];
  std::vector<std::int32_t> ranks;
  std::vector<std::int64_t> dims;
  for (const TensorId output : kernel.outputs) {
    if (output == kNone) continue;
    const auto own = dims_now(session.model.graph().tensors[output]);
    ranks.push_back(static_cast<std::int32_t>(own.size()));
    dims.insert(dims.end(), own.begin(), own.end());
  }
  const StrataKernel out = {
      .run = record.run,
      .index = record.kernel,
      .name = kernel.name.c_str(),
      .op = kernel.op.c_str(),
      .provider = "fake",
      .kind = STRATA_KERNEL_COMPUTE,
      .sources = kernel.source_pointers.data(),
      .source_count = kernel.source_pointers.size(),
      .start_ns = record.start_ns,
      .duration_ns = record.duration_ns,
      .output_count = static_cast<std::int32_t>(ranks.size()),
      .output_ranks = ranks.data(),
      .output_dims = dims.data(),
      .dtype = session.dtype != 0 ? session.dtype : kernel.dtype,
      .input_type_count = static_cast<std::int32_t>(kernel.inputs.size()),
      .input_types = kernel.inputs.data(),
      .output_type_count = static_cast<std::int32_t>(kernel.output_types.size()),
      .output_types = kernel.output_types.data()};
  return each(user, &out) == 0;
}

}  // namespace

StrataStatus give_kernels(StrataSession* session, void* user, StrataOnKernel each,
                          StrataError* error) {
  session->modules.clear();
  for (const KernelTime& record : std::exchange(session->recorded, {}))
    if (!give_kernel(*session, record, user, each))
      return fail(error, STRATA_CANCELLED, "ended by its caller");
  return STRATA_OK;
}

StrataStatus give_plan(StrataSession* session, void* user, StrataOnKernel each,
                       StrataError* error) {
  for (std::size_t i = 0; i < session->plan.kernels.size(); ++i)
    if (!give_kernel(*session, {0, i, 0, 0}, user, each))
      return fail(error, STRATA_CANCELLED, "ended by its caller");
  return STRATA_OK;
}

StrataStatus give_modules(StrataSession* session, void* user, StrataOnModuleCall each,
                          StrataError* error) {
  for (const ModuleTime& module : std::exchange(session->modules, {})) {
    const Scope& scope = session->model.scopes[module.scope];
    const std::string path(scope.path), type(scope.cls);
    const StrataModuleCall call = {module.run,     path.c_str(),    type.c_str(),
                                   scope.call + 1, module.enter_ns, module.exit_ns};
    if (each(user, &call) != 0) return fail(error, STRATA_CANCELLED, "ended by its caller");
  }
  return STRATA_OK;
}

}  // namespace strata::fake

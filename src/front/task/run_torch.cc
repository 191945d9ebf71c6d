// Programs that run a TorchScript file in a mode of PyTorch's engine.
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/npy.h"
#include "task/run_files.h"

namespace strata {

namespace {

enum class Mode { Eager, Frozen, Optimized };

// Nullopt for options that the programs could not set.
std::optional<Mode> mode_of(const Variant& variant) {
  const SessionOptions& session = variant.session;
  if ((!session.device.empty() && session.device != "cpu") || !session.provider.empty())
    return std::nullopt;
  Mode mode = session.optimization >= STRATA_OPT_ALL     ? Mode::Optimized
              : session.optimization >= STRATA_OPT_BASIC ? Mode::Frozen
                                                         : Mode::Eager;
  for (const std::string& option : session.options) {
    if (option == "mode=eager")
      mode = Mode::Eager;
    else if (option == "mode=frozen")
      mode = Mode::Frozen;
    else if (option == "mode=optimized")
      mode = Mode::Optimized;
    else
      return std::nullopt;
  }
  return mode;
}

// A type in torch's Python and in its C++; empty if neither is written here.
std::pair<std::string_view, std::string_view> type_names(DType type) {
  struct Row {
    DType type;
    std::string_view python, cpp;
  };
  constexpr std::array kRows{
      Row{DType::F32, "float32", "kFloat"}, Row{DType::F64, "float64", "kDouble"},
      Row{DType::F16, "float16", "kHalf"},  Row{DType::BF16, "bfloat16", "kBFloat16"},
      Row{DType::I64, "int64", "kLong"},    Row{DType::I32, "int32", "kInt"},
      Row{DType::I16, "int16", "kShort"},   Row{DType::I8, "int8", "kChar"},
      Row{DType::U8, "uint8", "kByte"},     Row{DType::Bool, "bool", "kBool"}};
  for (const Row& row : kRows)
    if (row.type == type) return {row.python, row.cpp};
  return {};
}

constexpr const char* kPython = R"(import pathlib
import time

import torch

# If the module uses operators of another package, such as torchvision, import it here.
torch.set_num_threads({threads})
file = pathlib.Path(__file__).resolve().with_name({file})
module = torch.jit.load(str(file), map_location="cpu").eval()
{prepare}inputs = {{  # your own tensors go here
{inputs}}}


def tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    inside = value.values() if isinstance(value, dict) else value
    return [tensor for each in inside for tensor in tensors(each)]


def run():
    with torch.no_grad(), {casts}torch.jit.optimized_execution({optimized}):
        return module({call})


for _ in range(3):  # code is made in the first runs
    run()
for number, output in enumerate(tensors(run())):
    print(number, output.dtype, tuple(output.shape))
times = []
for _ in range(10):
    start = time.perf_counter()
    run()
    times.append(time.perf_counter() - start)
print(f"{{1000 * sorted(times)[len(times) // 2]:.3f}} ms")
)";

constexpr const char* kCpp = R"(//
//   g++ -O2 -std=c++17 -I TORCH/include -I TORCH/include/torch/csrc/api/include {source} -L TORCH/lib \
//     -Wl,--no-as-needed -ltorch -ltorch_cpu -lc10 -Wl,-rpath,TORCH/lib -o run
//
// TORCH is the folder of libtorch, or the folder `torch` that pip installed; newer headers want -std=c++20. The
// model is looked for in the folder that the program is started in.
#include <chrono>
#include <cstdio>

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/script.h>
#include <torch/version.h>

int main() {{
  at::set_num_threads({threads});
  torch::jit::Module module = torch::jit::load({file}, at::kCPU);
  module.eval();
{prepare}  const torch::jit::GraphOptimizerEnabledGuard optimize({optimized});
  const torch::NoGradGuard no_gradients;
{casts}  std::vector<c10::IValue> unnamed;
  torch::jit::Kwargs inputs;  // your own tensors go here
{inputs}  for (int run = 0; run < 14; ++run) {{
    const auto start = std::chrono::steady_clock::now();
    const c10::IValue output = module.get_method("forward")(unnamed, inputs);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (run > 3) std::printf("%.3f ms\n", time.count());  // code is made in the first runs
  }}
}}
)";

// libtorch 2 has other names for it.
constexpr const char* kCppCasts = R"(#if TORCH_VERSION_MAJOR >= 2
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, true);
#else
  at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
  at::autocast::set_cpu_enabled(true);
#endif
  at::autocast::increment_nesting();
)";

}  // namespace

std::optional<RunFiles> run_torch(const Variant& variant, std::string_view file) {
  const auto mode = mode_of(variant);
  const auto inputs = read_npz(variant.inputs);
  const std::string& precision = variant.session.precision;
  const bool bf16 = precision == "bf16";
  if (!mode || !inputs || !(bf16 || precision.empty() || precision == "fp32")) return std::nullopt;
  std::string python, cpp;
  for (const HostTensor& input : *inputs) {
    const auto [python_type, cpp_type] = type_names(input.dtype);
    if (python_type.empty()) return std::nullopt;
    const std::string name = string_literal(input.name);
    python += fmt::format("    {}: torch.zeros([{}], dtype=torch.{}),\n", name,
                          fmt::join(input.dims, ", "), python_type);
    const std::string zeros =
        fmt::format("at::zeros({{{}}}, at::{})", fmt::join(input.dims, ", "), cpp_type);
    cpp += inputs->size() == 1 ? fmt::format("  unnamed.emplace_back({});\n", zeros)
                               : fmt::format("  inputs[{}] = {};\n", name, zeros);
  }
  const bool eager = *mode == Mode::Eager;
  const std::string python_prepare = eager ? ""
                                     : *mode == Mode::Frozen
                                         ? "module = torch.jit.freeze(module)\n"
                                         : "module = torch.jit.optimize_for_inference(module)\n";
  const std::string cpp_prepare = eager ? ""
                                  : *mode == Mode::Frozen
                                      ? "  module = torch::jit::freeze(module);\n"
                                      : "  module = torch::jit::optimize_for_inference(module);\n";
  RunFiles out;
  out.python =
      program_head(variant, kRunPython) +
      fmt::format(fmt::runtime(kPython), fmt::arg("threads", variant.session.threads),
                  fmt::arg("file", string_literal(file)), fmt::arg("prepare", python_prepare),
                  fmt::arg("inputs", python),
                  fmt::arg("casts", bf16 ? "torch.autocast(\"cpu\", torch.bfloat16), " : ""),
                  fmt::arg("optimized", eager && !bf16 ? "False" : "True"),
                  fmt::arg("call", inputs->size() == 1 ? "*inputs.values()" : "**inputs"));
  out.cpp =
      program_head(variant, kRunCpp) +
      fmt::format(fmt::runtime(kCpp), fmt::arg("threads", variant.session.threads),
                  fmt::arg("file", string_literal(file)), fmt::arg("prepare", cpp_prepare),
                  fmt::arg("inputs", cpp), fmt::arg("optimized", eager && !bf16 ? "false" : "true"),
                  fmt::arg("casts", bf16 ? kCppCasts : ""),
                  fmt::arg("source", string_literal(std::string(file) + ".run.cc")));
  return out;
}

}  // namespace strata

#include "settings.h"

#include <ATen/Parallel.h>
#include <caffe2/serialize/inline_container.h>
#include <dlfcn.h>

#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "failure.h"

namespace strata::libtorch {

namespace {

namespace fs = std::filesystem;

void check_device(const char* device) {
  if (device != nullptr && *device != 0 && std::string_view(device) != "cpu")
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("device \"{}\": this plugin runs models on the cpu", device)};
}

// Checks whether to cast to bf16.
bool check_precision(const char* precision) {
  const std::string_view name = precision != nullptr ? precision : "";
  if (name.empty() || name == "fp32") return false;
  if (name == "bf16") return true;
  if (name == "int8")
    throw Failure{
        STRATA_UNSUPPORTED,
        "precision int8: PyTorch runs a module in int8 only if it was quantized in PyTorch "
        "before it was saved"};
  throw Failure{
      STRATA_UNSUPPORTED,
      fmt::format("precision \"{}\": on the cpu, PyTorch is asked for fp32 or bf16", name)};
}

// The operators of the library become known to libtorch.
bool open_library(const std::string& path, std::string& why) {
  if (::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return true;
  why = ::dlerror();
  return false;
}

void take_option(std::string_view option, Settings& settings) {
  const std::size_t equals = option.find('=');
  const std::string_view key = option.substr(0, equals);
  const std::string value(equals == option.npos ? "" : option.substr(equals + 1));
  std::string why;
  if (key == "library") {
    if (!open_library(value, why))
      throw Failure{STRATA_UNSUPPORTED, fmt::format("option library={}: {}", value, why)};
  } else if (key == "mode") {
    if (value == "eager")
      settings.program.mode = Mode::Eager;
    else if (value == "frozen")
      settings.program.mode = Mode::Frozen;
    else if (value == "optimized")
      settings.program.mode = Mode::Optimized;
    else
      throw Failure{STRATA_UNSUPPORTED,
                    fmt::format("option mode={}: there are eager, frozen and optimized", value)};
  } else if (key == "package") {
    settings.package = value;
  } else if (key == "package_bf16") {
    settings.bf16 = value;
  } else {
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("the engine has no option \"{}\"; it has mode, library, package and "
                              "package_bf16",
                              key)};
  }
}

}  // namespace

Settings settings_of(const StrataOpen& open) {
  check_device(open.device);
  if (open.provider != nullptr && *open.provider != 0)
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("provider \"{}\": the engine torch has no providers", open.provider)};
  if (open.fetch_count > 0)
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("value \"{}\": the engine torch gives the outputs of a model, and no "
                              "values inside it; use an ONNX file of the model",
                              open.fetch[0])};
  Settings settings;
  settings.program.bf16 = check_precision(open.precision);
  settings.trace_time = (open.trace & STRATA_TRACE_TIME) != 0;
  settings.trace_memory = (open.trace & STRATA_TRACE_MEMORY) != 0;
  settings.knows = open.knows;
  settings.threads = open.threads;
  if (open.optimization >= STRATA_OPT_ALL)
    settings.program.mode = Mode::Optimized;
  else if (open.optimization >= STRATA_OPT_BASIC)
    settings.program.mode = Mode::Frozen;
  for (std::uint64_t i = 0; i < open.option_count; ++i) take_option(open.options[i], settings);
  if (settings.program.bf16 && (!settings.package.empty() || !settings.bf16.empty())) {
    if (settings.bf16.empty())
      throw Failure{STRATA_UNSUPPORTED,
                    "a package computes in the types that it was compiled for; name one that was "
                    "compiled in bf16 with package_bf16=FILE"};
    settings.package = settings.bf16;
    settings.program.bf16 = false;
  }
  settings.program.instrumented = settings.trace_time;
  if (settings.trace_time && settings.program.mode != Mode::Eager)
    throw Failure{
        STRATA_UNSUPPORTED,
        "a frozen module has no layers left to time; the engine torch times layers as the "
        "file has them"};
  return settings;
}

void probe(const char* device, const char* precision) {
  check_device(device);
  const bool bf16 = check_precision(precision);
  const auto type = bf16 ? at::kBFloat16 : at::kFloat;
  const at::Tensor ones = at::ones({8, 8}, at::TensorOptions().dtype(type));
  if (at::matmul(ones, ones).sum().to(at::kFloat).item<float>() != 512)
    throw Failure{STRATA_FAILED, fmt::format("a product in {} is wrong", precision)};
}

FileKind kind_of(const std::string& path) {
  caffe2::serialize::PyTorchStreamReader archive(path);
  FileKind kind = FileKind::Script;
  for (const std::string& name : archive.getAllRecords()) {
    if (name.find("data/aotinductor/") != name.npos) return FileKind::Package;
    if (name == "serialized_exported_program.json" || name.compare(0, 7, "models/") == 0)
      kind = FileKind::ExportedProgram;
  }
  return kind;
}

void load_usual_operators() {
  // It brings Debian's libtorch with it, and two of them in one process do not end well.
  if (::dlopen("libtorch_cpu.so.1.13", RTLD_NOW | RTLD_NOLOAD) == nullptr) return;
  constexpr const char* kFolder = "/usr/lib/python3/dist-packages/torchvision";
  std::error_code error;
  std::string why;
  for (const auto& entry : fs::directory_iterator(kFolder, error))
    if (entry.path().filename().string().compare(0, 3, "_C.") == 0)
      open_library(entry.path().string(), why);  // one for another libtorch does not open
}

}  // namespace strata::libtorch

#include "task/optimize_format.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/output_file.h"
#include "read/looks_like.h"
#include "read/registry.h"
#include "strata/read/read.h"
#include "strata/read/source.h"
#include "strata/write/onnx.h"

namespace strata {

namespace {

constexpr std::string_view kTorchscript = "torchscript";

// The engines that this machine has, and ONNX Runtime's portable optimizations.
std::vector<std::string> onnx_styles(const std::string& engine_path) {
  std::vector<std::string> names;
  for (const std::string& name : engine_names(engine_path)) {
    if (name == "fake") continue;  // measures nothing
    names.push_back(name);
    if (name == "onnxruntime") names.push_back(name + ":opt=extended");
  }
  if (names.empty()) names.emplace_back("onnxruntime");
  return names;
}

}  // namespace

bool is_torchscript(const std::string& model) {
  return Source(model).engine_format() == kTorchscript;
}

Status check_format(const std::string& model) {
  const Source file(model);
  const ModelFormat* format = file.format();
  if (format == nullptr || format->engine_format == "onnx" || is_torchscript(model) ||
      !file.status())
    return {};
  std::string advice = advice_for({{}, format->to_onnx}, file.word());
  if (format->name == "pt2")
    advice = fmt::format(
        "write one with torch 2: torch.onnx.export(torch.export.load(\"{}\"), "
        "dynamo=True).save(\"model.onnx\"); or optimize the module itself in Python: "
        "strata.optimize(module, examples)",
        file.word());
  if (advice.empty()) return {};  // weights without a network have sentences of their own
  return failure(fmt::format("{} is {}, and optimize takes ONNX and TorchScript files; {}",
                             file.word(), format->one, advice),
                 ErrorKind::Usage);
}

Status fill_engines(BenchRequest& request, bool torchscript) {
  if (torchscript && request.precisions.empty()) request.precisions = {"fp32"};
  if (!request.engines.empty()) return {};
  const std::vector<std::string> names =
      torchscript ? std::vector<std::string>{"torch:mode=eager", "torch:mode=frozen",
                                             "torch:mode=optimized"}
                  : onnx_styles(request.engine_path);
  for (const std::string& name : names) {
    auto style = parse_engine_style(name);
    if (!style) return failure(style);
    request.engines.push_back(std::move(*style));
  }
  return {};
}

Status check_model_output(const std::string& output, bool torchscript) {
  if (!torchscript) return check_writable(output, {FileForm::Onnx});
  std::error_code error;
  if (std::filesystem::exists(output, error) && std::filesystem::file_size(output, error) > 0 &&
      !is_torchscript(output))
    return failure(fmt::format("{} is not a TorchScript file; name another file", output),
                   ErrorKind::Usage);
  return check_writable(output, {FileForm::Other});
}

Status write_model(const std::string& file, const std::string& output, bool torchscript) {
  if (torchscript) {
    const Source source(file);
    if (Status status = source.status(); !status) return status;
    return write_file(output, {FileForm::Other}, source.bytes());
  }
  auto model = read_model(file);
  if (!model) return failure(model);
  return write_onnx(*model, output);
}

}  // namespace strata

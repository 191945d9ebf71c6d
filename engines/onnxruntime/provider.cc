#include "provider.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "failure.h"
#include "library.h"

namespace strata::ort {

namespace {

struct Known {
  std::string_view word;       // what users write
  std::string_view name;       // what GetAvailableProviders gives
  std::string_view append;     // what AppendExecutionProvider takes, or empty: see below
  std::string_view libraries;  // what it needs besides ONNX Runtime itself
};
constexpr Known kKnown[] = {
    {"cuda", "CUDAExecutionProvider", "",
     "libonnxruntime_providers_cuda.so beside it, and NVIDIA's driver, CUDA and cuDNN"},
    {"tensorrt", "TensorrtExecutionProvider", "",
     "libonnxruntime_providers_tensorrt.so beside it, and NVIDIA's driver, CUDA and TensorRT"},
    {"openvino", "OpenVINOExecutionProvider", "OpenVINO", "OpenVINO's libraries"},
    {"xnnpack", "XnnpackExecutionProvider", "XNNPACK", "nothing"},
    {"qnn", "QNNExecutionProvider", "QNN", "Qualcomm's libraries"},
    {"coreml", "CoreMLExecutionProvider", "CoreML", "macOS"},
    {"vitisai", "VitisAIExecutionProvider", "VitisAI", "AMD's libraries"},
    {"rocm", "ROCMExecutionProvider", "", "AMD's ROCm libraries"},
    {"migraphx", "MIGraphXExecutionProvider", "", "AMD's MIGraphX libraries"},
    {"dnnl", "DnnlExecutionProvider", "", "oneDNN"},
};

bool is_built_in(std::string_view name) {
  const std::vector<std::string> all = Ort::GetAvailableProviders();
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::string built_in_words() {
  std::vector<std::string_view> words = {"cpu"};
  for (const Known& known : kKnown)
    if (is_built_in(known.name)) words.push_back(known.word);
  return fmt::format("{}", fmt::join(words, ", "));
}

template <class Options>
void update(Options* options, const ProviderOptions& entries,
            OrtStatus* (*set)(Options*, const char* const*, const char* const*, std::size_t)) {
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : entries) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  Ort::ThrowOnError(set(options, keys.data(), values.data(), keys.size()));
}

void append_cuda(Ort::SessionOptions& session, const ProviderOptions& entries) {
  OrtCUDAProviderOptionsV2* options = nullptr;
  Ort::ThrowOnError(Ort::GetApi().CreateCUDAProviderOptions(&options));
  const std::unique_ptr<OrtCUDAProviderOptionsV2, void (*)(OrtCUDAProviderOptionsV2*)> owned(
      options, Ort::GetApi().ReleaseCUDAProviderOptions);
  update(options, entries, Ort::GetApi().UpdateCUDAProviderOptions);
  session.AppendExecutionProvider_CUDA_V2(*options);
}

void append_tensorrt(Ort::SessionOptions& session, const ProviderOptions& entries) {
  OrtTensorRTProviderOptionsV2* options = nullptr;
  Ort::ThrowOnError(Ort::GetApi().CreateTensorRTProviderOptions(&options));
  const std::unique_ptr<OrtTensorRTProviderOptionsV2, void (*)(OrtTensorRTProviderOptionsV2*)>
      owned(options, Ort::GetApi().ReleaseTensorRTProviderOptions);
  update(options, entries, Ort::GetApi().UpdateTensorRTProviderOptions);
  session.AppendExecutionProvider_TensorRT_V2(*options);
}

void append(Ort::SessionOptions& session, const Known& known, const ProviderOptions& entries) {
  if (known.word == "cuda") return append_cuda(session, entries);
  if (known.word == "tensorrt") return append_tensorrt(session, entries);
  if (known.append.empty())
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("provider {} is not one that this plugin can set up", known.word)};
  std::unordered_map<std::string, std::string> all(entries.begin(), entries.end());
  session.AppendExecutionProvider(std::string(known.append), all);
}

// True if the provider computes in a precision of its own choice; sets it.
bool take_precision(const Known& known, const std::string& precision, ProviderOptions& options) {
  if (precision.empty()) return false;
  if (known.word == "tensorrt") {
    if (precision == "fp16") options.try_emplace("trt_fp16_enable", "1");
    if (precision == "bf16") options.try_emplace("trt_bf16_enable", "1");
    if (precision == "int8") options.try_emplace("trt_int8_enable", "1");
    return true;
  }
  if (known.word == "openvino" && (precision == "fp32" || precision == "fp16")) {
    options.try_emplace("precision", precision == "fp16" ? "FP16" : "FP32");
    return true;
  }
  return false;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != line.npos)
        return line.substr(colon + 2);
  return "";
}

}  // namespace

bool add_provider(Ort::SessionOptions& session, const std::string& device,
                  const std::string& provider, const std::string& precision,
                  const ProviderOptions& options) {
  const std::size_t colon = std::min(device.find(':'), device.size());
  const std::string kind = device.substr(0, colon);
  const std::string number = device.substr(std::min(colon + 1, device.size()));
  std::string word = provider.empty() ? kind : provider;
  if (word.empty()) word = "cpu";
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word == "cpu") {
    if (!kind.empty() && kind != "cpu")
      throw Failure{STRATA_UNSUPPORTED,
                    fmt::format("provider cpu does not run on the device {}", device)};
    return false;
  }
  // If this one fails to start, the process crashes when it ends (1.27.0).
  if (word == "webgpu")
    throw Failure{STRATA_UNSUPPORTED, "WebGPU is not offered: where it cannot start it crashes"};
  const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown),
                                   [&](const Known& k) { return k.word == word; });
  if (known == std::end(kKnown) || !is_built_in(known->name))
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("ONNX Runtime {} in {} is built without {}; it has {}. Set "
                              "STRATA_ONNXRUNTIME to a build that has it",
                              library().release, library().path, word, built_in_words())};
  ProviderOptions all = options;
  if (!number.empty()) all.try_emplace("device_id", number);
  const bool takes = take_precision(*known, precision, all);
  try {
    append(session, *known, all);
  } catch (const Ort::Exception& thrown) {
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("{} does not start with ONNX Runtime in {}: {}. {} needs {}", word,
                              library().path, explain(thrown).message, word, known->libraries)};
  }
  return takes;
}

std::vector<Device> working_devices() {
  std::vector<Device> devices = {{"cpu", processor_name()}};
  for (const Known& known : kKnown) {
    if (!is_built_in(known.name) || known.word == "tensorrt") continue;
    try {
      Ort::SessionOptions options;
      const std::string word(known.word);
      add_provider(options, word == "cuda" ? "cuda:0" : "", word == "cuda" ? "" : word, "", {});
      devices.push_back({word == "cuda" ? "cuda:0" : word, ""});
    } catch (const Failure&) {  // not here; a provider that was asked for by name gets the sentence
    }
  }
  return devices;
}

}  // namespace strata::ort

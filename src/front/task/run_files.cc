#include "task/run_files.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace strata {

namespace {

using Setting = std::pair<std::string, std::string>;

// The settings of an engine, in the words of its own interface.
struct EngineSettings {
  std::vector<Setting> entries;  // names and values
  std::string level;             // of ONNX Runtime
};

std::string level_name(StrataOptimization level) {
  switch (level) {
    case STRATA_OPT_NONE:
      return "ORT_DISABLE_ALL";
    case STRATA_OPT_BASIC:
      return "ORT_ENABLE_BASIC";
    case STRATA_OPT_EXTENDED:
      return "ORT_ENABLE_EXTENDED";
    default:
      return "ORT_ENABLE_ALL";
  }
}

// `config.KEY=VALUE` becomes an entry as it is; nullopt for an option that is unknown here.
std::optional<EngineSettings> settings_of(const Variant& variant) {
  const SessionOptions& session = variant.session;
  const bool openvino = variant.engine == "openvino";
  if (!openvino && variant.engine != "onnxruntime") return std::nullopt;
  if ((!session.device.empty() && session.device != "cpu") ||
      (!session.provider.empty() && session.provider != "cpu"))
    return std::nullopt;
  EngineSettings out{{}, level_name(session.optimization)};
  std::string hint = "LATENCY";
  for (const std::string& option : session.options) {
    const std::size_t equals = option.find('=');
    if (equals == option.npos) return std::nullopt;
    const std::string key = option.substr(0, equals), value = option.substr(equals + 1);
    constexpr std::string_view kConfig = "config.";
    if (key.starts_with(kConfig))
      out.entries.emplace_back(key.substr(kConfig.size()), value);
    else if (openvino && key == "hint")
      hint = value == "throughput" ? "THROUGHPUT" : "LATENCY";
    else if (openvino && key == "streams")
      out.entries.emplace_back("NUM_STREAMS", value);
    else if (!openvino && key == "spin")
      out.entries.emplace_back("session.intra_op.allow_spinning", value);
    else
      return std::nullopt;
  }
  if (!openvino) return out;
  const std::string& precision = session.precision;
  out.entries.emplace_back("PERFORMANCE_HINT", hint);
  // Left to itself, OpenVINO computes in bf16 or f16 where the processor can.
  out.entries.emplace_back("INFERENCE_PRECISION_HINT", precision == "bf16"   ? "bf16"
                                                       : precision == "fp16" ? "f16"
                                                                             : "f32");
  if (session.threads > 0)
    out.entries.emplace_back("INFERENCE_NUM_THREADS", std::to_string(session.threads));
  return out;
}

std::string entry_lines(const EngineSettings& settings, fmt::string_view line) {
  std::string out;
  for (const auto& [name, value] : settings.entries)
    out += fmt::format(fmt::runtime(line), string_literal(name), string_literal(value));
  return out;
}

constexpr const char* kPythonOrt = R"(import os
import pathlib
import time

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import numpy
import onnxruntime

options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.{level}
options.intra_op_num_threads = {threads}
options.inter_op_num_threads = 1
{entries}file = pathlib.Path(__file__).resolve().with_name({file})
# To open it in less time, on this processor and with this release alone: let ONNX Runtime write its optimized
# graph once (options.optimized_model_filepath = "here.onnx"), and open that file with ORT_DISABLE_ALL.
session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])

TYPES = {{"float": "float32", "double": "float64"}}  # the others are called as in numpy
inputs = {{}}
for each in session.get_inputs():  # your own arrays go here; sizes that are open are 1
    shape = [size if isinstance(size, int) and size > 0 else 1 for size in each.shape]
    inputs[each.name] = numpy.zeros(shape, TYPES.get(each.type[7:-1], each.type[7:-1]))


def run():
    return session.run(None, inputs)


names = [each.name for each in session.get_outputs()]
)";

constexpr const char* kPythonOpenVino = R"(import pathlib
import time

import numpy
import openvino

core = openvino.Core()
file = pathlib.Path(__file__).resolve().with_name({file})
settings = {{
{entries}}}
model = core.compile_model(core.read_model(str(file)), "CPU", settings)
request = model.create_infer_request()

inputs = {{}}
for number, each in enumerate(model.inputs):  # your own arrays go here; sizes that are open are 1
    shape = [size.get_length() if size.is_static else 1 for size in each.partial_shape]
    inputs[number] = numpy.zeros(shape, each.element_type.to_dtype())


def run():
    return [array.copy() for array in request.infer(inputs).values()]


names = [each.any_name for each in model.outputs]
)";

constexpr const char* kPythonEnd = R"(
outputs = run()
for name, output in zip(names, outputs):
    print(name, output.dtype, output.shape)
times = []
for _ in range(10):
    start = time.perf_counter()
    run()
    times.append(time.perf_counter() - start)
print(f"{1000 * sorted(times)[len(times) // 2]:.3f} ms")
)";

constexpr const char* kCppOrt = R"(//
//   g++ -O2 -std=c++17 -I INCLUDE {source} -L LIB -lonnxruntime -Wl,-rpath,LIB -o run
//
// INCLUDE and LIB are those of a release of ONNX Runtime. The model is looked for in the folder that the
// program is started in.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <onnxruntime_cxx_api.h>

int main() {{
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR);
  Ort::SessionOptions options;
  options.SetGraphOptimizationLevel({level});
  options.SetIntraOpNumThreads({threads});
  options.SetInterOpNumThreads(1);
{entries}  Ort::Session session(env, {file}, options);

  Ort::AllocatorWithDefaultOptions allocator;
  std::vector<std::string> names;
  std::vector<Ort::Value> inputs;
  for (size_t i = 0; i < session.GetInputCount(); ++i) {{
    names.push_back(session.GetInputNameAllocated(i, allocator).get());
    const Ort::TypeInfo type = session.GetInputTypeInfo(i);
    std::vector<int64_t> shape = type.GetTensorTypeAndShapeInfo().GetShape();
    for (int64_t& size : shape)
      if (size < 1) size = 1;  // a size that is open
    inputs.push_back(Ort::Value::CreateTensor(allocator, shape.data(), shape.size(),
                                              type.GetTensorTypeAndShapeInfo().GetElementType()));
    const size_t count = inputs.back().GetTensorTypeAndShapeInfo().GetElementCount();
    // Your own elements go here.
    if (type.GetTensorTypeAndShapeInfo().GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)
      for (size_t j = 0; j < count; ++j) inputs.back().GetTensorMutableData<float>()[j] = 0;
    if (type.GetTensorTypeAndShapeInfo().GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64)
      for (size_t j = 0; j < count; ++j) inputs.back().GetTensorMutableData<int64_t>()[j] = 0;
  }}
  std::vector<std::string> outputs;
  for (size_t i = 0; i < session.GetOutputCount(); ++i)
    outputs.push_back(session.GetOutputNameAllocated(i, allocator).get());
  std::vector<const char*> input_names, output_names;
  for (const std::string& name : names) input_names.push_back(name.c_str());
  for (const std::string& name : outputs) output_names.push_back(name.c_str());

  for (int run = 0; run < 11; ++run) {{
    const auto start = std::chrono::steady_clock::now();
    const auto results = session.Run(Ort::RunOptions{{nullptr}}, input_names.data(), inputs.data(),
                                     inputs.size(), output_names.data(), output_names.size());
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (run > 0) std::printf("%.3f ms, %zu outputs\n", time.count(), results.size());
  }}
}}
)";

constexpr const char* kCppOpenVino = R"(//
//   g++ -O2 -std=c++17 -I PACKAGE/include {source} PACKAGE/libs/libopenvino.so.* -Wl,-rpath,PACKAGE/libs -o run
//
// PACKAGE is the folder `openvino` that pip installed. The model is looked for in the folder that the
// program is started in.
#include <chrono>
#include <cstdio>
#include <cstring>

#include <openvino/openvino.hpp>

int main() {{
  ov::Core core;
  ov::AnyMap settings;
{entries}  ov::CompiledModel model = core.compile_model(core.read_model({file}), "CPU", settings);
  ov::InferRequest request = model.create_infer_request();
  for (size_t i = 0; i < model.inputs().size(); ++i) {{
    ov::Shape shape;
    for (const auto& size : model.input(i).get_partial_shape())
      shape.push_back(size.is_static() ? static_cast<size_t>(size.get_length()) : 1);
    ov::Tensor tensor(model.input(i).get_element_type(), shape);
    std::memset(tensor.data(), 0, tensor.get_byte_size());  // your own elements go here
    request.set_input_tensor(i, tensor);
  }}
  for (int run = 0; run < 11; ++run) {{
    const auto start = std::chrono::steady_clock::now();
    request.infer();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (run > 0) std::printf("%.3f ms, %zu outputs\n", time.count(), model.outputs().size());
  }}
}}
)";

}  // namespace

std::string string_literal(std::string_view text) {
  std::string out = "\"";  // octal escapes mean the same in both languages
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f || c == '?')  // `?`: trigraphs of older compilers
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out + "\"";
}

std::string program_head(const Variant& variant, std::string_view comment) {
  std::string label = variant.label();  // has words of the user's, but no second line
  std::replace_if(
      label.begin(), label.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return fmt::format("{} It runs the model as it was measured:\n{} {}.\n", comment,
                     comment.substr(0, comment.find(' ')), label);
}

std::optional<RunFiles> run_files(const Variant& variant, std::string_view file) {
  if (variant.engine == "torch") return run_torch(variant, file);
  const auto settings = settings_of(variant);
  if (!settings) return std::nullopt;
  const bool openvino = variant.engine == "openvino";
  const auto filled = [&](const char* text, fmt::string_view entry) {
    return fmt::format(fmt::runtime(text), fmt::arg("file", string_literal(file)),
                       fmt::arg("level", settings->level),
                       fmt::arg("threads", variant.session.threads),
                       fmt::arg("source", string_literal(std::string(file) + ".run.cc")),
                       fmt::arg("entries", entry_lines(*settings, entry)));
  };
  RunFiles out;
  out.python = program_head(variant, kRunPython) +
               (openvino ? filled(kPythonOpenVino, "    {}: {},\n")
                         : filled(kPythonOrt, "options.add_session_config_entry({}, {})\n")) +
               kPythonEnd;
  out.cpp = program_head(variant, kRunCpp) +
            (openvino ? filled(kCppOpenVino, "  settings[{}] = std::string({});\n")
                      : filled(kCppOrt, "  options.AddConfigEntry({}, {});\n"));
  return out;
}

}  // namespace strata

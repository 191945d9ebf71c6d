#include "read/looks_like.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <utility>

namespace strata {

namespace {

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  Guess guess;
};

using namespace std::string_view_literals;

constexpr std::string_view kSaveAsOnnx = "export it to ONNX first";
// Advice has words in capital letters in place of the file, its folder and its name (advice_for).
constexpr std::string_view kKerasAdvice =
    "convert it with `python -m tf2onnx.convert --keras FILE --output model.onnx`";
constexpr std::string_view kNewKerasAdvice =
    "convert it in Python with keras.saving.load_model('FILE').export('model.onnx', "
    "format='onnx')";
constexpr std::string_view kEngineAdvice = "give the ONNX file that it was built from";
constexpr std::string_view kTorchAdvice =
    "load it in PyTorch and save it with torch.export.save as .pt2, or with torch.onnx.export";

constexpr std::string_view kSavedModelAdvice =
    "convert its folder with `python -m tf2onnx.convert --saved-model FOLDER --output model.onnx`";
constexpr std::string_view kCoreMlAdvice =
    "nothing converts it to ONNX; give the PyTorch, TensorFlow or ONNX model that it was made from";
constexpr std::string_view kPaddleAdvice =
    "convert it with `paddle2onnx --model_dir FOLDER --model_filename NAME --params_filename "
    "STEM.pdiparams --save_file model.onnx`";
constexpr std::string_view kTfjsAdvice =
    "convert it with `python -m tf2onnx.convert --tfjs FILE --output model.onnx`";
constexpr std::string_view kStableHloAdvice =
    "save the network as ONNX, or as .pt2 with torch.export.save, from where it was written";
constexpr std::string_view kCaffeAdvice =
    "convert it with `python -m caffe2onnx.convert --prototxt FILE --caffemodel WEIGHTS --onnx "
    "model.onnx`";
constexpr std::string_view kNcnnAdvice = "give the .param file beside it, which is a text";

// Longer and rarer signatures come first.
constexpr Signature kSignatures[] = {
    {0,
     "version https://git-lfs.github.com/spec/"sv,
     {"a Git LFS pointer, not the file itself", "fetch it with `git lfs pull`"}},
    {0, "\x89PNG\r\n\x1a\n"sv, {"a PNG image", ""}},
    {0, "\x89HDF\r\n\x1a\n"sv, {"an HDF5 file, perhaps a Keras model", kKerasAdvice}},
    {0, "\xff\xd8\xff"sv, {"a JPEG image", ""}},
    {0, "GIF8"sv, {"a GIF image", ""}},
    {0, "%PDF-"sv, {"a PDF document", ""}},
    {0,
     "\x7f"
     "ELF"sv,
     {"a program or library", ""}},
    {0, "\x93NUMPY"sv, {"a NumPy array", ""}},
    {0, "GGUF"sv, {"a GGUF model", kSaveAsOnnx}},
    {0, "ftrt"sv, {"a TensorRT engine", kEngineAdvice}},
    {0, "ptrt"sv, {"a TensorRT engine", kEngineAdvice}},
    {0, "RKNN"sv, {"an RKNN model of Rockchip's", kEngineAdvice}},
    {0,
     "\x01"
     "HEF"sv,
     {"a Hailo program (.hef)", kEngineAdvice}},
    {0, "ML\xefR"sv, {"MLIR bytecode, perhaps StableHLO", kStableHloAdvice}},
    {0, "\xdd\x85\x76\0"sv, {"an ncnn network in binary form (.param.bin)", kNcnnAdvice}},
    // The first block of a program: its number is 0, and that of its parent -1.
    {2,
     "\x08\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,
     {"a PaddlePaddle model (.pdmodel)", kPaddleAdvice}},
    {3,
     "\x08\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,
     {"a PaddlePaddle model (.pdmodel)", kPaddleAdvice}},
    {4,
     "\x08\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,
     {"a PaddlePaddle model (.pdmodel)", kPaddleAdvice}},
    {5,
     "\x08\0\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,
     {"a PaddlePaddle model (.pdmodel)", kPaddleAdvice}},
    {4,
     "ORTM"sv,
     {"a model in ONNX Runtime's own format (.ort)", "give the .onnx file it was made from"}},
    {0, "\x1f\x8b"sv, {"a gzip archive", "unpack it first"}},
    {0,
     "\xfd"
     "7zXZ"sv,
     {"an xz archive", "unpack it first"}},
    {0, "\x28\xb5\x2f\xfd"sv, {"a zstd archive", "unpack it first"}},
    {0, "7z\xbc\xaf\x27\x1c"sv, {"a 7-Zip archive", "unpack it first"}},
    {257, "ustar"sv, {"a tar archive", "unpack it first"}},
    {0, "\x80\x02\x8a\nl\xfc\x9c"sv, {"a PyTorch file of the old format", kTorchAdvice}},
    {0, "\x80\x02"sv, {"a Python pickle, perhaps PyTorch weights", kTorchAdvice}},
    {0, "\x80\x03"sv, {"a Python pickle", kSaveAsOnnx}},
    {0, "\x80\x04"sv, {"a Python pickle", kSaveAsOnnx}},
    {8, "{\""sv, {"a safetensors file, which holds weights and no network", kSaveAsOnnx}},
};

constexpr std::size_t npos = std::string_view::npos;

bool has(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == b;
         }) != text.end();
}

// PyTorch's archives start with an uncompressed entry, whose name identifies them.
Guess zip(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 4096);
  if (has(start, "/data.pkl") || has(start, "/constants.pkl") || has(start, "/version"))
    return {"a PyTorch file (.pt, .pth)", kTorchAdvice};
  if (has(start, "metadata.json") || has(start, "model.weights.h5"))
    return {"a zip archive, perhaps a Keras model", kNewKerasAdvice};
  return {"a zip archive", "unpack it first"};
}

// Skips a number of a protocol buffer; false if the bytes end before it does.
bool skip_varint(std::string_view bytes, std::size_t& at) {
  while (at < bytes.size() && (static_cast<unsigned char>(bytes[at]) & 0x80) != 0) ++at;
  return ++at < bytes.size();
}

}  // namespace

std::string advice_for(const Guess& guess, const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path file = path;
  const bool is_folder = std::filesystem::is_directory(file, ignored);
  std::string folder = is_folder ? path : file.parent_path().string();
  if (folder.empty()) folder = ".";
  const std::pair<std::string_view, std::string> kWords[] = {
      {"FILE", path},
      {"FOLDER", folder},
      {"NAME", is_folder ? "inference.pdmodel" : file.filename().string()},
      {"STEM", is_folder ? "inference" : file.stem().string()},
  };
  // A path that a shell would take apart stays a word in capital letters.
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 || std::string_view("_-./+@%:,").find(c) != npos;
  };
  std::string text(guess.advice);
  for (const auto& [word, value] : kWords)
    if (const std::size_t at = text.find(word);
        at != npos && std::all_of(value.begin(), value.end(), is_plain))
      text.replace(at, word.size(), value);
  return text;
}

bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

Guess looks_like_relative_of_onnx(std::string_view bytes) {
  // A version, and then a message where ONNX has the name of a program. Its first field is the
  // description of an input (Core ML), or what the graph was made with (SavedModel).
  constexpr char kVersion = 0x08, kSecond = 0x12, kFirst = 0x0a;
  const std::string_view start = bytes.substr(0, 64);
  std::size_t at = 1;
  if (start.size() < 8 || start[0] != kVersion || !skip_varint(start, at)) return {};
  if (start[at++] != kSecond || !skip_varint(start, at)) return {};
  if (start[at++] != kFirst || !skip_varint(start, at)) return {};
  if (start[at] == kFirst) return {"a Core ML model (.mlmodel)", kCoreMlAdvice};
  if (start[at] == kSecond) return {"a TensorFlow SavedModel", kSavedModelAdvice};
  return {};
}

Guess looks_like_folder(const std::string& path) {
  constexpr std::pair<const char*, Guess> kNames[] = {
      {"saved_model.pb", {"a TensorFlow SavedModel", kSavedModelAdvice}},
      {"Data/com.apple.CoreML", {"a Core ML package (.mlpackage)", kCoreMlAdvice}},
      {"inference.pdmodel", {"a PaddlePaddle model", kPaddleAdvice}},
  };
  std::error_code ignored;
  for (const auto& [name, guess] : kNames)
    if (std::filesystem::exists(std::filesystem::path(path) / name, ignored)) return guess;
  return {};
}

Guess looks_like(std::string_view bytes) {
  if (bytes.starts_with("PK\x03\x04")) return zip(bytes);
  if (const Guess guess = looks_like_relative_of_onnx(bytes); !guess.what.empty()) return guess;
  for (const Signature& signature : kSignatures)
    if (bytes.size() >= signature.offset + signature.bytes.size() &&
        bytes.substr(signature.offset, signature.bytes.size()) == signature.bytes)
      return signature.guess;
  const std::string_view start = bytes.substr(0, 512);
  if (!is_text(start)) return {};
  if (has(start, "<!doctype html") || has(start, "<html"))
    return {"a web page", "the download saved an error or login page in place of the model"};
  if (has(start, "<?xml")) return {"an XML file, but no network of OpenVINO", ""};
  if (has(start, "stablehlo.") || has(start, "func.func"))
    return {"an MLIR text, perhaps StableHLO", kStableHloAdvice};
  if (has(start, "\"modeltopology\"") || has(start, "\"graph-model\"") ||
      has(start, "\"layers-model\""))
    return {"a TensorFlow.js model (model.json)", kTfjsAdvice};
  if (has(start, "\"magic\":\"pir\"")) return {"a PaddlePaddle model (.json)", kPaddleAdvice};
  if (has(start, "[net]") || has(start, "[convolutional]"))
    return {"a Darknet configuration (.cfg)", kSaveAsOnnx};
  if (has(start, "layer {") || has(start, "layers {"))
    return {"a Caffe network (.prototxt)", kCaffeAdvice};
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (start[first] == '{' || start[first] == '['))
    return {"a JSON file", ""};
  return {"a text file", ""};
}

}  // namespace strata

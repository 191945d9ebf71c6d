#include "read/looks_like.h"

#include <algorithm>
#include <cctype>

namespace strata {

namespace {

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  Guess guess;
};

using namespace std::string_view_literals;

constexpr std::string_view kSaveAsOnnx = "export it to ONNX first";
constexpr std::string_view kTorchAdvice =
    "load it in PyTorch and save it with torch.export.save as .pt2, or with torch.onnx.export";

// Longer and rarer signatures come first.
constexpr Signature kSignatures[] = {
    {0,
     "version https://git-lfs.github.com/spec/"sv,
     {"a Git LFS pointer, not the file itself", "fetch it with `git lfs pull`"}},
    {0, "\x89PNG\r\n\x1a\n"sv, {"a PNG image", ""}},
    {0, "\x89HDF\r\n\x1a\n"sv, {"an HDF5 file, perhaps a Keras model", kSaveAsOnnx}},
    {0, "\xff\xd8\xff"sv, {"a JPEG image", ""}},
    {0, "GIF8"sv, {"a GIF image", ""}},
    {0, "%PDF-"sv, {"a PDF document", ""}},
    {0,
     "\x7f"
     "ELF"sv,
     {"a program or library", ""}},
    {0, "\x93NUMPY"sv, {"a NumPy array", ""}},
    {0, "GGUF"sv, {"a GGUF model", kSaveAsOnnx}},
    {4, "TFL3"sv, {"a TensorFlow Lite model", kSaveAsOnnx}},
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
    return {"a zip archive, perhaps a Keras model", kSaveAsOnnx};
  return {"a zip archive", "unpack it first"};
}

}  // namespace

bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

Guess looks_like(std::string_view bytes) {
  if (bytes.starts_with("PK\x03\x04")) return zip(bytes);
  for (const Signature& signature : kSignatures)
    if (bytes.size() >= signature.offset + signature.bytes.size() &&
        bytes.substr(signature.offset, signature.bytes.size()) == signature.bytes)
      return signature.guess;
  const std::string_view start = bytes.substr(0, 512);
  if (!is_text(start)) return {};
  if (has(start, "<!doctype html") || has(start, "<html"))
    return {"a web page", "the download saved an error or login page in place of the model"};
  if (has(start, "<?xml")) return {"an XML file, perhaps an OpenVINO model", kSaveAsOnnx};
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (start[first] == '{' || start[first] == '['))
    return {"a JSON file", ""};
  return {"a text file", ""};
}

}  // namespace strata

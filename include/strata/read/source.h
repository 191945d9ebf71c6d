// A model as its user names it: a file, a Hugging Face folder, a network of the zoo. Every question
// about it is answered from one look at it, and its file is opened once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "strata/base/result.h"

namespace strata {

// Networks of the zoo are named `zoo:NAME?…`.
inline constexpr std::string_view kZooPrefix = "zoo:";

enum class SourceKind : std::uint8_t {
  Graph,    // a file that states its network: ONNX, .pt2, a recording
  Code,     // a file that an engine has to run before its network is known: TorchScript
  Weights,  // a file of weights without a network
  Built,    // strata builds the network: zoo:NAME, a Hugging Face folder
  Several,  // a folder of models, or a pattern such as `models/*.onnx`
  Unknown,  // a file in no format of models, or one that cannot be opened
};

// The elements that a model is run with.
enum class SourceWeights : std::uint8_t { Stored, Random, None };

struct ModelFormat;

class Source {
 public:
  Source() = default;
  // Nothing is opened before the first question. Copies share the answer.
  Source(std::string word);                   // NOLINT(google-explicit-constructor)
  Source(const char* word);                   // NOLINT(google-explicit-constructor)
  Source(const std::filesystem::path& word);  // NOLINT(google-explicit-constructor)

  // The word that the user wrote; errors name the model by it.
  const std::string& word() const;
  bool empty() const { return word().empty(); }
  // `resnet50` for `zoo:resnet50` and for `models/resnet50.onnx`.
  std::string short_name() const;

  SourceKind kind() const;
  bool is_built() const { return kind() == SourceKind::Built; }
  bool is_code() const { return kind() == SourceKind::Code; }
  bool is_weights() const { return kind() == SourceKind::Weights; }
  bool is_zoo() const { return word().starts_with(kZooPrefix); }
  // True if reading it gives a network.
  bool has_graph() const;
  // `onnx`, `torchscript`: the format that an engine has to open for it. Empty: no engine can.
  std::string_view engine_format() const;
  SourceWeights weights() const;
  // The row of the registry; null if there is none.
  const ModelFormat* format() const;

  // Says why its file cannot be opened.
  Status status() const;
  // The file, mapped. Empty for what is not a file.
  std::string_view bytes() const;
  std::shared_ptr<const void> backing() const;  // keeps the bytes mapped

 private:
  struct Opened;
  const Opened& opened() const;
  std::shared_ptr<Opened> opened_;
};

// Opens it: a path, a Hugging Face folder, `zoo:NAME`, `memory:NAME`, or `-` for standard input.
// Fails if a file cannot be opened. A file in no format of models is of the kind Unknown, because
// it may be a saved result.
Result<Source> open_source(std::string word);

}  // namespace strata

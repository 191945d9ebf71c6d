// Packages of AOTInductor: machine code that PyTorch's compiler made of an exported program.
#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <cstdlib>

#include <fmt/format.h>
#include <torch/version.h>

#include "failure.h"
#include "program.h"

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 6)
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

namespace strata::libtorch {

namespace {

// The leaves of the tree that describes the inputs; the first text of the specification is theirs.
std::size_t inputs_wanted(const std::vector<std::string>& specification) {
  constexpr std::string_view kLeaf = "\"type\": null";
  if (specification.empty()) return 0;
  std::size_t count = 0;
  for (std::size_t at = 0; (at = specification[0].find(kLeaf, at)) != std::string::npos; ++at)
    ++count;
  return count;
}

// A package is a library that takes libtorch's functions from the process, where they have to be
// seen by all.
void show_libtorch() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&at::set_num_threads), &info) != 0)
    ::dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

class Package : public Program {
 public:
  explicit Package(const std::string& path) : loader_(path) {}

  // The package knows how many there are, but not what they are called.
  const std::vector<Parameter>& parameters() const override { return parameters_; }

  // Machine code does not look at what it is given: another number of tensors, or another shape,
  // would be read beyond its end.
  void bind(std::span<const StrataTensor> inputs) override {
    inputs_.clear();
    for (const NamedTensor& input : tensors_of(inputs)) inputs_.push_back(input.tensor);
    const std::size_t wanted = inputs_wanted(loader_.get_call_spec());
    if (inputs_.size() != wanted)
      throw Failure{STRATA_WRONG_INPUT,
                    fmt::format("tensors given: {}; the package takes {}", inputs_.size(), wanted)};
    ::setenv("AOTI_RUNTIME_CHECK_INPUTS", "1", 1);
    try {
      loader_.run(inputs_);
    } catch (...) {
      ::unsetenv("AOTI_RUNTIME_CHECK_INPUTS");
      throw Failure{STRATA_WRONG_INPUT, explain_current().message};
    }
    ::unsetenv("AOTI_RUNTIME_CHECK_INPUTS");
  }

  c10::IValue run() override {
    const at::NoGradGuard no_gradients;
    std::vector<at::Tensor> outputs = loader_.run(inputs_);
    if (outputs.size() == 1) return std::move(outputs[0]);
    return c10::IValue(std::move(outputs));
  }

  std::int64_t weight_bytes() const override { return -1; }

  Recording record(Tape&, decltype(StrataOpen::knows)) override {
    throw Failure{STRATA_UNSUPPORTED,
                  "it is machine code that AOTInductor made, which has no layers; profile the "
                  "exported program that it was made of"};
  }

 private:
  torch::inductor::AOTIModelPackageLoader loader_;
  std::vector<Parameter> parameters_;
  std::vector<at::Tensor> inputs_;
};

}  // namespace

std::unique_ptr<Program> open_package(const std::string& path, const ProgramOptions& options) {
  if (options.instrumented)
    throw Failure{STRATA_UNSUPPORTED,
                  fmt::format("{}: AOTInductor's machine code has no layers to time; time the "
                              "TorchScript file, or leave the layers out",
                              path)};
  if (options.bf16)
    throw Failure{
        STRATA_UNSUPPORTED,
        fmt::format("{}: a package computes in the types that it was compiled for; compile "
                    "one in bf16",
                    path)};
  show_libtorch();
  return std::make_unique<Package>(path);
}

}  // namespace strata::libtorch

#else

namespace strata::libtorch {

std::unique_ptr<Program> open_package(const std::string& path, const ProgramOptions&) {
  throw Failure{STRATA_UNSUPPORTED,
                fmt::format("{}: PyTorch {} does not run AOTInductor's packages; 2.6 and newer do",
                            path, TORCH_VERSION)};
}

}  // namespace strata::libtorch

#endif

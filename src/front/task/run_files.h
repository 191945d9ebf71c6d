// Programs that run a model the way a variant of it was measured: `strata optimize` writes them
// beside the model.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strata/bench/variant.h"

namespace strata {

struct RunFiles {
  std::string python, cpp;
};

// `file` is the model's name in the folder of the programs. Nullopt if the engine has no interface
// that they could use, or the variant ran on another device than the processor.
std::optional<RunFiles> run_files(const Variant& variant, std::string_view file);

// Like run_files(), for PyTorch's engine in the variant's mode.
std::optional<RunFiles> run_torch(const Variant& variant, std::string_view file);

// A literal of Python and of C++.
std::string string_literal(std::string_view text);
// The first two lines of a program: `comment`, and the variant.
std::string program_head(const Variant& variant, std::string_view comment);

// The first bytes of such a program, by which strata knows that it wrote it.
inline constexpr std::string_view kRunPython = "# Written by strata optimize.";
inline constexpr std::string_view kRunCpp = "// Written by strata optimize.";

}  // namespace strata

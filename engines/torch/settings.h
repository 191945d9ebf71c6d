// The checked request for a session.
#pragma once

#include "program.h"
#include "strata/engine/plugin.h"

namespace strata::libtorch {

struct Settings {
  ProgramOptions program;
  int threads = 0;            // 0: as libtorch has them
  std::string package, bf16;  // compiled packages to run in place of the file; the second in bf16
  bool trace_time = false, trace_memory = false;
  decltype(StrataOpen::knows) knows = nullptr;
};

// Throws a Failure at a device, a provider, a precision or an option that there is not. Opens the
// libraries that options name.
Settings settings_of(const StrataOpen& open);

// Throws a Failure if the precision cannot be computed in on this device.
void probe(const char* device, const char* precision);

// The kind of a file.
enum class FileKind { Script, Package, ExportedProgram };
FileKind kind_of(const std::string& path);

// Opens the library with torchvision's operators where Debian installs it, if this is Debian's
// libtorch.
void load_usual_operators();

}  // namespace strata::libtorch

// Loops that do nothing but arithmetic in registers, one for each set of instructions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace strata {

enum class PeakKind : std::uint8_t { Fp32, Bf16, Int8 };

struct PeakKernel {
  std::string_view name;  // of the instruction set
  PeakKind kind;
  bool (*available)();
  // Runs this many rounds; returns something that depends on every round.
  float (*run)(std::int64_t rounds);
  double operations_per_round;
};

// Widest first within a kind.
std::span<const PeakKernel> peak_kernels();

}  // namespace strata

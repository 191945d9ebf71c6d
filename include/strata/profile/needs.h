// The sources of a column's numbers. A column states its needs, an analysis states what it has, and
// a table has the columns for which both agree.
#pragma once

#include <cstdint>

namespace strata {

enum class Need : std::uint8_t {
  // Counted, if the counting convention counts it.
  Macs,
  Flops,
  ReadBytes,
  WriteBytes,
  Energy,
  LoadWork,  // of work on constants, which is done once when the model is loaded
  // Simulated, if it was asked for (AnalysisOptions::device_memory).
  CudaMemory,  // an eager run on a device
  Alive,       // the activations that are alive at each layer
  Formulas,    // of the work of each layer
  Phases,      // the model says which nodes are of a backward pass or an optimizer
  // Measured or asked of an engine (Measurements).
  Time,
  Memory,
  Kernels,  // which kernels run, and in which precision
  Roofline,
  Hash,  // of the graph: no column, but a document that is saved states it
};

class Needs {
 public:
  constexpr Needs() = default;
  constexpr Needs(Need need)  // NOLINT(google-explicit-constructor)
      : bits_(1U << static_cast<unsigned>(need)) {}

  static constexpr Needs all() { return Needs(~0U); }
  // The metrics that a convention counts. It may lack some; their cells are then empty.
  static constexpr Needs counted() { return Needs(0xfU); }

  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(Needs others) const { return (others.bits_ & ~bits_) == 0; }
  constexpr Needs without(Needs others) const { return Needs(bits_ & ~others.bits_); }
  constexpr Needs& operator|=(Needs others) {
    bits_ |= others.bits_;
    return *this;
  }
  constexpr bool operator==(const Needs&) const = default;
  // The first in the order of the enum; not for an empty set.
  constexpr Need first() const {
    unsigned at = 0;
    while (((bits_ >> at) & 1U) == 0) ++at;
    return static_cast<Need>(at);
  }

 private:
  explicit constexpr Needs(unsigned bits) : bits_(bits) {}
  unsigned bits_ = 0;
};

constexpr Needs operator|(Needs a, Needs b) { return a |= b; }
constexpr Needs operator|(Need a, Need b) { return Needs(a) | Needs(b); }

}  // namespace strata

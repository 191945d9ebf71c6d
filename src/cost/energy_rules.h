// data/energy.json as it is kept.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/formula.h"
#include "strata/cost/energy.h"

namespace strata {

// What the formulas of a model may use, before its own constants.
enum class EnergyFact : std::uint8_t {
  macs,
  adds,
  muls,
  specials,
  flops,
  read,
  write,  // elements
  words,  // of 32 bits, read and written
  add,
  mul,  // picojoules of one operation of the layer's type
  register_,
  l1,
  l2,
  sram,
  dram,  // picojoules of one access to 32 bits
  kCount,
};
inline constexpr std::size_t kEnergyFacts = static_cast<std::size_t>(EnergyFact::kCount);
extern const std::array<std::string_view, kEnergyFacts> kEnergyFactNames;

struct EnergyFigures {
  std::array<std::optional<OperationEnergy>, kDTypeCount> operations;  // by DType
  std::array<Amount, 5> accesses;                                      // register to DRAM
};

struct EnergyRules {
  std::string name, title;
  std::vector<std::string> notes;
  std::vector<std::string> counts;  // conventions it works on, the usual one first
  std::vector<std::string> constant_names;
  std::vector<Amount> constants;
  std::vector<std::string> terms;
  std::vector<Formula> formulas;
  EnergyFigures figures;
};

// The built-in file, or the sentence that says what is wrong with it.
Result<EnergyFigures> energy_figures();

}  // namespace strata

// The internal form of data/energy.json.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/formula.h"
#include "strata/cost/energy.h"

namespace strata {

// The facts that the formulas of a model may use, in addition to its own constants.
enum class EnergyFact : std::uint8_t {
  macs,
  adds,
  muls,
  specials,
  flops,
  read,
  write,  // elements
  words,  // 32-bit words, read and written
  add,
  mul,  // picojoules per operation in the layer's type
  register_,
  l1,
  l2,
  sram,
  dram,  // picojoules per 32-bit access
  kCount,
};
inline constexpr std::size_t kEnergyFacts = static_cast<std::size_t>(EnergyFact::kCount);
extern const std::array<std::string_view, kEnergyFacts> kEnergyFactNames;

struct EnergyFigures {
  std::array<std::optional<OperationEnergy>, kDTypeCount> operations;  // indexed by DType
  std::array<Amount, 5> accesses;                                      // register to DRAM
};

struct EnergyRules {
  std::string name, title;
  std::vector<std::string> notes;
  std::vector<std::string> counts;  // conventions it works with, the default first
  std::vector<std::string> constant_names;
  std::vector<Amount> constants;
  std::vector<std::string> terms;
  std::vector<Formula> formulas;
  EnergyFigures figures;
};

// The built-in file, or a sentence that says what is wrong with it.
Result<EnergyFigures> energy_figures();

}  // namespace strata

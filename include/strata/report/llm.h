// The answer of `strata llm`, as a document.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "strata/document/document.h"
#include "strata/llm/answer.h"

namespace strata {

// How the caller's users ask for things; empty: it is not said.
struct LlmWords {
  std::function<std::string(const llm::Fix&)> ask = {};  // for a change: `--cache fp8`
  std::string reserve = {};                              // sets the engine's memory
  std::string formulas = {};                             // shows a formula
  std::string device = {};                               // asks about one device
};

// On some devices of one kind.
Document llm_document(const llm::Network& network, const llm::Answer& answer,
                      const LlmWords& words = {});
// Tables of numbers for a page, which works out memory again as its reader changes the setup.
std::vector<Table> llm_page_tables(const llm::Network& network, const llm::Answer& answer,
                                   std::span<const Device> devices);
// On one of each device; `smallest` is the least number of one kind that holds a model which no
// single device does.
Document llm_document(const llm::Network& network, const llm::Question& question,
                      std::span<const llm::Answer> answers, const llm::Answer* smallest,
                      const LlmWords& words = {});

// One row for each setup of a sweep. `refused` says why other setups have none.
Document llm_sweep_document(const llm::Network& network, std::span<const llm::Answer> answers,
                            std::span<const std::string> refused);

// The formula behind a figure, with its numbers: `kv`, `weights`, `macs`, `decode`. A usage error
// lists the names.
Result<std::string> explain_llm(const llm::Network& network, const llm::Answer& answer,
                                std::string_view figure);

}  // namespace strata

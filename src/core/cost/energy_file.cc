// Reads data/energy.json: figures and models.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "base/json_text.h"
#include "base/nearest.h"
#include "cost/energy_rules.h"

namespace strata {

const std::array<std::string_view, kEnergyFacts> kEnergyFactNames = {
    "macs", "adds", "muls",     "specials", "flops", "read", "write", "words",
    "add",  "mul",  "register", "l1",       "l2",    "sram", "dram",
};

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFile = "data/energy.json";
constexpr std::array<const char*, 5> kAccesses = {"register", "l1", "l2", "sram", "dram"};

// The shortest text of a JSON number is the decimal that the file contains.
Amount figure(const Json& number) {
  return Amount::from_decimal(json_text(number, -1)).value_or(Amount::unknown());
}

Json parsed_file() {
  const auto text = embedded_file(kFile);
  return text ? json_from_text(*text) : Json();
}

EnergyFigures read_figures(const Json& json) {
  EnergyFigures figures;
  for (const auto& [type, row] : json.at("types").items()) {
    const auto dtype = dtype_from_name(type);
    if (!dtype) continue;
    const Json& operation = json.at("operations").at(row.get<std::string>());
    figures.operations[static_cast<std::size_t>(*dtype)] =
        OperationEnergy{figure(operation.at("add")), figure(operation.at("mul"))};
  }
  for (std::size_t i = 0; i < kAccesses.size(); ++i)
    figures.accesses[i] = figure(json.at("accesses").at(kAccesses[i]).at("pj"));
  return figures;
}

Result<EnergyRules> read_model(const Json& json, const std::string& name) {
  EnergyRules rules;
  rules.name = name;
  rules.figures = read_figures(json);
  const Json& model = json.at("models").at(name);
  rules.title = model.at("title").get<std::string>();
  rules.notes = model.at("notes").get<std::vector<std::string>>();
  rules.counts = model.at("counts").get<std::vector<std::string>>();
  for (const auto& [constant, value] : model.at("constants").items()) {
    rules.constant_names.push_back(constant);
    rules.constants.push_back(figure(value));
  }
  for (const auto& [term, text] : model.at("terms").items()) {
    std::vector<std::string_view> names(kEnergyFactNames.begin(), kEnergyFactNames.end());
    names.insert(names.end(), rules.constant_names.begin(), rules.constant_names.end());
    auto formula = Formula::parse(text.get<std::string>(), {names, {}});
    if (!formula)
      return failure(fmt::format("{}, model {}: {}", kFile, name, formula.error().message),
                     ErrorKind::Bug);
    rules.terms.push_back(term);
    rules.formulas.push_back(std::move(*formula));
  }
  return rules;
}

tl::unexpected<Error> broken(const std::exception& e) {
  return failure(fmt::format("{}: {}", kFile, e.what()), ErrorKind::Bug);
}

}  // namespace

Result<EnergyFigures> energy_figures() {
  try {
    return read_figures(parsed_file());
  } catch (const Json::exception& e) {
    return broken(e);
  }
}

std::vector<std::string> energy_model_names() {
  std::vector<std::string> names;
  try {
    const Json json = parsed_file();
    for (const auto& [name, model] : json.at("models").items()) names.push_back(name);
  } catch (const Json::exception&) {
  }
  return names;
}

Result<EnergyModel> find_energy_model(std::string_view name) {
  const auto names = energy_model_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    return failure(fmt::format("there is no energy model \"{}\"{}; give one of {}", name,
                               did_you_mean(name, names), fmt::join(names, ", ")),
                   ErrorKind::Usage);
  try {
    auto rules = read_model(parsed_file(), std::string(name));
    if (!rules) return failure(rules);
    return EnergyModel(std::make_shared<const EnergyRules>(std::move(*rules)));
  } catch (const Json::exception& e) {
    return broken(e);
  }
}

}  // namespace strata

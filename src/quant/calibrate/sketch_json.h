// A sketch as a JSON object.
#pragma once

#include <nlohmann/json.hpp>

#include "strata/calibrate/sketch.h"

namespace strata {

nlohmann::ordered_json sketch_to_json(const Sketch& sketch);
// The error says what is wrong with it, not where it is.
Result<Sketch> sketch_from_json(const nlohmann::ordered_json& json);

}  // namespace strata

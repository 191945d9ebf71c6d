#include "strata/bench/variant.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace strata {

std::string Variant::precision() const {
  if (!session.precision.empty()) return session.precision;
  return stored.empty() ? "fp32" : stored;
}

std::string Variant::label() const {
  std::string text = engine;
  if (!style.empty()) text += ":" + style;
  if (const std::string own = precision(); own != "fp32") text += " " + own;
  if (session.threads > 1) text += fmt::format(" {} threads", session.threads);
  if (batch != 1) text += fmt::format(" batch {}", batch);
  if (!shape.empty()) text += " " + shape;
  return text;
}

Result<EngineStyle> parse_engine_style(const std::string& text) {
  constexpr std::string_view kPrecision = "precision=";
  EngineStyle out;
  const std::size_t colon = std::min(text.find(':'), text.size());
  out.engine = text.substr(0, colon);
  out.style = text.substr(std::min(colon + 1, text.size()));
  const auto wrong = [&](std::string_view what) {
    return failure(fmt::format("\"{}\": {}; engines are written onnxruntime or "
                               "onnxruntime:opt=off,spin=0",
                               text, what),
                   ErrorKind::Usage);
  };
  if (out.engine.empty()) return wrong("no name of an engine");
  if (colon + 1 == text.size()) return wrong("no options after the colon");
  const std::string given = std::exchange(out.style, "");
  std::string_view rest = given;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view option = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (option.empty()) return wrong("an empty option");
    if (option.starts_with(kPrecision)) {
      if (!out.precisions.empty()) return wrong("it has precision twice");
      std::string_view names = option.substr(kPrecision.size());
      while (true) {
        const std::size_t plus = std::min(names.find('+'), names.size());
        if (plus == 0) return wrong("a precision without a name");
        out.precisions.emplace_back(names.substr(0, plus));
        if (plus == names.size()) break;
        names.remove_prefix(plus + 1);
      }
      continue;
    }
    out.style += (out.style.empty() ? "" : ",") + std::string(option);
    if (!option.starts_with("opt=")) {
      out.options.emplace_back(option);
      continue;
    }
    constexpr std::pair<std::string_view, StrataOptimization> kLevels[] = {
        {"off", STRATA_OPT_NONE},
        {"basic", STRATA_OPT_BASIC},
        {"extended", STRATA_OPT_EXTENDED},
        {"all", STRATA_OPT_ALL}};
    bool known = false;
    for (const auto& [word, level] : kLevels)
      if (option.substr(4) == word) out.optimization = level, known = true;
    if (!known) return wrong("opt is off, basic, extended or all");
  }
  return out;
}

}  // namespace strata

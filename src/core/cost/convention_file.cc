// Reads convention files: JSON to rules. docs/cost-model.md describes the format.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/embedded.h"
#include "base/json_text.h"
#include "base/nearest.h"
#include "cost/convention_rules.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFolder = "data/conventions/";
constexpr std::string_view kSuffix = ".json";
constexpr std::string_view kOperatorPrefix = "onnx:";
constexpr std::string_view kAtLeast = "at_least";
constexpr std::string_view kMultihead = "MultiheadAttention";
constexpr std::size_t kMaxFileBytes = 1 << 20;

constexpr std::array<std::string_view, kMetrics> kMetricNames = {"macs", "flops", "read", "write"};

constexpr std::array<std::string_view, kLayerKinds> kKindNames = {
    "Other",     "Conv",         "ConvTranspose", "Linear",    "BatchNorm",       "LayerNorm",
    "GroupNorm", "InstanceNorm", "ReLU",          "ReLU6",     "LeakyReLU",       "PReLU",
    "ELU",       "GELU",         "SiLU",          "Hardswish", "Hardsigmoid",     "Sigmoid",
    "Tanh",      "Softmax",      "MaxPool",       "AvgPool",   "AdaptiveAvgPool", "AdaptiveMaxPool",
    "Dropout",   "Flatten",      "Embedding",     "Upsample",  "Recurrent",       "Attention",
    "MatMul",    "Elementwise",
};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

tl::unexpected<Error> broken(std::string_view label, std::string_view what) {
  return failure(coded(Code::FileBroken, {.file = std::string(label), .name = "convention"},
                       {fmt::format("convention {}: {}", label, what), ErrorKind::Usage}));
}

// Reads one file; every problem is reported in one sentence that starts with the file's label.
class FileReader {
 public:
  explicit FileReader(std::string_view label) : label_(label) {}

  Result<ConventionRules> read(const Json& json);

 private:
  tl::unexpected<Error> wrong(std::string_view what) const { return broken(label_, what); }
  Status check_keys(const Json& json) const;
  Status read_text(const Json& json, const char* key, std::string& out) const;
  Status read_quirks(const Json& json);
  Status read_metrics(const Json& json);
  Status read_table(const Json& json, std::string_view where, RuleTable& table);
  Result<LayerRule> read_rule(const Json& json, std::string_view where) const;
  Status read_functional(const Json& json);

  std::string_view label_;
  ConventionRules rules_;
};

Status FileReader::check_keys(const Json& json) const {
  static constexpr std::string_view kKnown[] = {"name",    "title",      "source",
                                                "quirks",  "metrics",    "headline",
                                                "default", "functional", "layers"};
  for (const auto& [key, value] : json.items())
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown))
      return wrong(fmt::format("\"{}\" is not a setting of a convention; the settings are {}", key,
                               fmt::join(kKnown, ", ")));
  return {};
}

Status FileReader::read_text(const Json& json, const char* key, std::string& out) const {
  if (!json.contains(key)) return {};
  if (!json[key].is_string()) return wrong(fmt::format("\"{}\" must be text", key));
  out = json[key].get<std::string>();
  return {};
}

Status FileReader::read_quirks(const Json& json) {
  if (!json.contains("quirks")) return {};
  if (!json["quirks"].is_array()) return wrong("\"quirks\" must be a list of sentences");
  for (const Json& quirk : json["quirks"]) {
    if (!quirk.is_string()) return wrong("\"quirks\" must be a list of sentences");
    rules_.quirks.push_back(quirk.get<std::string>());
  }
  return {};
}

Status FileReader::read_metrics(const Json& json) {
  if (rules_.fallback == ConventionRules::Default::Strata && !json.contains("metrics")) {
    rules_.labels = {"MACs", "FLOPs", "read", "write"};
    return {};
  }
  if (!json.contains("metrics") || !json["metrics"].is_object() || json["metrics"].empty())
    return wrong("\"metrics\" must say what it counts, such as {\"macs\": \"MACs\"}");
  for (const auto& [key, label] : json["metrics"].items()) {
    const auto found = std::find(kMetricNames.begin(), kMetricNames.end(), key);
    if (found == kMetricNames.end() || !label.is_string())
      return wrong(fmt::format("metric \"{}\" must be one of {}, with its name in print as text",
                               key, fmt::join(kMetricNames, ", ")));
    rules_.labels[static_cast<std::size_t>(found - kMetricNames.begin())] =
        label.get<std::string>();
  }
  const auto first = std::find_if(rules_.labels.begin(), rules_.labels.end(),
                                  [](const auto& label) { return label.has_value(); });
  std::string headline(kMetricNames[static_cast<std::size_t>(first - rules_.labels.begin())]);
  if (auto ok = read_text(json, "headline", headline); !ok) return ok;
  const auto found = std::find(kMetricNames.begin(), kMetricNames.end(), headline);
  const auto metric = static_cast<std::size_t>(found - kMetricNames.begin());
  if (metric == kMetrics || !rules_.labels[metric])
    return wrong(fmt::format("\"headline\" is \"{}\", which is none of its metrics", headline));
  rules_.headline = static_cast<Metric>(metric);
  return {};
}

Result<LayerRule> FileReader::read_rule(const Json& json, std::string_view where) const {
  if (!json.is_object())
    return wrong(
        fmt::format("{} must be an object of formulas, such as {{\"macs\": \"N*O*K\"}}", where));
  LayerRule rule;
  for (const auto& [metric, text] : json.items()) {
    if (metric == kAtLeast) {
      if (!text.is_boolean())
        return wrong(fmt::format("{}: \"{}\" must be true or false", where, kAtLeast));
      rule.at_least = text.get<bool>();
      continue;
    }
    const auto found = std::find(kMetricNames.begin(), kMetricNames.end(), metric);
    const auto index = static_cast<std::size_t>(found - kMetricNames.begin());
    if (index == kMetrics || !rules_.labels[index])
      return wrong(fmt::format("{}: \"{}\" is none of its metrics", where, metric));
    if (!text.is_string())
      return wrong(fmt::format("{}, {}: a formula must be text", where, metric));
    auto formula = Formula::parse(text.get<std::string>(), layer_formula_names());
    if (!formula) return wrong(fmt::format("{}, {}: {}", where, metric, formula.error().message));
    rule.formulas[index] = std::move(*formula);
  }
  return rule;
}

Status FileReader::read_table(const Json& json, std::string_view where, RuleTable& table) {
  for (const auto& [keys, formulas] : json.items()) {
    auto rule = read_rule(formulas, fmt::format("{} \"{}\"", where, keys));
    if (!rule) return failure(rule);
    // `ReLU, ReLU6` share a rule.
    std::string_view rest = keys;
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string_view key = trimmed(rest.substr(0, comma));
      if (auto ok = table.add(key, *rule); !ok)
        return wrong(fmt::format("{} \"{}\": {}", where, keys, ok.error().message));
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return {};
}

Status FileReader::read_functional(const Json& json) {
  using Functional = ConventionRules::Functional;
  if (!json.contains("functional")) {
    // Strata counts every operator, so that rules laid over its counts apply to every one.
    if (rules_.fallback == ConventionRules::Default::Strata)
      rules_.functional = Functional::AsModules;
    return {};
  }
  const Json& value = json["functional"];
  if (value.is_boolean()) {
    rules_.functional = value.get<bool>() ? Functional::AsModules : Functional::Ignored;
    return {};
  }
  if (!value.is_object())
    return wrong("\"functional\" must be true, false, or an object of rules like \"layers\"");
  rules_.functional = Functional::OwnTable;
  return read_table(value, "functional", rules_.between);
}

Result<ConventionRules> FileReader::read(const Json& json) {
  if (!json.is_object()) return wrong("the file must be a JSON object");
  rules_.name = label_;
  if (auto ok = check_keys(json); !ok) return failure(ok);
  for (const auto& [key, text] :
       {std::pair{"name", &rules_.name}, {"title", &rules_.title}, {"source", &rules_.source}})
    if (auto ok = read_text(json, key, *text); !ok) return failure(ok);
  if (auto ok = read_quirks(json); !ok) return failure(ok);

  const Json fallback = json.value("default", Json(0));
  using Default = ConventionRules::Default;
  rules_.fallback = fallback == "unknown"  ? Default::Unknown
                    : fallback == "strata" ? Default::Strata
                                           : Default::Zero;
  if (rules_.fallback == Default::Zero && fallback != 0)
    return wrong("\"default\" is what layers without a rule count: 0, \"unknown\" or \"strata\"");
  if (auto ok = read_metrics(json); !ok) return failure(ok);
  if (auto ok = read_functional(json); !ok) return failure(ok);

  const Json layers = json.value("layers", Json());
  rules_.is_strata = layers == "operators";
  if (rules_.is_strata) return std::move(rules_);
  if (!layers.is_object())
    return wrong(
        "\"layers\" must be an object of rules, such as {\"Conv\": {\"macs\": \"N*O*K\"}}");
  if (auto ok = read_table(layers, "layer", rules_.modules); !ok) return failure(ok);
  return std::move(rules_);
}

}  // namespace

std::string_view name_of(Metric metric) { return kMetricNames[static_cast<std::size_t>(metric)]; }
std::string_view name_of(LayerKind kind) {
  return kind == LayerKind::Unknown ? "Unknown" : kKindNames[static_cast<std::size_t>(kind)];
}

RuleTable::RuleTable() {
  for (auto& axes : by_kind_) axes.fill(kNoRule);
}

Status RuleTable::add(std::string_view key, const LayerRule& rule) {
  const auto index = static_cast<std::int16_t>(rules_.size());
  const auto keep = [&] {
    rules_.push_back(rule);
    rules_.back().key = key;
  };
  if (key.starts_with(kOperatorPrefix)) {
    by_operator_.emplace_back(key.substr(kOperatorPrefix.size()), index);
    keep();
    return {};
  }
  if (key == kMultihead) {
    if (multihead_ != kNoRule) return failure(fmt::format("there are two rules for {}", key));
    multihead_ = index;
    keep();
    return {};
  }
  std::string_view kind = key;
  std::size_t axes = 0;
  if (key.size() > 2 && key.ends_with('d') && key[key.size() - 2] >= '1' &&
      key[key.size() - 2] <= '3') {
    axes = static_cast<std::size_t>(key[key.size() - 2] - '0');
    kind = key.substr(0, key.size() - 2);
  }
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), kind);
  if (found == kKindNames.end())
    return failure(
        fmt::format("there is no layer {}; the layers are {} (with 1d, 2d or 3d for one "
                    "number of axes), {}, and onnx:NAME for an operator",
                    key, fmt::join(kKindNames, ", "), kMultihead));
  std::int16_t& place = by_kind_[static_cast<std::size_t>(found - kKindNames.begin())][axes];
  if (place != kNoRule) return failure(fmt::format("there are two rules for {}", key));
  place = index;
  keep();
  return {};
}

const LayerRule* RuleTable::find_operator(std::string_view op) const {
  for (const auto& [known, index] : by_operator_)
    if (known == op) return &rules_[static_cast<std::size_t>(index)];
  return nullptr;
}

const LayerRule* RuleTable::find(LayerKind kind, std::size_t axes, std::string_view op) const {
  if (const LayerRule* rule = find_operator(op)) return rule;
  if (kind == LayerKind::Unknown) return nullptr;
  const auto& places = by_kind_[static_cast<std::size_t>(kind)];
  std::int16_t index = axes <= kMaxAxes ? places[axes] : kNoRule;
  if (index == kNoRule) index = places[0];
  return index == kNoRule ? nullptr : &rules_[static_cast<std::size_t>(index)];
}

std::vector<std::string> convention_names() {
  std::vector<std::string> names;
  for (std::string_view path : embedded_paths()) {
    if (!path.starts_with(kFolder) || !path.ends_with(kSuffix)) continue;
    path.remove_prefix(kFolder.size());
    path.remove_suffix(kSuffix.size());
    names.emplace_back(path);
  }
  std::sort(names.begin(), names.end());
  std::stable_partition(names.begin(), names.end(), [](const auto& n) { return n == "strata"; });
  return names;
}

Result<Convention> parse_convention(std::string_view text, std::string_view label) {
  const auto json = parse_json(text);
  if (!json) return broken(label, "this is not a JSON file: " + json.error().message);
  auto rules = FileReader(label).read(*json);
  if (!rules) return failure(rules);
  return Convention(std::make_shared<const ConventionRules>(std::move(*rules)));
}

Result<Convention> find_convention(std::string_view name_or_path) {
  const auto built_in = embedded_file(fmt::format("{}{}{}", kFolder, name_or_path, kSuffix));
  if (built_in) return parse_convention(*built_in, name_or_path);
  if (!name_or_path.ends_with(kSuffix) && name_or_path.find('/') == name_or_path.npos)
    return failure(Code::OptionValue, {.name = "convention", .given = std::string(name_or_path)},
                   fmt::format("there is no convention \"{}\"{}; give one of {}, or the path of a "
                               "JSON file",
                               name_or_path, did_you_mean(name_or_path, convention_names()),
                               fmt::join(convention_names(), ", ")));
  std::ifstream file{std::string(name_or_path), std::ios::binary};
  std::string text(kMaxFileBytes + 1, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && file.gcount() == 0)
    return failure(
        fmt::format("convention {}: the file cannot be read; give the path of a JSON file, "
                    "or one of {}",
                    name_or_path, fmt::join(convention_names(), ", ")),
        ErrorKind::Usage);
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes)
    return broken(name_or_path, "the file is larger than a convention can be (1 MiB)");
  return parse_convention(text, name_or_path);
}

}  // namespace strata

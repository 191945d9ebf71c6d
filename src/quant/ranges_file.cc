#include "strata/quant/ranges_file.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "quant/sketch_json.h"
#include "read/in_quotes.h"
#include "write/output_file.h"

namespace strata {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kKind = "strata calibration";
constexpr int kDeepest = 6;  // nesting of what strata writes, and room
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

// Keeps the first problem; what is read after it is empty.
class Reader {
 public:
  explicit Reader(std::string_view label) : label_(label) {}

  Result<Calibration> read(const Json& json) {
    if (!json.is_object() || json.value("kind", Json()) != kKind)
      return failure(fmt::format(
          "calibration {}: it is not one; make it with `strata calibrate MODEL -o FILE`", label_));
    const std::uint64_t schema = count(json, "schema", "it");
    if (schema != Calibration::kSchema)
      wrong("it",
            fmt::format("has schema {}, and this strata reads {}", schema, Calibration::kSchema));
    calibration_.model = text(json, "model", "it");
    calibration_.hash = text(json, "graph_hash", "it");
    calibration_.samples = count(json, "samples", "it");
    const Json random = json.value("random", Json(false));
    if (!random.is_boolean()) wrong("it", "has a \"random\" that is neither true nor false");
    calibration_.random = random.is_boolean() && random.get<bool>();
    calibration_.planned = calibration_.samples;
    if (json.contains("planned")) calibration_.planned = count(json, "planned", "it");
    calibration_.data = text_if_any(json, "data", "it");
    calibration_.engine = text_if_any(json, "engine", "it");
    calibration_.run = text_if_any(json, "run", "it");
    if (const auto source = json.find("source"); source != json.end()) read_source(*source);
    if (const auto choice = json.find("choice"); choice != json.end()) read_choice(*choice);
    const auto tensors = json.find("tensors");
    if (tensors == json.end() || !tensors->is_array())
      wrong("it", "has no list \"tensors\"");
    else
      for (const Json& tensor : *tensors) read_tensor(tensor);
    if (!problem_.empty()) return failure(problem_);
    return std::move(calibration_);
  }

 private:
  void read_source(const Json& json) {
    if (!json.is_object()) return wrong("it", "has a \"source\" that is no object");
    for (const auto& [key, value] : json.items())
      if (value.is_string())
        calibration_.source[key] = value.get<std::string>();
      else
        wrong("its source", fmt::format("has a {} that is no text", in_quotes(key)));
  }

  void read_choice(const Json& json) {
    RangeOptions& choice = calibration_.choice;
    if (!json.is_object()) return wrong("it", "has a \"choice\" that is no object");
    const std::string method = text(json, "method", "its choice");
    if (const auto known = range_choice_from_name(method))
      choice.choice = *known;
    else
      return wrong("its choice",
                   fmt::format("has a method {} that does not exist", in_quotes(method)));
    const Json percentile = json.value("percentile", Json());
    const Json symmetric = json.value("symmetric", Json()), sign = json.value("signed", Json());
    const std::uint64_t bits = count(json, "bits", "its choice");
    if (!percentile.is_number() || !symmetric.is_boolean() || !sign.is_boolean())
      return wrong("its choice", "lacks \"percentile\", \"symmetric\" or \"signed\"");
    choice.percentile = percentile.get<double>();
    choice.scheme.symmetric = symmetric.get<bool>();
    choice.scheme.is_signed = sign.get<bool>();
    choice.scheme.bits = static_cast<int>(std::min<std::uint64_t>(bits, 1000));
    if (const Status status = check(choice.scheme); !status)
      wrong("its choice", fmt::format("is wrong: {}", status.error().message));
    if (!(choice.percentile > 50 && choice.percentile <= 100))
      wrong("its choice", "has a percentile that is not above 50 and at most 100");
  }

  void read_tensor(const Json& json) {
    if (!problem_.empty()) return;
    const std::string number = fmt::format("tensor {}", calibration_.tensors.size() + 1);
    if (!json.is_object()) return wrong(number, "is no object");
    std::string name = text(json, "name", number);
    const std::string where = fmt::format("tensor {}", in_quotes(name));
    std::string layer = text(json, "layer", where);
    if (!names_.insert(name).second) return wrong(where, "is there twice");
    const auto found = json.find("sketch");
    if (found == json.end()) return wrong(where, "has no \"sketch\"");
    auto sketch = sketch_from_json(*found);
    if (!sketch) return wrong(where, fmt::format("is wrong: {}", sketch.error().message));
    std::string block = text_if_any(json, "block", where);
    calibration_.tensors.push_back(
        {std::move(name), std::move(layer), std::move(*sketch), std::move(block)});
  }

  std::string text(const Json& json, const char* key, std::string_view where) {
    const auto found = json.find(key);
    if (found != json.end() && found->is_string()) return found->get<std::string>();
    wrong(where, fmt::format("has no text \"{}\"", key));
    return "";
  }

  std::string text_if_any(const Json& json, const char* key, std::string_view where) {
    return json.contains(key) ? text(json, key, where) : "";
  }

  std::uint64_t count(const Json& json, const char* key, std::string_view where) {
    const auto found = json.find(key);
    if (found != json.end() && found->is_number_unsigned()) return found->get<std::uint64_t>();
    wrong(where, fmt::format("has no count \"{}\"", key));
    return 0;
  }

  void wrong(std::string_view where, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("calibration {}: {} {}", label_, where, what);
  }

  std::string_view label_;
  std::string problem_;
  std::set<std::string> names_;
  Calibration calibration_;
};

Status different(std::string_view what) {
  return failure(fmt::format("the calibrations cannot be merged: {}", what));
}

}  // namespace

std::string calibration_to_json(const Calibration& calibration) {
  Json json = {{"kind", kKind},
               {"schema", Calibration::kSchema},
               {"model", calibration.model},
               {"graph_hash", calibration.hash},
               {"samples", calibration.samples},
               {"planned", calibration.planned},
               {"random", calibration.random},
               {"data", calibration.data},
               {"engine", calibration.engine},
               {"run", calibration.run},
               {"source", calibration.source},
               {"choice",
                {{"method", name(calibration.choice.choice)},
                 {"percentile", calibration.choice.percentile},
                 {"bits", calibration.choice.scheme.bits},
                 {"symmetric", calibration.choice.scheme.symmetric},
                 {"signed", calibration.choice.scheme.is_signed}}},
               {"tensors", Json::array()}};
  for (const TensorSketch& tensor : calibration.tensors) {
    Json entry = {{"name", tensor.name}, {"layer", tensor.layer}};
    if (!tensor.block.empty()) entry["block"] = tensor.block;
    entry["sketch"] = sketch_to_json(tensor.sketch);
    json["tensors"].push_back(std::move(entry));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Calibration> calibration_from_json(std::string_view json, std::string_view label) {
  if (json.size() > kMaxBytes)
    return failure(fmt::format("calibration {}: it is larger than {} MiB", label, kMaxBytes >> 20));
  const auto keep = [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; };
  const Json parsed = Json::parse(json, keep, false);
  if (parsed.is_discarded())
    return failure(fmt::format(
        "calibration {}: it is no JSON; make one with `strata calibrate MODEL -o FILE`", label));
  return Reader(label).read(parsed);
}

Status write_calibration(const Calibration& calibration, const std::string& path) {
  auto file = OutputFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (Status status = file->write(calibration_to_json(calibration)); !status) return status;
  return file->commit();
}

Result<Calibration> read_calibration(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return tl::unexpected(file.error());
  return calibration_from_json((*file)->bytes(), path);
}

Status merge(Calibration& into, const Calibration& other) {
  if (into.hash != other.hash)
    return different(fmt::format("{} and {} are different networks", in_quotes(into.model),
                                 in_quotes(other.model)));
  std::map<std::string_view, const Sketch*> theirs;
  for (const TensorSketch& tensor : other.tensors) theirs.emplace(tensor.name, &tensor.sketch);
  std::vector<TensorSketch> merged = into.tensors;
  for (TensorSketch& tensor : merged) {
    const auto found = theirs.find(tensor.name);
    if (found == theirs.end())
      return different(fmt::format("only one has the tensor {}", in_quotes(tensor.name)));
    if (Status status = tensor.sketch.merge(*found->second); !status)
      return different(
          fmt::format("tensor {}: {}", in_quotes(tensor.name), status.error().message));
    theirs.erase(found);
  }
  if (!theirs.empty())
    return different(fmt::format("only one has the tensor {}", in_quotes(theirs.begin()->first)));
  std::uint64_t samples = 0;
  if (__builtin_add_overflow(into.samples, other.samples, &samples))
    return different("they have too many samples");
  std::uint64_t planned = 0;
  if (__builtin_add_overflow(std::max(into.planned, into.samples),
                             std::max(other.planned, other.samples), &planned))
    return different("they have too many samples");
  into.samples = samples;
  into.planned = planned;
  into.data += (into.data.empty() || other.data.empty() ? "" : " + ") + other.data;
  if (into.engine != other.engine)
    into.engine += (into.engine.empty() || other.engine.empty() ? "" : ", ") + other.engine;
  into.run.clear();  // no run goes on from here
  into.source.clear();
  into.random = into.random || other.random;
  into.tensors = std::move(merged);
  return {};
}

}  // namespace strata

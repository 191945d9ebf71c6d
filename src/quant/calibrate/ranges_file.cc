#include "strata/calibrate/ranges_file.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/in_quotes.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "calibrate/ranges_kind.h"
#include "calibrate/sketch_json.h"

namespace strata {

namespace {

using Json = JsonFields::Json;

constexpr std::string_view kKind = kRangesFile.name;
constexpr int kDeepest = 6;  // the nesting that strata writes, and some room
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

class Reader : JsonFields {
 public:
  explicit Reader(std::string_view label) : JsonFields("calibration", label), label_(label) {}

  Result<Calibration> read(const Json& json) {
    if (!json.is_object() || json.value("kind", Json()) != kKind)
      return failure(Code::NotRanges, {.file = std::string(label_), .found = "not one"});
    const std::int64_t schema = whole(json, "schema", "it", true);
    if (schema != Calibration::kSchema)
      wrong("it",
            fmt::format("has schema {}, and this strata reads {}", schema, Calibration::kSchema));
    calibration_.model = needed_text(json, "model");
    calibration_.hash = needed_text(json, "graph_hash");
    calibration_.samples = size(json, "samples", "it", true);
    calibration_.random = flag(json, "random");
    calibration_.planned = calibration_.samples;
    if (at(json, "planned") != nullptr) calibration_.planned = size(json, "planned");
    calibration_.data = text(json, "data");
    calibration_.engine = text(json, "engine");
    calibration_.run = text(json, "run");
    read_source(object(json, "source"));
    if (at(json, "choice") != nullptr) read_choice(object(json, "choice"));
    list(
        json, "tensors", [&](const Json& item, const std::string&) { read_tensor(item); }, true);
    if (!good()) return failed();
    return std::move(calibration_);
  }

 private:
  void read_source(const Json& json) {
    for (const auto& [key, value] : json.items())
      if (value.is_string())
        calibration_.source[key] = value.get<std::string>();
      else
        wrong("its source", fmt::format("has a {} that is not text", in_quotes(key)));
  }

  void read_choice(const Json& json) {
    RangeOptions& choice = calibration_.choice;
    if (!good()) return;
    const std::string method = needed_text(json, "method", "its choice");
    if (const auto known = range_choice_from_name(method))
      choice.choice = *known;
    else
      return wrong("its choice",
                   fmt::format("has a method {} that does not exist", in_quotes(method)));
    const Json percentile = json.value("percentile", Json());
    const Json symmetric = json.value("symmetric", Json()), sign = json.value("signed", Json());
    const std::uint64_t bits = size(json, "bits", "its choice", true);
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
    const std::string number = fmt::format("tensor {}", calibration_.tensors.size() + 1);
    if (!json.is_object()) return wrong(number, "is not an object");
    std::string name = needed_text(json, "name", number);
    const std::string where = fmt::format("tensor {}", in_quotes(name));
    std::string layer = needed_text(json, "layer", where);
    if (!names_.insert(name).second) return wrong(where, "is there twice");
    const auto found = json.find("sketch");
    if (found == json.end()) return wrong(where, "has no \"sketch\"");
    auto sketch = sketch_from_json(*found);
    if (!sketch) return wrong(where, fmt::format("is wrong: {}", sketch.error().message));
    std::string block = text(json, "block", where);
    calibration_.tensors.push_back(
        {std::move(name), std::move(layer), std::move(*sketch), std::move(block)});
  }

  std::string_view label_;
  std::set<std::string> names_;
  Calibration calibration_;
};

Status different(std::string_view what) {
  return failure(fmt::format("the calibrations cannot be merged: {}", what));
}

// Everything but the tensors.
Json head_json(const Calibration& calibration) {
  return {{"kind", kKind},
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
           {{"method", name_of(calibration.choice.choice)},
            {"percentile", calibration.choice.percentile},
            {"bits", calibration.choice.scheme.bits},
            {"symmetric", calibration.choice.scheme.symmetric},
            {"signed", calibration.choice.scheme.is_signed}}},
          {"tensors", Json::array()}};
}

Json tensor_json(const TensorSketch& tensor) {
  Json entry = {{"name", tensor.name}, {"layer", tensor.layer}};
  if (!tensor.block.empty()) entry["block"] = tensor.block;
  entry["sketch"] = sketch_to_json(tensor.sketch);
  return entry;
}

// Calls write(text) with one piece after the other, so that no second copy of all sketches is in
// memory.
Status write_pieces(const Calibration& calibration,
                    const std::function<Status(std::string_view)>& write) {
  constexpr std::string_view kEnd = "]\n}";
  std::string text = json_text(head_json(calibration), 1);
  text.resize(text.size() - kEnd.size());
  if (Status status = write(text); !status) return status;
  const char* between = "\n";
  for (const TensorSketch& tensor : calibration.tensors) {
    text = std::exchange(between, ",\n");
    text += "  ";
    for (const char c : json_text(tensor_json(tensor), 1)) {
      text += c;
      if (c == '\n') text += "  ";  // as deep as it is in the whole
    }
    if (Status status = write(text); !status) return status;
  }
  return write(calibration.tensors.empty() ? "]\n}\n" : "\n ]\n}\n");
}

}  // namespace

std::string calibration_to_json(const Calibration& calibration) {
  std::string all;
  // This cannot fail: nothing is written.
  [[maybe_unused]] const Status status =
      write_pieces(calibration, [&](std::string_view piece) -> Status {
        all += piece;
        return {};
      });
  return all;
}

Result<Calibration> calibration_from_json(std::string_view json, std::string_view label) {
  if (json.size() > kMaxBytes)
    return JsonFields("calibration", label)
        .failed(fmt::format("it is larger than {} MiB", kMaxBytes >> 20));
  const Json parsed = json_from_text(json, kDeepest);
  if (parsed.is_discarded())
    return failure(Code::NotRanges, {.file = std::string(label), .found = "not JSON"});
  return Reader(label).read(parsed);
}

Status write_calibration(const Calibration& calibration, const std::string& path) {
  auto file = OutputFile::create(path, kRangesFile);
  if (!file) return failure(file);
  if (Status status =
          write_pieces(calibration, [&](std::string_view piece) { return file->write(piece); });
      !status)
    return status;
  return file->commit();
}

Status check_calibration_file(const std::string& path) { return check_writable(path, kRangesFile); }

Result<Calibration> read_calibration(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return failure(file);
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
  into.run.clear();  // no run can be resumed from a merged file
  into.source.clear();
  into.random = into.random || other.random;
  into.tensors = std::move(merged);
  return {};
}

}  // namespace strata

#include "read/pt2/reader.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/in_quotes.h"
#include "read/limits.h"
#include "read/model_or_failure.h"
#include "read/pt2/archive.h"
#include "read/pt2/graph.h"
#include "read/pt2/size_formula.h"
#include "read/pt2/weights.h"

namespace strata::pt2 {

namespace {

constexpr std::int64_t kSchemaMajor = 8;

// {"major": 8, "minor": 20}
void check_version(JsonText& json) {
  std::int64_t major = 0, minor = 0;
  for (JsonObject member(json); member.next();) {
    if (member.key() == "major")
      major = json.integer();
    else if (member.key() == "minor")
      minor = json.integer();
    else
      json.skip();
  }
  if (major != kSchemaMajor)
    throw Broken{fmt::format(
        "it is written in version {}.{} of torch.export's format, and strata reads versions {}.x; "
        "save it again with PyTorch 2.6 or newer",
        major, minor, kSchemaMajor)};
}

// {"s77": {"min_val": 2, "max_val": null}}; bounds may be strings such as "int_oo".
void read_ranges(Loading& loading, JsonText& json) {
  const auto bound = [&]() -> std::optional<std::int64_t> {
    const char first = json.peek();
    if (first == '-' || (first >= '0' && first <= '9')) {
      const std::int64_t value = json.integer();
      constexpr std::int64_t kEndless = std::int64_t{1} << 62;
      return value < kEndless && value > -kEndless ? std::optional(value) : std::nullopt;
    }
    json.skip();
    return std::nullopt;
  };
  for (JsonObject range(json); range.next();) {
    loading.count_entry();
    SizeRange& stated = loading.model.size_ranges.emplace_back();
    stated.name = range.key();
    stated.size = size_formula(range.key());
    for (JsonObject member(json); member.next();) {
      if (member.key() == "min_val")
        stated.least = bound();
      else if (member.key() == "max_val")
        stated.most = bound();
      else
        json.skip();
    }
    if (!stated.least && !stated.most) loading.model.size_ranges.pop_back();  // it says nothing
  }
}

class Program {
 public:
  Program(Loading& loading, JsonText& json, WeightPlaces& places)
      : loading_(loading),
        json_(json),
        places_(places),
        network_(loading, loading.model.graph(), 0, 0) {}

  void read() {
    bool has_version = false;
    for (JsonObject member(json_); member.next();) {
      const std::string_view key = member.key();
      if (key == "graph_module") {
        read_module();
      } else if (key == "schema_version") {
        check_version(json_);
        loading_.model.ir_version = kSchemaMajor;
        has_version = true;
      } else if (key == "opset_version") {
        read_opsets();
      } else if (key == "range_constraints") {
        read_ranges(loading_, json_);
      } else if (key == "torch_version") {
        loading_.model.producer_version = json_.string();
      } else {
        json_.skip();
      }
    }
    json_.expect_end();
    if (!has_version || !has_graph_) throw Broken{"its JSON is not a program of torch.export"};
    signature_.apply(network_, places_);
  }

 private:
  void read_module() {
    for (JsonObject member(json_); member.next();) {
      if (member.key() == "graph" && !has_graph_) {
        network_.read(json_);
        has_graph_ = true;
      } else if (member.key() == "signature") {
        signature_.read(loading_, json_);
      } else {
        json_.skip();
      }
    }
  }
  void read_opsets() {
    for (JsonObject member(json_); member.next();) {
      if (loading_.model.opsets.size() >= kMostOpsets)
        throw Broken{fmt::format("it imports more than {} domains of operators", kMostOpsets),
                     Code::OverLimit};
      loading_.model.opsets.push_back({member.key(), json_.integer()});
    }
  }

  Loading& loading_;
  JsonText& json_;
  WeightPlaces& places_;
  GraphReader network_;
  Signature signature_;
  bool has_graph_ = false;
};

// Fails if the version is another one, which explains why the rest cannot be read.
void check_version_of(JsonText json) {
  for (JsonObject member(json); member.next();) {
    if (member.key() == "schema_version")
      check_version(json);
    else
      json.skip();
  }
}

void read_program(Loading& loading, const JsonText& text, WeightPlaces& places) {
  JsonText json = text;
  try {
    Program(loading, json, places).read();
  } catch (const Broken&) {
    try {
      check_version_of(text);
    } catch (const Broken& other) {
      if (other.message.starts_with("it is written in version")) throw;
    }
    throw;
  }
}

Result<std::string_view> chosen_model(const Archive& archive, const std::string& wanted) {
  const std::vector<std::string_view>& models = archive.models();
  const auto names = [&] {
    std::vector<std::string> quoted;
    constexpr std::size_t kMost = 20;
    for (std::size_t i = 0; i < models.size() && i < kMost; ++i)
      quoted.push_back(in_quotes(models[i]));
    if (models.size() > kMost) quoted.push_back(fmt::format("and {} more", models.size() - kMost));
    return fmt::format("{}", fmt::join(quoted, ", "));
  };
  if (models.empty() && archive.has_compiled())
    return failure(
        Code::OnlyCompiled, {},
        "it holds only what AOTInductor compiled, machine code that says nothing about layers; "
        "save the exported program itself with torch.export.save");
  if (models.empty()) return failure("it is a .pt2 archive that holds no program of a model");
  if (wanted.empty() && models.size() > 1) return failure(Code::SeveralModels, {.found = names()});
  if (wanted.empty()) return models[0];
  const auto found = std::find(models.begin(), models.end(), wanted);
  if (found == models.end())
    return failure(
        fmt::format("it holds no model {}; its models are: {}", in_quotes(wanted), names()),
        ErrorKind::Usage);
  return *found;
}

Status read_archive(std::string_view bytes, const ReadOptions& options, const ReadOptions& limits,
                    Model& model) {
  const auto archive = Archive::open(bytes);
  if (!archive) return failure(archive);
  const auto name = chosen_model(*archive, options.model);
  if (!name) return failure(name);
  const auto program = archive->program(model, *name, options.limit);
  if (!program) return failure(program);
  if (program->empty()) return failure("its program is empty");
  Loading loading{{model, limits}, Modules(model), {}};
  WeightPlaces places;
  for (const std::string_view kind : {"weights", "constants"}) {
    const auto config = archive->config(model, *name, kind, options.limit);
    if (!config) return failure(config);
    if (config->empty()) continue;
    JsonText json(model, *config, kind);
    places.read(loading, json);
  }
  model.producer = "torch";
  model.states_types = true;
  read_program(loading, JsonText(model, *program, "its program"), places);
  return {};
}

}  // namespace

bool looks_like_archive(std::string_view bytes) {
  const std::string_view first = unzip::first_zip_name(bytes);
  if (first.empty()) return false;
  const auto archive = Archive::open(bytes);
  if (archive) return archive->is_pt2();
  // The directory at the end is missing or damaged; the first entry is still there.
  constexpr std::string_view kParts[] = {"/data/weights/", "/data/constants/", "/data/aotinductor/",
                                         "/models/",       "/archive_format",  "serialized_"};
  return std::any_of(std::begin(kParts), std::end(kParts), [&](std::string_view part) {
    return first.find(part) != std::string_view::npos;
  });
}

Result<Model> read(std::string_view bytes, std::string_view label, const ReadOptions& options) {
  return model_or_failure(bytes, label, options, [&](Model& model, const ReadOptions& limits) {
    return read_archive(bytes, options, limits, model);
  });
}

}  // namespace strata::pt2

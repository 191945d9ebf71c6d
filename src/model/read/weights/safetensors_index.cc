// A safetensors model in several files: the index says which file has which tensor.
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/in_quotes.h"
#include "base/mapped_file.h"
#include "read/weights/formats.h"
#include "strata/base/text_map.h"

namespace strata::weights {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestIndex = std::size_t{1} << 26;
constexpr std::size_t kMostShards = 100'000;

// Only files beside the index, whatever it says.
bool is_plain_name(std::string_view file) {
  return !file.empty() && file != "." && file != ".." && file.find('/') == file.npos &&
         file.find('\\') == file.npos && file.find('\0') == file.npos;
}

using Places = TextMap<std::string, std::string>;  // tensor to file

// Takes `weight_map` from the index as it is parsed, and passes over the rest.
class IndexReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  Places places;
  std::string problem;  // one sentence

  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& text) override {
    if (depth_ == 1) in_map_ = text == "weight_map";
    if (depth_ == 2 && in_map_) tensor_ = text;
    return true;
  }
  bool string(string_t& file) override {
    if (depth_ != 2 || !in_map_) return true;
    if (!is_plain_name(file)) return no_file();
    if (places.emplace(tensor_, file).second) return true;
    return wrong(fmt::format("the index places the tensor {} twice", in_quotes(tensor_)));
  }
  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t) override { return other(); }
  bool number_unsigned(number_unsigned_t) override { return other(); }
  bool number_float(number_float_t, const string_t&) override { return other(); }
  bool binary(binary_t&) override { return other(); }
  bool parse_error(std::size_t place, const std::string&,
                   const nlohmann::detail::exception&) override {
    return wrong(fmt::format(
        "the index is not JSON from byte {} on; perhaps it was not downloaded to the end", place));
  }

 private:
  bool wrong(std::string sentence) {
    if (problem.empty()) problem = std::move(sentence);
    return false;
  }
  bool no_file() {
    return wrong(fmt::format("the index places the tensor {} in no file of its own folder",
                             in_quotes(tensor_)));
  }
  bool other() { return !in_map_ || depth_ != 2 || no_file(); }
  bool open() {
    if (depth_ == 2 && in_map_) return no_file();
    if (++depth_ <= kDeepest) return true;
    return wrong(fmt::format("the index is nested deeper than {} levels", kDeepest));
  }
  bool close() {
    --depth_;
    return true;
  }

  static constexpr int kDeepest = 16;
  int depth_ = 0;
  bool in_map_ = false;
  std::string tensor_;
};

Status take_shard(const fs::path& path, std::size_t number, const std::string& file,
                  const Places& where, const ReadOptions& options, Weights& out) {
  const auto mapped = MappedFile::open(path.string());
  if (!mapped) return failure(mapped);
  const std::string_view bytes = (*mapped)->bytes();
  if (!looks_like_safetensors(bytes))
    return failure(
        fmt::format("{} is named by an index of safetensors files, but is none", path.string()));
  auto shard = read_safetensors(bytes, options);
  if (!shard) return failure(fmt::format("{}: {}", path.string(), shard.error().message));
  for (StoredWeight& weight : shard->tensors) {
    const auto said = where.find(weight.name);
    if (said == where.end() || said->second != file)
      return failure(fmt::format("{}: it has a tensor {} that the index does not place there",
                                 path.string(), in_quotes(weight.name)));
    weight.file = number;
    weight.statistics = is_statistics(weight.name);
    out.tensors.push_back(std::move(weight));
  }
  if (number == 0) out.properties = std::move(shard->properties);
  out.file_bytes += bytes.size();
  return {};
}

}  // namespace

bool looks_like_index(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 4096);
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  return first != start.npos && start[first] == '{' && start.find("\"weight_map\"") != start.npos;
}

Result<Weights> read_index(std::string_view bytes, const std::string& path,
                           const ReadOptions& options) {
  if (bytes.size() > kLargestIndex)
    return failure(fmt::format("{}: an index of more than 64 MiB is not read", path));
  IndexReader reader;
  nlohmann::json::sax_parse(bytes, &reader);
  if (!reader.problem.empty()) return failure(fmt::format("{}: {}", path, reader.problem));
  if (reader.places.empty())
    return failure(fmt::format("{}: the index has no \"weight_map\" with tensors", path));
  std::map<std::string, std::size_t> shards;  // and how many tensors each has
  for (const auto& [name, file] : reader.places) ++shards[file];
  if (shards.size() > kMostShards)
    return failure(fmt::format("{}: the index names more than {} files", path, kMostShards));
  Weights out;
  out.path = path;
  out.format = "safetensors";
  for (const auto& [file, tensors] : shards) {
    const fs::path shard = fs::path(path).parent_path() / file;
    const std::size_t before = out.tensors.size();
    if (Status status = take_shard(shard, out.files.size(), file, reader.places, options, out);
        !status)
      return failure(status);
    out.files.push_back(shard.string());
    if (out.tensors.size() - before != tensors)
      return failure(fmt::format("{}: the index places {} tensors there, but it has {}",
                                 shard.string(), tensors, out.tensors.size() - before));
  }
  return out;
}

}  // namespace strata::weights

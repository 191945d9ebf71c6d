#include "cli/fingerprint.h"

#include <sys/stat.h>

#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/mapped_file.h"

namespace strata::cli {

void Fingerprint::add(std::string_view text) {
  add_number(text.size());
  while (text.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof word);
    add_number(word);
    text.remove_prefix(sizeof word);
  }
  for (const char c : text) add_number(static_cast<unsigned char>(c));
}

void Fingerprint::add_number(std::uint64_t number) {
  state_ = (state_ ^ number) * 0x100000001b3;
  state_ ^= state_ >> 29;
}

std::string Fingerprint::text() const { return fmt::format("{:016x}", state_); }

Status add_model(Fingerprint& all, const LoadedModel& loaded, const EngineModel& model) {
  if (model.path.empty()) {
    all.add(model.bytes);
    return {};
  }
  auto file = MappedFile::open(model.path);
  if (!file) return tl::unexpected(file.error());
  all.add((*file)->bytes());
  std::string_view last;
  for (const TensorData& data : loaded.model.stored) {
    if (data.store != TensorData::Store::External || data.location == last) continue;
    last = data.location;
    const auto path = std::filesystem::path(model.path).parent_path() / data.location;
    struct stat facts = {};
    if (::stat(path.c_str(), &facts) != 0) continue;
    all.add(data.location);
    all.add_number(static_cast<std::uint64_t>(facts.st_size));
    all.add_number(static_cast<std::uint64_t>(facts.st_mtim.tv_sec));
    all.add_number(static_cast<std::uint64_t>(facts.st_mtim.tv_nsec));
  }
  return {};
}

void add_data(Fingerprint& all, const LoadedModel& loaded, const Dataset& data) {
  for (const auto& [key, value] : data.facts()) all.add(key), all.add(value);
  for (std::int64_t i = 0; i < data.count(); ++i) all.add(data.name(i));
  for (const TensorId id : loaded.model.graph().inputs)
    all.add(text(loaded.model.graph().tensors[id].type.dims));
}

void add_engine(Fingerprint& all, const Engine& engine, const SessionOptions& session) {
  for (const std::string_view part : {engine.name(), engine.release()}) all.add(part);
  for (const std::string& part : {session.device, session.provider}) all.add(part);
  for (const std::string& option : session.options) all.add(option);
}

}  // namespace strata::cli

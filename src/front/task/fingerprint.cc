#include "task/fingerprint.h"

#include <sys/stat.h>

#include <ctime>
#include <filesystem>

#include "base/system_calls.h"

namespace strata {

Status Fingerprint::add_model(const Model& loaded, const EngineModel& model) {
  if (model.file.empty()) {
    add(model.bytes);
    return {};
  }
  if (Status status = model.file.status(); !status) return status;
  add(model.file.bytes());
  std::string_view last;
  for (const TensorData& data : loaded.stored) {
    if (data.store != TensorData::Store::External || data.location == last) continue;
    last = data.location;
    const std::string path =
        (std::filesystem::path(model.file.word()).parent_path() / data.location).string();
    struct stat facts = {};
    if (::stat(path.c_str(), &facts) != 0) continue;
    add(data.location);
    add_number(static_cast<std::uint64_t>(facts.st_size));
    const std::timespec modified = system_calls::modified_at(facts);
    add_number(static_cast<std::uint64_t>(modified.tv_sec));
    add_number(static_cast<std::uint64_t>(modified.tv_nsec));
  }
  return {};
}

void Fingerprint::add_data(const Model& loaded, const Dataset& data) {
  for (const auto& [key, value] : data.facts()) add(key), add(value);
  for (std::int64_t i = 0; i < data.count(); ++i) add(data.name(i));
  for (const TensorId id : loaded.graph().inputs)
    add(strata::text(loaded.graph().tensors[id].type->dims));
}

void Fingerprint::add_engine(const Engine& engine, const SessionOptions& session) {
  for (const std::string_view part : {engine.name(), engine.release()}) add(part);
  for (const std::string& part : {session.device, session.provider}) add(part);
  for (const std::string& option : session.options) add(option);
}

}  // namespace strata

#include "task/sweep_models.h"

#include "strata/read/read.h"
#include "task/fingerprint.h"

namespace strata {

namespace {

std::string hash_of(const Source& source) {
  if (source.is_built()) return "";
  Model model;
  if (auto read = read_model(source)) model = std::move(*read);  // else: no known files beside it
  Fingerprint all;
  return all.add_model(model, {"", source}) ? all.text() : "";
}

}  // namespace

const std::string& SweepModels::hash(const SweepJob& job) {
  const std::string& path = job.arguments.front();
  const auto known = hashes_.find(path);
  return known != hashes_.end() ? known->second
                                : hashes_.emplace(path, hash_of(path)).first->second;
}

std::set<std::string> SweepModels::changed(const std::vector<SweepJob>& jobs,
                                           const std::vector<JournalEntry>& entries) {
  std::map<std::string, std::string> measured;
  for (const JournalEntry& entry : entries) {
    const auto hash = entry.record.find("model_hash");
    if (hash != entry.record.end() && hash->is_string())
      measured[entry.job] = hash->get<std::string>();
  }
  std::set<std::string> keys;
  for (const SweepJob& job : jobs) {
    const auto before = measured.find(job.key);
    if (before == measured.end() || before->second.empty()) continue;
    if (before->second != hash(job)) keys.insert(job.key);
  }
  return keys;
}

}  // namespace strata

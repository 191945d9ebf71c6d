// The job behind `strata zoo table`: all networks of the zoo, one row each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/document/document.h"
#include "strata/profile/profile.h"
#include "strata/task/timing.h"

namespace strata {

struct ZooTableRequest {
  ProfileOptions profile;  // how to count, and which figures; no columns: parameters, FLOPs (MACs
                           // if only these are counted) and energy
  bool all = false;        // also networks that are not in the published table
  std::optional<TimingRequest> time = {};  // also measure latency; nullopt: nothing is run
};

struct ZooTable {
  Profile profile;                   // its rows are networks
  std::vector<std::string> missing;  // networks that were left out because the job was stopped
};

// A row for each network; what is missing is a fact.
Document zoo_table_document(const ZooTable& table);

// The counting of the published table: rasp-2020, and its energy model.
ProfileOptions published_counting();

Result<ZooTable> run_zoo_table(const ZooTableRequest& request, const Observer& observer = {});

}  // namespace strata

// The caller's side of base/outside.h: does for a confined job what the job cannot do itself, and
// nothing else.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/outside.h"
#include "strata/base/observer.h"
#include "strata/base/result.h"
#include "strata/bench/bench.h"

namespace strata {

struct JobOutput {
  std::string path;
  FileKind kind;
};

// The things that a job may ask for.
struct JobRights {
  std::vector<JobOutput> outputs = {};  // files that it may write
  // Judges two .npz files by the command of the user; empty: there is none.
  std::function<Result<double>(const std::string&, const std::string&)> judge = {};
  std::string bench_program = {};  // starts the processes of a comparison
};

class JobWishes {
 public:
  // `rights` and `observer` must outlive this object. `scratch` is the job's own folder.
  JobWishes(const JobRights& rights, const Observer& observer, std::string scratch)
      : rights_(rights), observer_(observer), scratch_(std::move(scratch)) {}
  // The descriptor of the answer stays this object's.
  Outside::Answer grant(OutsideWish wish, MessageReader& about);

 private:
  Outside::Answer create(const std::string& path);
  Outside::Answer commit(std::uint64_t number);
  Outside::Answer judge(MessageReader& about);
  Outside::Answer bench(MessageReader& about);

  const JobRights& rights_;
  const Observer& observer_;
  const std::string scratch_;
  std::map<std::uint64_t, OutputFile> files_;
  std::uint64_t last_ = 0;
};

}  // namespace strata

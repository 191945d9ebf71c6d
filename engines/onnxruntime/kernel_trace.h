// Kernels of traced runs: which run each belongs to, what it computes, when it ran.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fusion.h"
#include "strata/base/text_map.h"
#include "strata/engine/plugin.h"

namespace strata::ort {

// A run of a session that writes a profile.
struct TracedRun {
  std::uint64_t number = 0;  // StrataTrace::run
  std::int64_t start_ns = 0;
  std::int64_t profile_start_ns = 0, profile_end_ns = 0;  // on the profile's clock
};

class KernelTrace {
 public:
  void set_fusion(Fusion fusion);
  const Fusion& fusion() const { return fusion_; }

  // Adds the kernels of `runs` from a profile whose times count from `profile_start_ns`. Kernels
  // that belong to none of these runs are ignored. Returns the number of events in the profile.
  std::size_t add(std::string_view profile, std::int64_t profile_start_ns,
                  const std::vector<TracedRun>& runs);
  // Source nodes that run in no kernel, and those whose kernels have not run so far.
  std::vector<std::pair<std::string, std::string>> absent() const;
  // Reports everything that was added, then forgets it; false if `each` ended it early.
  bool give(void* user, StrataOnKernel each);
  // Reports every kernel of the optimized model, whether it ran or not.
  bool give_plan(void* user, StrataOnKernel each) const;

 private:
  struct Kernel {
    std::string name, op, provider;
    StrataKernelKind kind = STRATA_KERNEL_OTHER;
    std::vector<const char*> sources;  // into fusion_
    KernelTypes types = {};
  };
  struct Recorded {
    std::uint64_t run;
    std::uint32_t kernel;
    std::int64_t start_ns, duration_ns;
    std::uint32_t first_rank, ranks;  // in ranks_
    std::size_t first_dim;            // in dims_
  };
  std::uint32_t kernel_number(const struct ProfileEvent& event);
  std::optional<std::size_t> next_unnamed(const struct ProfileEvent& event);

  Fusion fusion_;
  TextMap<std::string_view, std::size_t> fused_;  // by name
  // Kernels without a name that have not run yet, by operator: the next one is last.
  TextMap<std::string, std::vector<std::size_t>> unnamed_;
  std::vector<Kernel> kernels_;
  TextMap<std::string, std::uint32_t> numbers_;  // of kernels_, by name
  std::vector<Recorded> recorded_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::int64_t> dims_;
};

}  // namespace strata::ort

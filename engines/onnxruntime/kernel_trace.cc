#include "kernel_trace.h"

#include <algorithm>

#include "profile.h"
#include "strata/base/text_map.h"

namespace strata::ort {

void KernelTrace::set_fusion(Fusion fusion) {
  fusion_ = std::move(fusion);
  for (std::size_t i = 0; i < fusion_.kernels.size(); ++i)
    if (const FusedKernel& fused = fusion_.kernels[i]; !fused.name.empty())
      fused_.emplace(fused.name, i);
    else
      unnamed_[fused.op].push_back(i);
  // Which bodies run, and how often, is not in the file, so that kernels cannot be told by their
  // order.
  for (const FusedKernel& fused : fusion_.kernels)
    if (fused.op == "If" || fused.op == "Loop" || fused.op == "Scan") unnamed_.clear();
  for (auto& [op, places] : unnamed_) std::reverse(places.begin(), places.end());
}

// ONNX Runtime writes out functions such as HardSwish as nodes without names. A profile calls them
// by the operator and a number that is in no file (`Mul_158`), but they run in the order of the
// file.
std::optional<std::size_t> KernelTrace::next_unnamed(const ProfileEvent& event) {
  if (!event.name.starts_with(event.op)) return std::nullopt;
  std::string_view number = event.name.substr(event.op.size());
  if (number.size() < 2 || number[0] != '_' ||
      number.find_first_not_of("0123456789", 1) != number.npos)
    return std::nullopt;
  const auto found = unnamed_.find(event.op);
  if (found == unnamed_.end() || found->second.empty()) return std::nullopt;
  const std::size_t place = found->second.back();
  found->second.pop_back();
  return place;
}

std::uint32_t KernelTrace::kernel_number(const ProfileEvent& event) {
  std::string key(event.name);
  const auto next = static_cast<std::uint32_t>(kernels_.size());
  const auto [known, added] = numbers_.try_emplace(key.append("\n").append(event.op), next);
  if (!added) return known->second;
  Kernel kernel{std::string(event.name),
                std::string(event.op),
                std::string(event.provider),
                STRATA_KERNEL_OTHER,
                {},
                {}};
  const auto found = fused_.find(event.name);
  const auto place = found != fused_.end() ? std::optional(found->second) : next_unnamed(event);
  if (place) {
    const FusedKernel& fused = fusion_.kernels[*place];
    kernel.kind = fused.kind;
    kernel.types = fused.types;
    for (const std::string& source : fused.sources) kernel.sources.push_back(source.c_str());
  }
  kernels_.push_back(std::move(kernel));
  return next;
}

std::size_t KernelTrace::add(std::string_view profile, std::int64_t profile_start_ns,
                             const std::vector<TracedRun>& runs) {
  constexpr std::int64_t kMicrosecond = 1000;
  std::size_t events = 0;
  std::size_t first = recorded_.size();  // of the run that is being read
  read_profile(profile, [&](const ProfileEvent& event) {
    ++events;
    const std::int64_t start = profile_start_ns + event.start_us * kMicrosecond;
    if (!event.is_run) {
      const auto first_rank = static_cast<std::uint32_t>(ranks_.size());
      const std::size_t first_dim = dims_.size();
      for (const auto& dims : event.output_dims) {
        ranks_.push_back(static_cast<std::int32_t>(dims.size()));
        dims_.insert(dims_.end(), dims.begin(), dims.end());
      }
      recorded_.push_back({0, kernel_number(event), start, event.duration_us * kMicrosecond,
                           first_rank, static_cast<std::uint32_t>(event.output_dims.size()),
                           first_dim});
      return;
    }
    // Assigned to a run by its middle, because times are rounded down and runs follow each other
    // closely.
    const std::int64_t middle = start + event.duration_us * kMicrosecond / 2;
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const TracedRun& r) {
      return middle + kMicrosecond >= r.profile_start_ns && middle <= r.profile_end_ns;
    });
    if (run == runs.end()) {
      recorded_.resize(first);
    } else {
      for (std::size_t i = first; i < recorded_.size(); ++i) {
        recorded_[i].run = run->number;
        recorded_[i].start_ns =
            std::max(run->start_ns, recorded_[i].start_ns - run->profile_start_ns + run->start_ns);
      }
      std::stable_sort(recorded_.begin() + static_cast<std::ptrdiff_t>(first), recorded_.end(),
                       [](const Recorded& a, const Recorded& b) {
                         if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
                         return a.duration_ns > b.duration_ns;  // outer kernels go first
                       });
    }
    first = recorded_.size();
  });
  recorded_.resize(first);  // a run that did not end
  return events;
}

std::vector<std::pair<std::string, std::string>> KernelTrace::absent() const {
  auto all = fusion_.absent;
  if (kernels_.empty()) return all;  // nothing has run yet
  TextSet<std::string_view> placed;
  for (const Kernel& kernel : kernels_) placed.insert(kernel.sources.begin(), kernel.sources.end());
  for (const FusedKernel& fused : fusion_.kernels)
    for (const std::string& source : fused.sources)
      if (placed.insert(source).second) all.emplace_back(source, "in a branch that was not taken");
  return all;
}

bool KernelTrace::give(void* user, StrataOnKernel each) {
  const std::vector<Recorded> recorded = std::exchange(recorded_, {});
  bool whole = true;
  for (const Recorded& record : recorded) {
    const Kernel& kernel = kernels_[record.kernel];
    StrataKernel out = described(record.kernel, kernel, kernel.provider, kernel.sources);
    out.run = record.run;
    out.start_ns = record.start_ns;
    out.duration_ns = record.duration_ns;
    out.output_count = static_cast<std::int32_t>(record.ranks);
    out.output_ranks = ranks_.data() + record.first_rank;
    out.output_dims = dims_.data() + record.first_dim;
    whole = each(user, &out) == 0;
    if (!whole) break;
  }
  ranks_.clear();
  dims_.clear();
  return whole;
}

bool KernelTrace::give_plan(void* user, StrataOnKernel each) const {
  const std::string provider;  // known only when it has run
  for (std::size_t i = 0; i < fusion_.kernels.size(); ++i) {
    const FusedKernel& kernel = fusion_.kernels[i];
    std::vector<const char*> sources;
    for (const std::string& source : kernel.sources) sources.push_back(source.c_str());
    const StrataKernel out = described(i, kernel, provider, sources);
    if (each(user, &out) != 0) return false;
  }
  return true;
}

}  // namespace strata::ort

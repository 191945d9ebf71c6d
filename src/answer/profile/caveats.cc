#include "profile/caveats.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr double kSlowed = 0.05;  // a reader should know of a slowdown above this

std::string disturbed_sentence(const TimingFacts& timing) {
  const double wall = std::max(timing.wall_seconds, 1e-9);
  std::vector<std::string> signs;
  if (timing.wait_seconds >= 0)
    signs.push_back(fmt::format("its threads waited {} for a processor in {}",
                                human_seconds(timing.wait_seconds), human_seconds(wall)));
  if (timing.involuntary >= 0)
    signs.push_back(fmt::format("{} involuntary switches", timing.involuntary));
  if (timing.cpu_seconds >= 0)
    signs.push_back(fmt::format("cpu/wall {:.2f}", timing.cpu_seconds / wall));
  std::string out =
      fmt::format("Disturbed: other work ran on this machine ({})", fmt::join(signs, ", "));
  if (timing.withheld.empty())
    out += timing.threads != 1 ? "; only runs that did not wait count"
           : timing.waits_read ? "; the waiting is subtracted"
                               : "; waiting cannot be read here, so times are processor time";
  return out;
}

}  // namespace

std::vector<std::string> timing_caveats(const TimingFacts& timing) {
  std::vector<std::string> out;
  if (timing.partial)
    out.emplace_back("Partial: interrupted; values that were not measured are missing");
  if (!timing.withheld.empty())
    out.push_back(fmt::format("No interval and no claim: {}", timing.withheld));
  if (timing.slowed > kSlowed)
    out.push_back(fmt::format(
        "Shared: a test loop ran {:.0f} % slower on average than at its best, so others outside "
        "this machine use the same processor core; slowed runs are left out",
        100 * timing.slowed));
  if (timing.disturbed)
    out.push_back(disturbed_sentence(timing));
  else if (timing.noisy)
    out.emplace_back("Noisy: runs differ by more than 2.5 %, though none waited for a processor");
  if (!timing.unassigned.empty())
    out.push_back(fmt::format("Not found in any kernel: {} node{}, such as {}",
                              timing.unassigned.size(), timing.unassigned.size() == 1 ? "" : "s",
                              timing.unassigned.front()));
  return out;
}

std::string uncounted_caveat(const Profile& profile) {
  if (profile.unknown_ops.empty()) return "";
  return fmt::format("Not counted, so totals are lower bounds: {}",
                     fmt::join(profile.unknown_ops, ", "));
}

std::vector<std::string> caveats(const Profile& profile) {
  std::vector<std::string> out;
  if (profile.timing) out = timing_caveats(*profile.timing);
  if (std::string sentence = uncounted_caveat(profile); !sentence.empty())
    out.push_back(std::move(sentence));
  return out;
}

}  // namespace strata

// How a session runs its model, apart from the model.
#pragma once

#include <string>

#include <openvino/core/any.hpp>

#include "strata/engine/plugin.h"

namespace strata::openvino {

struct Settings {
  std::string precision;  // as asked for; empty: as stored
  int threads = 0;
  bool each_node = false;  // STRATA_OPT_NONE: no node is fused with another
  bool traces_time = false;
  bool keep_types = false;
  ov::AnyMap properties;  // OpenVINO's own, from hint=, streams= and config.KEY=
};

// Throws Failure for what does not exist. The engine's own options are
//   hint=latency|throughput  OpenVINO's performance hint; latency is the default
//   streams=N                number of streams
//   config.KEY=VALUE         a property of the CPU plugin, such as config.ENABLE_CPU_PINNING=NO
Settings read_settings(const StrataOpen& open);

// The properties to compile a model with that is stored in `stored` precision. Throws Failure if
// the processor has no kernels for the precision that was asked for.
ov::AnyMap properties_for(const Settings& settings, std::string_view stored,
                          const std::vector<std::string>& capabilities);

}  // namespace strata::openvino

// The job behind `strata payload`: what crosses the boundaries of a network and the places where it
// can be cut, and where a split between two machines pays.
#pragma once

#include <optional>
#include <string>

#include "strata/base/observer.h"
#include "strata/device/device.h"
#include "strata/report/payload.h"
#include "strata/task/model.h"

namespace strata {

// The speed at which a machine computes the layers: a stated speed, or measured times.
struct MachineRequest {
  std::optional<MachineSpeed> speed = {};  // nullopt: see `profile`
  std::optional<Device> device = {};       // its times are predicted
  std::string profile = {};                // a saved profile with a column `time`
  std::string name = {};                   // in reports: as the caller calls it
};

// `uint8`, or `jpeg:0.1`: the bytes of an element of an input as it is sent.
Result<double> parse_input_bytes(std::string_view text);
// `50GFLOP/s,20GB/s`, the name of a device, or the path of a saved profile.
Result<MachineRequest> parse_machine(const std::string& text);

struct SplitRequest {
  SplitOptions options;         // of the link, and of what is sent
  MachineRequest edge, server;  // the input is on the edge
};

struct PayloadRequest {
  ModelRequest model;
  bool as_stored = false;  // CountOptions::as_stored
  bool boundaries = true;  // what enters and leaves each module call and operation
  bool cuts = true;        // what crosses at each place the network can be cut
  std::optional<SplitRequest> split = {};
  bool may_lack_split = false;  // if no split can be found, it is left out and the outcome says why
  // Every place to cut will be listed, as in formats for programs, not only those that ship less
  // than their neighbours. With many tensors that live long, the list of what they ship is much
  // longer than the file; beyond a limit it is an error.
  bool all_places = false;
};

// It may be moved, but not copied: costs refer to the model.
struct PayloadOutcome {
  PayloadOutcome() = default;
  PayloadOutcome(PayloadOutcome&&) = default;
  PayloadOutcome& operator=(PayloadOutcome&&) = default;

  LoadedModel loaded;
  Costs costs;
  Layers layers;
  std::optional<Boundaries> boundaries;
  std::optional<Cuts> cuts;
  std::optional<Split> split;
  std::string edge, server;  // names of the two machines
  std::string how_sure;      // of their times
  std::string why_no_split;  // if it was left out

  PayloadSource source() const { return {loaded.model, costs, layers, loaded.inference}; }
  std::optional<NamedSplit> named_split() const;  // refers to this object
};

// Everything is computed from the file, and nothing is run.
Result<PayloadOutcome> run_payload(const PayloadRequest& request, const Observer& observer = {});

}  // namespace strata

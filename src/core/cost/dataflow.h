// The network's own graph as steps that pass tensors to each other: the basis for cuts and splits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strata/cost/layers.h"

namespace strata {

// A layer together with the bodies that its nodes run.
struct Step {
  std::uint32_t layer = kNone;  // index into Layers::list
  NodeId last = 0;              // its last node in the network's own graph
  bool computes = false;        // false: only constants and views
};

// An activation and its reshaped views, which share one piece of memory.
struct Buffer {
  TensorId tensor = kNone;                      // the tensor that the views refer to
  std::uint32_t maker = kNone;                  // step; kNone: an input of the network
  std::uint32_t first_reader = 0, readers = 0;  // a range in Dataflow::readers
  NodeId made = kNone;                          // node; kNone: an input
  NodeId last_read = kNone;                     // node; kNone: it is never read
  bool is_output = false;                       // an output of the network, itself or as a view
};

struct Dataflow {
  std::vector<Step> steps;                   // sorted by last node
  std::vector<std::uint32_t> step_of_layer;  // for a layer inside a body, the step that runs it
  std::vector<Buffer> buffers;               // in the order they are made, inputs first
  std::vector<std::uint32_t> readers;        // steps, once per buffer and without the maker

  std::span<const std::uint32_t> readers_of(const Buffer& buffer) const {
    return std::span(readers).subspan(buffer.first_reader, buffer.readers);
  }
};

// Takes time linear in nodes and edges.
Dataflow find_dataflow(const Model& model, const Costs& costs, const Layers& layers);

}  // namespace strata

// The code of well-known modules, where a graph does not show it: which of its values it keeps in a
// variable, and what it computes in place.
#pragma once

#include <string_view>
#include <vector>

#include "strata/graph/graph.h"

namespace strata {

// A value that stays in a variable after its last read.
struct KnownLocal {
  std::string_view made_by;     // a module inside, or an operator of the body itself
  std::string_view until = {};  // the exit of this module inside; empty: the exit of the body
};

struct KnownBody {
  static constexpr std::size_t kNames = 6;

  std::string_view cls;               // torchvision's name for it
  std::string_view children[kNames];  // if a file does not state the class: it has all of these
                                      // children. Empty: too common to recognise
  bool sums_in_place = false;         // `out += identity`
  bool relu_in_place = true;
  KnownLocal locals[2] = {};
};

// Indexed by scope; nullptr: not known.
std::vector<const KnownBody*> find_known_bodies(const Model& model);

}  // namespace strata

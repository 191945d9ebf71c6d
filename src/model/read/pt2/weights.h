// Sorts the inputs of the exported graph into parameters, buffers and constants.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "read/pt2/graph.h"
#include "read/pt2/loading.h"

namespace strata::pt2 {

// Where the archive keeps each weight. Weights that share memory have the same place.
class WeightPlaces {
 public:
  struct Place {
    std::string_view file;    // empty: the archive has no elements of it, or does not say
    std::int64_t offset = 0;  // elements before the first of this weight

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes its own 0 for one of ours
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  // Reads a config of the archive, a JSON text.
  void read(Loading& loading, JsonText& json);
  Place place_of(std::string_view name) const;
  // False for archives of older releases, which have only pickles.
  bool known() const { return known_; }

 private:
  NameTable numbers_;
  std::vector<Place> places_;
  bool known_ = false;
};

// Reads a GraphSignature and makes initializers of the inputs of `network` that are stored.
class Signature {
 public:
  void read(Loading& loading, JsonText& json);
  void apply(GraphReader& network, const WeightPlaces& places) const;

 private:
  struct Stored {
    std::string_view argument, name;
    Learned learned;
  };
  std::vector<Stored> stored_;
};

}  // namespace strata::pt2

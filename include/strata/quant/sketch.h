// What the elements of a tensor are like, over any number of samples, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/dtype.h"
#include "strata/quant/paged_counters.h"

namespace strata {

// All that a sketch knows. Counters are laid out as src/quant/sketch_grid.h says.
struct SketchParts {
  std::uint64_t zeros = 0;  // of either sign
  std::uint64_t nans = 0;
  std::uint64_t positive_infinities = 0, negative_infinities = 0;
  // Exact, over the finite elements; infinity and its negative if there are none.
  float min, max;
  PagedCounters counters = {};  // of finite elements that are not zero
  // The same as min and max for every channel; empty if channels are not told apart.
  std::vector<float> channel_min = {}, channel_max = {};

  SketchParts();
  bool operator==(const SketchParts&) const = default;
};

// Elements from `low` to `high`.
struct SketchBin {
  double low, high;  // equal: all of them are this number
  std::uint64_t count;
};

struct SketchOptions {
  std::int64_t channels = 0;  // 0: no minimum and maximum by channel
};

// A histogram indexed by the upper 16 bits of a float: a bin is at most 0.8 % wide,
// at any magnitude. In the four octaves below the largest |x| there are even steps
// instead, 2048 to 4095 from zero to the largest |x|: a linear histogram, exactly as
// one that had known the largest |x| from the start. Sketches of parts of the data add
// up to the sketch of all of it, whatever the order.
//
// What is not finite is counted apart and is in no bin, minimum or maximum.
class Sketch {
 public:
  explicit Sketch(SketchOptions options = {});
  // Refuses parts that no data can have.
  static Result<Sketch> from_parts(SketchParts parts);

  // Row-major: outer × channels × `inner` elements. Where channels are told apart, a
  // number of elements that is no multiple of channels × inner is refused.
  Status add(std::span<const float> values, std::int64_t inner = 1);
  // f32, f16, bf16 and f64, which is rounded to f32. Other types are refused.
  Status add(DType type, std::span<const std::byte> elements, std::int64_t inner = 1);

  // As if all elements of the other had been added here.
  Status merge(const Sketch& other);

  std::uint64_t count() const;  // of all elements
  std::uint64_t finite() const;
  std::uint64_t zeros() const { return parts_.zeros; }
  std::uint64_t nans() const { return parts_.nans; }
  std::uint64_t infinities() const {
    return parts_.positive_infinities + parts_.negative_infinities;
  }
  // Of finite elements; nullopt if there are none.
  std::optional<float> min() const;
  std::optional<float> max() const;

  std::int64_t channels() const { return static_cast<std::int64_t>(parts_.channel_min.size()); }

  // Finite elements, ascending; zeros have a bin to themselves, and the outermost bins
  // end at min() and max().
  std::vector<SketchBin> bins() const;

  const SketchParts& parts() const { return parts_; }
  std::size_t heap_bytes() const;
  bool operator==(const Sketch&) const = default;

 private:
  friend class SketchAdder;
  void reach(float min, float max);

  SketchParts parts_;
};

}  // namespace strata

// The distribution of a tensor's elements, over any number of samples, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/dtype.h"

namespace strata {

// Elements from `low` to `high`.
struct SketchBin {
  double low, high;  // equal: every element is this number
  std::uint64_t count;
};

struct SketchParts;  // the whole state of a sketch

struct SketchOptions {
  std::int64_t channels = 0;  // 0: no per-channel minimum and maximum
};

// A histogram indexed by the upper 16 bits of a float: a bin is at most 0.8 % wide, at any
// magnitude. The four octaves below the largest |x| have even steps instead, 2048 to 4095 from zero
// to the largest |x|: a linear histogram, exactly as if the largest |x| had been known from the
// start. Sketches of parts of the data add up to the sketch of all of it, in any order.
//
// Elements that are not finite are counted separately and are in no bin, minimum or maximum.
class Sketch {
 public:
  explicit Sketch(SketchOptions options = {});
  Sketch(const Sketch& other);
  Sketch& operator=(const Sketch& other);
  Sketch(Sketch&&) noexcept;
  Sketch& operator=(Sketch&&) noexcept;
  ~Sketch();
  // Refuses parts that no data can produce.
  static Result<Sketch> from_parts(SketchParts parts);

  // Row-major: outer × channels × `inner` elements. If channels are distinguished, the number of
  // elements must be a multiple of channels × inner.
  Status add(std::span<const float> values, std::int64_t inner = 1);
  // Takes f32, f16, bf16 and f64, which is rounded to f32. Other types are refused.
  Status add(DType type, std::span<const std::byte> elements, std::int64_t inner = 1);

  // The result is as if all elements of the other had been added here.
  Status merge(const Sketch& other);

  std::uint64_t count() const;  // number of all elements
  std::uint64_t finite() const;
  std::uint64_t zeros() const;
  std::uint64_t nans() const;
  std::uint64_t infinities() const;
  // Over the finite elements; nullopt if there are none.
  std::optional<float> min() const;
  std::optional<float> max() const;

  std::int64_t channels() const;

  // Finite elements, ascending; zeros have their own bin, and the outermost bins end at min() and
  // max().
  std::vector<SketchBin> bins() const;

  const SketchParts& parts() const { return *parts_; }
  std::size_t heap_bytes() const;
  bool operator==(const Sketch& other) const;

 private:
  friend class SketchAdder;
  void reach(float min, float max);

  std::unique_ptr<SketchParts> parts_;
};

}  // namespace strata

// Adds elements to a sketch. One block at a time goes through three loops while it is in the
// nearest cache: positions of its elements, counting, and channels.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "base/half.h"
#include "calibrate/sketch_kernels.h"
#include "calibrate/sketch_state.h"
#include "strata/calibrate/sketch.h"

namespace strata {

namespace {

constexpr std::size_t kBlock = 2048;
constexpr std::uint32_t kPageSize = PagedCounters::kPageSize;

// Neighbouring elements are similar: with one table, counting an element would wait for the one
// before. Several tables pay off from this many elements on, because they are added up at the end.
constexpr std::size_t kTables = 4, kManyElements = 32768;
// No two tables begin at the same offset within a page of memory, because processors mistake
// addresses with equal low bits for the same address.
constexpr std::size_t kTableSize = kPositions + 272;

// One for each thread, because it is larger than most sketches. It is all zeros between calls.
struct Scratch {
  std::uint32_t counts[kTables][kTableSize] = {};
  std::uint32_t positions[kBlock + kPositionSlack];
  float finite[kBlock];
  float converted[kBlock];
};

Scratch& scratch() {
  static thread_local const auto kOne = std::make_unique<Scratch>();
  return *kOne;
}

}  // namespace

class SketchAdder {
 public:
  SketchAdder(Sketch& sketch, std::int64_t inner, std::size_t elements)
      : tables_(elements < kManyElements ? 1 : kTables),
        sketch_(sketch),
        parts_(*sketch.parts_),
        grid_(parts_.min, parts_.max),
        inner_(static_cast<std::size_t>(inner)),
        channels_(parts_.channel_min.size()) {
    parts_.counters.prefetch();
  }
  ~SketchAdder() { flush(); }
  SketchAdder(const SketchAdder&) = delete;
  SketchAdder& operator=(const SketchAdder&) = delete;

  // Adds elements that follow the previous ones.
  void add(std::span<const float> values) {
    while (!values.empty()) {
      const auto block = values.first(std::min(values.size(), kBlock));
      const bool all_finite = count(block);
      if (channels_ != 0) widen_channels(block, all_finite);
      first_ += block.size();
      values = values.subspan(block.size());
    }
  }

 private:
  // True if all elements are finite.
  bool count(std::span<const float> block) {
    BlockFacts facts = kernel_.place(block, grid_, scratch_.positions);
    const bool all_finite = facts.largest < kInfinityBits;
    if (!all_finite) {
      block = take_out_the_rest(block);
      if (block.empty()) return false;
      facts = kernel_.place(block, grid_, scratch_.positions);
    }
    if (facts.largest >= grid_.end_bits) {
      flush();
      grid_ = SketchGrid(facts.largest);
      facts = kernel_.place(block, grid_, scratch_.positions);
    }
    sketch_.reach(std::min(parts_.min, facts.low), std::max(parts_.max, facts.high));
    count_positions({scratch_.positions, facts.placed});
    low_ = std::min(low_, facts.low);
    high_ = std::max(high_, facts.high);
    parts_.zeros += block.size() - facts.placed;
    least_ = std::min(least_, facts.smallest);
    most_ = std::max(most_, facts.largest);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 31;  // half of what a counter holds
    if ((unflushed_ += facts.placed) > kMost) flush();
    return all_finite;
  }

  void count_positions(std::span<const std::uint32_t> positions) {
    auto& counts = scratch_.counts;
    const std::uint32_t *next = positions.data(), *end = next + positions.size();
    if (tables_ == kTables)
      for (; end - next >= 4; next += 4) {
        ++counts[0][next[0]];
        ++counts[1][next[1]];
        ++counts[2][next[2]];
        ++counts[3][next[3]];
      }
    for (; next != end; ++next) ++counts[0][*next];
  }

  // Counts the elements that are not finite, and returns the others.
  std::span<const float> take_out_the_rest(std::span<const float> block) {
    std::size_t kept = 0;
    for (const float value : block) {
      if (std::isfinite(value))
        scratch_.finite[kept++] = value;
      else if (std::isnan(value))
        ++parts_.nans;
      else
        ++(value > 0 ? parts_.positive_infinities : parts_.negative_infinities);
    }
    return {scratch_.finite, kept};
  }

  // Moves what has been counted since the last flush to the sketch.
  void flush() {
    if (unflushed_ == 0) return;
    const std::uint32_t first = (least_ + 1) >> 23;  // exponents, which are pages
    const std::uint32_t end = std::min(most_ >> 23, (grid_.first_bits >> 23) - 1) + 1;
    for (const std::uint32_t sign : {0U, 1U}) {
      if (sign == 0 ? high_ <= 0 : low_ >= 0) continue;
      for (std::uint32_t page = first; page < end; ++page)
        flush_page(page + sign * (0x8000 / kPageSize));
      const std::uint32_t first_step = (kFirstStep + sign * kStepsPerSign) / kPageSize;
      for (std::uint32_t page = kLeastStep / kPageSize; page < kStepsPerSign / kPageSize; ++page)
        flush_page(first_step + page);
    }
    least_ = BlockFacts{}.smallest;
    most_ = 0;
    low_ = BlockFacts{}.low;
    high_ = BlockFacts{}.high;
    unflushed_ = 0;
  }
  void flush_page(std::uint32_t page) {
    std::uint32_t* counts = scratch_.counts[0] + std::size_t{page} * kPageSize;
    for (std::size_t table = 1; table < tables_; ++table) {
      std::uint32_t* __restrict more = counts + table * kTableSize;
      for (std::uint32_t i = 0; i < kPageSize; ++i) counts[i] += more[i];
      std::fill_n(more, kPageSize, 0U);
    }
    parts_.counters.add_page(page, std::span<const std::uint32_t, kPageSize>(counts, kPageSize));
    std::fill_n(counts, kPageSize, 0U);
  }

  void widen_channels(std::span<const float> block, bool all_finite) {
    if (!all_finite) {
      for (std::size_t i = 0; i < block.size(); ++i)
        if (std::isfinite(block[i])) widen((first_ + i) / inner_ % channels_, block.subspan(i, 1));
      return;
    }
    for (std::size_t at = first_; !block.empty();) {
      // A run of one channel, or one element each of channels that follow each other.
      const std::size_t channel = at / inner_ % channels_;
      const std::size_t length =
          std::min(block.size(), inner_ == 1 ? channels_ - channel : inner_ - at % inner_);
      const auto run = block.first(length);
      if (inner_ == 1)
        kernel_.widen_each(run, parts_.channel_min.data() + channel,
                           parts_.channel_max.data() + channel);
      else
        widen(channel, run);
      at += length;
      block = block.subspan(length);
    }
  }
  void widen(std::size_t channel, std::span<const float> run) {
    kernel_.widen(run, parts_.channel_min[channel], parts_.channel_max[channel]);
  }

  std::size_t tables_;
  Sketch& sketch_;
  SketchParts& parts_;
  const SketchKernel& kernel_ = sketch_kernel();
  Scratch& scratch_ = scratch();
  SketchGrid grid_;
  std::size_t inner_, channels_;
  std::size_t first_ = 0;  // number of the next element
  std::uint64_t unflushed_ = 0;
  // Like in BlockFacts, for elements that have not been flushed.
  std::uint32_t least_ = BlockFacts{}.smallest, most_ = 0;
  float low_ = BlockFacts{}.low, high_ = BlockFacts{}.high;
};

namespace {

template <class Element, class Convert>
void add_converted(SketchAdder& adder, std::span<const std::byte> elements, Convert convert) {
  float* converted = scratch().converted;
  while (!elements.empty()) {
    const std::size_t count = std::min(elements.size() / sizeof(Element), kBlock);
    for (std::size_t i = 0; i < count; ++i) {
      Element element;
      std::memcpy(&element, elements.data() + i * sizeof element, sizeof element);
      converted[i] = convert(element);
    }
    adder.add({converted, count});
    elements = elements.subspan(count * sizeof(Element));
  }
}

}  // namespace

Status Sketch::add(std::span<const float> values, std::int64_t inner) {
  return add(DType::F32, std::as_bytes(values), inner);
}

Status Sketch::add(DType type, std::span<const std::byte> elements, std::int64_t inner) {
  if (type != DType::F32 && type != DType::F16 && type != DType::BF16 && type != DType::F64)
    return failure(
        fmt::format("a sketch counts f32, f16, bf16 and f64, and the elements are {}; "
                    "leave this tensor out",
                    name_of(type)));
  const std::size_t size = static_cast<std::size_t>(bits(type)) / 8;
  if (elements.size() % size != 0)
    return failure(fmt::format("{} bytes are not a whole number of elements of {}", elements.size(),
                               name_of(type)));
  // In two steps, because the product of channels and inner may overflow.
  const std::size_t runs = inner < 1 ? 0 : elements.size() / size / static_cast<std::size_t>(inner);
  if (channels() != 0 && (runs * static_cast<std::size_t>(inner) != elements.size() / size ||
                          runs % static_cast<std::size_t>(channels()) != 0))
    return failure(fmt::format("{} elements are not divided by {} channels of {} elements",
                               elements.size() / size, channels(), inner));

  SketchAdder adder(*this, std::max<std::int64_t>(inner, 1), elements.size() / size);
  if (type == DType::F32 && reinterpret_cast<std::uintptr_t>(elements.data()) % alignof(float) == 0)
    adder.add({reinterpret_cast<const float*>(elements.data()), elements.size() / size});
  else if (type == DType::F32)
    add_converted<float>(adder, elements, [](float value) { return value; });
  else if (type == DType::F64)
    add_converted<double>(adder, elements, [](double value) { return static_cast<float>(value); });
  else if (type == DType::F16)
    add_converted<std::uint16_t>(adder, elements, half_value);
  else
    add_converted<std::uint16_t>(adder, elements, bfloat_value);
  return {};
}

}  // namespace strata

#include "calibrate/sketch_kernels.h"

#include <algorithm>
#include <bit>

#include "base/intrinsics.h"

namespace strata {

namespace {

void portable_widen(std::span<const float> values, float& low, float& high) {
  float least = low, most = high;
  for (const float value : values) {
    least = value < least ? value : least;
    most = value > most ? value : most;
  }
  low = least;
  high = most;
}

void portable_widen_each(std::span<const float> values, float* low, float* high) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    low[i] = values[i] < low[i] ? values[i] : low[i];
    high[i] = values[i] > high[i] ? values[i] : high[i];
  }
}

// Adds to the facts about the previous elements.
void place_one_by_one(std::span<const float> block, const SketchGrid& grid,
                      std::uint32_t* positions, BlockFacts& facts) {
  portable_widen(block, facts.low, facts.high);
  // Local copies: the compiler knows that `positions` does not alias them.
  const SketchGrid on = grid;
  std::uint32_t largest = facts.largest, smallest = facts.smallest;
  std::uint32_t* out = positions + facts.placed;
  for (const float value : block) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffff;
    largest = std::max(largest, magnitude);
    if (magnitude >= on.end_bits) continue;
    smallest = std::min(smallest, magnitude - 1);
    *out = on.position(bits);
    out += magnitude != 0;
  }
  facts.largest = largest;
  facts.smallest = smallest;
  facts.placed = static_cast<std::size_t>(out - positions);
}

BlockFacts portable_place(std::span<const float> block, const SketchGrid& grid,
                          std::uint32_t* positions) {
  BlockFacts facts;
  place_one_by_one(block, grid, positions, facts);
  return facts;
}

bool always() { return true; }

#if defined(__x86_64__)

// The elements that a loop over whole registers leaves over.
std::span<const float> rest(std::span<const float> block, std::size_t lanes) {
  return block.subspan(block.size() / lanes * lanes);
}

template <std::size_t kLanes>
void take(const std::uint32_t (&largest)[kLanes], const std::uint32_t (&smallest)[kLanes],
          const float (&low)[kLanes], const float (&high)[kLanes], BlockFacts& facts) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    facts.largest = std::max(facts.largest, largest[i]);
    facts.smallest = std::min(facts.smallest, smallest[i]);
    facts.low = std::min(facts.low, low[i]);
    facts.high = std::max(facts.high, high[i]);
  }
}

#define STRATA_AVX512 __attribute__((target("avx512f,popcnt")))

STRATA_AVX512 BlockFacts avx512_place(std::span<const float> block, const SketchGrid& grid,
                                      std::uint32_t* positions) {
  const __m512i magnitude_bits = _mm512_set1_epi32(0x7fffffff);
  const __m512i first = _mm512_set1_epi32(static_cast<int>(grid.first_bits));
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i first_step = _mm512_set1_epi32(kFirstStep);
  const __m512i negative_step = _mm512_set1_epi32(kStepsPerSign);
  const __m512 steps_per_unit = _mm512_set1_ps(grid.steps_per_unit);
  BlockFacts facts;
  __m512i largest = _mm512_setzero_si512();
  __m512i smallest = _mm512_set1_epi32(-1);
  __m512 low = _mm512_set1_ps(facts.low), high = _mm512_set1_ps(facts.high);
  const float* next = block.data();
  std::uint32_t* out = positions;
  for (std::size_t n = block.size() / 16; n > 0; --n, next += 16) {
    const __m512 value = _mm512_loadu_ps(next);
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i magnitude = _mm512_and_si512(bits, magnitude_bits);
    low = _mm512_min_ps(low, value);
    high = _mm512_max_ps(high, value);
    largest = _mm512_max_epu32(largest, magnitude);
    smallest = _mm512_min_epu32(smallest, _mm512_sub_epi32(magnitude, one));
    const __mmask16 in_steps = _mm512_cmpge_epi32_mask(magnitude, first);
    const __m512i steps = _mm512_cvttps_epi32(
        _mm512_maskz_mul_ps(in_steps, _mm512_castsi512_ps(magnitude), steps_per_unit));
    // steps | (sign & negative_step)
    const __m512i with_sign =
        _mm512_ternarylogic_epi32(steps, _mm512_srli_epi32(bits, 19), negative_step, 0xf8);
    const __m512i position =
        _mm512_mask_or_epi32(_mm512_srli_epi32(bits, 16), in_steps, with_sign, first_step);
    const __mmask16 placed = _mm512_test_epi32_mask(magnitude, magnitude);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(placed, position));
    out += __builtin_popcount(placed);
  }
  std::uint32_t largest_of[16], smallest_of[16];
  float low_of[16], high_of[16];
  _mm512_storeu_si512(largest_of, largest);
  _mm512_storeu_si512(smallest_of, smallest);
  _mm512_storeu_ps(low_of, low);
  _mm512_storeu_ps(high_of, high);
  take(largest_of, smallest_of, low_of, high_of, facts);
  facts.placed = static_cast<std::size_t>(out - positions);
  place_one_by_one(rest(block, 16), grid, positions, facts);
  return facts;
}

STRATA_AVX512 void avx512_widen(std::span<const float> values, float& low, float& high) {
  __m512 lows = _mm512_set1_ps(low), highs = _mm512_set1_ps(high);
  const float* next = values.data();
  for (std::size_t n = values.size() / 16; n > 0; --n, next += 16) {
    const __m512 value = _mm512_loadu_ps(next);
    lows = _mm512_min_ps(lows, value);
    highs = _mm512_max_ps(highs, value);
  }
  low = _mm512_reduce_min_ps(lows);
  high = _mm512_reduce_max_ps(highs);
  portable_widen(rest(values, 16), low, high);
}

STRATA_AVX512 void avx512_widen_each(std::span<const float> values, float* low, float* high) {
  std::size_t i = 0;
  for (; i + 16 <= values.size(); i += 16) {
    const __m512 value = _mm512_loadu_ps(values.data() + i);
    _mm512_storeu_ps(low + i, _mm512_min_ps(_mm512_loadu_ps(low + i), value));
    _mm512_storeu_ps(high + i, _mm512_max_ps(_mm512_loadu_ps(high + i), value));
  }
  portable_widen_each(values.subspan(i), low + i, high + i);
}

bool has_avx512() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt"); }

// For every mask of eight lanes, the numbers of those that are set, at the front.
struct Packing {
  alignas(32) std::uint8_t lanes[256][8] = {};
  constexpr Packing() {
    for (unsigned mask = 0; mask < 256; ++mask) {
      unsigned packed = 0;
      for (unsigned lane = 0; lane < 8; ++lane)
        if ((mask >> lane & 1) != 0) lanes[mask][packed++] = static_cast<std::uint8_t>(lane);
    }
  }
};
constexpr Packing kPacking;

#define STRATA_AVX2 __attribute__((target("avx2,popcnt")))

STRATA_AVX2 BlockFacts avx2_place(std::span<const float> block, const SketchGrid& grid,
                                  std::uint32_t* positions) {
  const __m256i magnitude_bits = _mm256_set1_epi32(0x7fffffff);
  const __m256i below_first = _mm256_set1_epi32(static_cast<int>(grid.first_bits) - 1);
  const __m256i first = _mm256_set1_epi32(static_cast<int>(grid.first_bits));
  const __m256i one = _mm256_set1_epi32(1);
  const __m256i first_step = _mm256_set1_epi32(kFirstStep);
  const __m256i negative_step = _mm256_set1_epi32(kStepsPerSign);
  const __m256 steps_per_unit = _mm256_set1_ps(grid.steps_per_unit);
  BlockFacts facts;
  __m256i largest = _mm256_setzero_si256();
  __m256i smallest = _mm256_set1_epi32(-1);
  __m256 low = _mm256_set1_ps(facts.low), high = _mm256_set1_ps(facts.high);
  const float* next = block.data();
  std::uint32_t* out = positions;
  for (std::size_t n = block.size() / 8; n > 0; --n, next += 8) {
    const __m256 value = _mm256_loadu_ps(next);
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i magnitude = _mm256_and_si256(bits, magnitude_bits);
    low = _mm256_min_ps(low, value);
    high = _mm256_max_ps(high, value);
    largest = _mm256_max_epu32(largest, magnitude);
    smallest = _mm256_min_epu32(smallest, _mm256_sub_epi32(magnitude, one));
    const __m256i in_steps = _mm256_cmpgt_epi32(magnitude, below_first);
    // Avoids multiplying subnormal numbers, which is slow.
    const __m256i steps = _mm256_cvttps_epi32(
        _mm256_mul_ps(_mm256_castsi256_ps(_mm256_max_epi32(magnitude, first)), steps_per_unit));
    const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(bits, 19), negative_step);
    const __m256i step = _mm256_or_si256(_mm256_or_si256(steps, sign), first_step);
    const __m256i position = _mm256_blendv_epi8(_mm256_srli_epi32(bits, 16), step, in_steps);
    const __m256i zero = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
    const unsigned placed =
        static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(zero))) ^ 0xff;
    const __m256i order = _mm256_cvtepu8_epi32(
        _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPacking.lanes[placed])));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                        _mm256_permutevar8x32_epi32(position, order));
    out += __builtin_popcount(placed);
  }
  std::uint32_t largest_of[8], smallest_of[8];
  float low_of[8], high_of[8];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(largest_of), largest);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(smallest_of), smallest);
  _mm256_storeu_ps(low_of, low);
  _mm256_storeu_ps(high_of, high);
  take(largest_of, smallest_of, low_of, high_of, facts);
  facts.placed = static_cast<std::size_t>(out - positions);
  place_one_by_one(rest(block, 8), grid, positions, facts);
  return facts;
}

STRATA_AVX2 void avx2_widen(std::span<const float> values, float& low, float& high) {
  __m256 lows = _mm256_set1_ps(low), highs = _mm256_set1_ps(high);
  const float* next = values.data();
  for (std::size_t n = values.size() / 8; n > 0; --n, next += 8) {
    const __m256 value = _mm256_loadu_ps(next);
    lows = _mm256_min_ps(lows, value);
    highs = _mm256_max_ps(highs, value);
  }
  float low_of[8], high_of[8];
  _mm256_storeu_ps(low_of, lows);
  _mm256_storeu_ps(high_of, highs);
  // Each end for itself: without eight values, the lows are still what was given, perhaps infinity.
  low = *std::min_element(low_of, low_of + 8);
  high = *std::max_element(high_of, high_of + 8);
  portable_widen(rest(values, 8), low, high);
}

STRATA_AVX2 void avx2_widen_each(std::span<const float> values, float* low, float* high) {
  std::size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    const __m256 value = _mm256_loadu_ps(values.data() + i);
    _mm256_storeu_ps(low + i, _mm256_min_ps(_mm256_loadu_ps(low + i), value));
    _mm256_storeu_ps(high + i, _mm256_max_ps(_mm256_loadu_ps(high + i), value));
  }
  portable_widen_each(values.subspan(i), low + i, high + i);
}

bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"); }

#endif

constexpr SketchKernel kKernels[] = {
#if defined(__x86_64__)
    {"avx512f", has_avx512, avx512_place, avx512_widen, avx512_widen_each},
    {"avx2", has_avx2, avx2_place, avx2_widen, avx2_widen_each},
#endif
    {"portable", always, portable_place, portable_widen, portable_widen_each},
};

}  // namespace

std::span<const SketchKernel> sketch_kernels() { return kKernels; }

const SketchKernel& sketch_kernel() {
  static const SketchKernel& fastest =
      *std::find_if(std::begin(kKernels), std::end(kKernels),
                    [](const auto& kernel) { return kernel.runs_here(); });
  return fastest;
}

}  // namespace strata

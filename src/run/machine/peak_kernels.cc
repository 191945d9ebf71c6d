#include "machine/peak_kernels.h"

#include <cstring>

#include "base/intrinsics.h"

namespace strata {

namespace {

// Enough chains to hide the latency of one instruction behind the others. Named one by
// one, because compilers keep an array in memory unless they unroll its loop.
constexpr int kChains = 12;
#define FOR_EACH_CHAIN(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)

using Four = float __attribute__((vector_size(16)));

float portable(std::int64_t rounds) {
#define START(i)    \
  Four sum##i = {}; \
  asm volatile("" : "+x"(sum##i));  // otherwise equal chains would be merged
#define STEP(i) sum##i = sum##i * a + b;
#define TAKE(i) total += sum##i[0] + sum##i[3];
  FOR_EACH_CHAIN(START)
  Four a = {1.0F, 1.0F, 1.0F, 1.0F}, b = {1e-9F, 1e-9F, 1e-9F, 1e-9F};
  for (std::int64_t n = 0; n < rounds; ++n) {
    asm volatile("" : "+x"(a), "+x"(b));  // otherwise it would be computed only once
    FOR_EACH_CHAIN(STEP)
  }
  float total = 0;
  FOR_EACH_CHAIN(TAKE)
  return total;
#undef START
#undef STEP
#undef TAKE
}
bool always() { return true; }

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) float avx2(std::int64_t rounds) {
#define START(i)                       \
  __m256 sum##i = _mm256_setzero_ps(); \
  asm volatile("" : "+x"(sum##i));
#define STEP(i) sum##i = _mm256_fmadd_ps(sum##i, a, b);
#define TAKE(i) total += _mm256_cvtss_f32(sum##i);
  FOR_EACH_CHAIN(START)
  __m256 a = _mm256_set1_ps(1.0F), b = _mm256_set1_ps(1e-9F);
  for (std::int64_t n = 0; n < rounds; ++n) {
    asm volatile("" : "+x"(a), "+x"(b));
    FOR_EACH_CHAIN(STEP)
  }
  float total = 0;
  FOR_EACH_CHAIN(TAKE)
  return total;
#undef START
#undef STEP
#undef TAKE
}
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

#define START(i)                       \
  __m512 sum##i = _mm512_setzero_ps(); \
  asm volatile("" : "+v"(sum##i));
#define TAKE(i) total += _mm512_cvtss_f32(sum##i);

__attribute__((target("avx512f"))) float avx512(std::int64_t rounds) {
#define STEP(i) sum##i = _mm512_fmadd_ps(sum##i, a, b);
  FOR_EACH_CHAIN(START)
  __m512 a = _mm512_set1_ps(1.0F), b = _mm512_set1_ps(1e-9F);
  for (std::int64_t n = 0; n < rounds; ++n) {
    asm volatile("" : "+v"(a), "+v"(b));
    FOR_EACH_CHAIN(STEP)
  }
  float total = 0;
  FOR_EACH_CHAIN(TAKE)
  return total;
#undef STEP
}
bool has_avx512() { return __builtin_cpu_supports("avx512f"); }

__attribute__((target("avx512f,avx512bf16"))) float bf16(std::int64_t rounds) {
#define STEP(i) sum##i = _mm512_dpbf16_ps(sum##i, a, b);
  FOR_EACH_CHAIN(START)
  __m512bh a, b;
  std::memset(&a, 0x3c, sizeof a);
  std::memset(&b, 0x3d, sizeof b);
  for (std::int64_t n = 0; n < rounds; ++n) {
    asm volatile("" : "+v"(a), "+v"(b));
    FOR_EACH_CHAIN(STEP)
  }
  float total = 0;
  FOR_EACH_CHAIN(TAKE)
  return total;
#undef STEP
}
bool has_bf16() { return has_avx512() && __builtin_cpu_supports("avx512bf16"); }

#undef START
#undef TAKE

__attribute__((target("avx512f,avx512vnni"))) float vnni(std::int64_t rounds) {
#define START(i)                           \
  __m512i sum##i = _mm512_setzero_si512(); \
  asm volatile("" : "+v"(sum##i));
#define STEP(i) sum##i = _mm512_dpbusd_epi32(sum##i, a, b);
#define TAKE(i) all = _mm512_add_epi32(all, sum##i);
  FOR_EACH_CHAIN(START)
  __m512i a = _mm512_set1_epi8(1), b = _mm512_set1_epi8(2);
  for (std::int64_t n = 0; n < rounds; ++n) {
    asm volatile("" : "+v"(a), "+v"(b));
    FOR_EACH_CHAIN(STEP)
  }
  __m512i all = _mm512_setzero_si512();
  FOR_EACH_CHAIN(TAKE)
  return static_cast<float>(_mm_cvtsi128_si32(_mm512_castsi512_si128(all)));
#undef START
#undef STEP
#undef TAKE
}
bool has_vnni() { return has_avx512() && __builtin_cpu_supports("avx512vnni"); }

#endif

// Chains × lanes × two operations; a dot product of four bytes is eight.
constexpr PeakKernel kKernels[] = {
#if defined(__x86_64__)
    {"avx512f", PeakKind::Fp32, has_avx512, avx512, kChains * 16 * 2.0},
    {"avx2", PeakKind::Fp32, has_avx2, avx2, kChains * 8 * 2.0},
    {"avx512_bf16", PeakKind::Bf16, has_bf16, bf16, kChains * 32 * 2.0},
    {"avx512_vnni", PeakKind::Int8, has_vnni, vnni, kChains * 64 * 2.0},
#endif
    {"portable", PeakKind::Fp32, always, portable, kChains * 4 * 2.0},
};

}  // namespace

std::span<const PeakKernel> peak_kernels() { return kKernels; }

}  // namespace strata

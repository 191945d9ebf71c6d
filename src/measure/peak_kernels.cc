#include "measure/peak_kernels.h"

#include <cstring>

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 warns about its own header, where a register is left as it was on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

namespace strata {

namespace {

// Enough chains that the latency of one instruction hides behind the others.
constexpr int kChains = 12;

using Four = float __attribute__((vector_size(16)));

float portable(std::int64_t rounds) {
  Four sums[kChains] = {};
  Four a = {1.0F, 1.0F, 1.0F, 1.0F}, b = {1e-9F, 1e-9F, 1e-9F, 1e-9F};
  for (std::int64_t i = 0; i < rounds; ++i) {
    asm volatile("" : "+x"(a), "+x"(b));  // not to be computed once for all
    for (Four& sum : sums) sum = sum * a + b;
  }
  float total = 0;
  for (const Four& sum : sums) total += sum[0] + sum[3];
  return total;
}
bool always() { return true; }

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) float avx2(std::int64_t rounds) {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  __m256 a = _mm256_set1_ps(1.0F), b = _mm256_set1_ps(1e-9F);
  for (std::int64_t i = 0; i < rounds; ++i) {
    asm volatile("" : "+x"(a), "+x"(b));
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, a, b);
  }
  float total = 0;
  for (const __m256& sum : sums) total += _mm256_cvtss_f32(sum);
  return total;
}
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

__attribute__((target("avx512f"))) float avx512(std::int64_t rounds) {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  __m512 a = _mm512_set1_ps(1.0F), b = _mm512_set1_ps(1e-9F);
  for (std::int64_t i = 0; i < rounds; ++i) {
    asm volatile("" : "+v"(a), "+v"(b));
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, a, b);
  }
  float total = 0;
  for (const __m512& sum : sums) total += _mm512_cvtss_f32(sum);
  return total;
}
bool has_avx512() { return __builtin_cpu_supports("avx512f"); }

__attribute__((target("avx512f,avx512vnni"))) float vnni(std::int64_t rounds) {
  __m512i sums[kChains];
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  __m512i a = _mm512_set1_epi8(1), b = _mm512_set1_epi8(2);
  for (std::int64_t i = 0; i < rounds; ++i) {
    asm volatile("" : "+v"(a), "+v"(b));
    for (__m512i& sum : sums) sum = _mm512_dpbusd_epi32(sum, a, b);
  }
  __m512i all = sums[0];
  for (int i = 1; i < kChains; ++i) all = _mm512_add_epi32(all, sums[i]);
  return static_cast<float>(_mm_cvtsi128_si32(_mm512_castsi512_si128(all)));
}
bool has_vnni() { return has_avx512() && __builtin_cpu_supports("avx512vnni"); }

__attribute__((target("avx512f,avx512bf16"))) float bf16(std::int64_t rounds) {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  __m512bh a, b;
  std::memset(&a, 0x3c, sizeof a);
  std::memset(&b, 0x3d, sizeof b);
  for (std::int64_t i = 0; i < rounds; ++i) {
    asm volatile("" : "+v"(a), "+v"(b));
    for (__m512& sum : sums) sum = _mm512_dpbf16_ps(sum, a, b);
  }
  float total = 0;
  for (const __m512& sum : sums) total += _mm512_cvtss_f32(sum);
  return total;
}
bool has_bf16() { return has_avx512() && __builtin_cpu_supports("avx512bf16"); }

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

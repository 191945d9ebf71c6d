#include "quant/sketch_team.h"

#include <algorithm>
#include <chrono>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace strata {

namespace {

// Fewer elements are counted sooner than another thread is told.
constexpr std::size_t kSmall = 65536;
constexpr std::size_t kLeastPart = 32768;  // what a thread has counted must be added up, too
// Tensors of one run follow each other closely; between runs threads sleep.
constexpr auto kAwake = std::chrono::microseconds(50);
// On a busy machine a helper may be stopped in the middle of its part, and be waited for
// longer than it can help.
constexpr auto kLate = std::chrono::microseconds(500);
constexpr int kTurnsAlone = 200;

void rest() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

SketchTeam::SketchTeam(int members) : results_(static_cast<std::size_t>(std::max(members, 1))) {
  for (std::size_t i = 1; i < results_.size(); ++i)
    threads_.emplace_back([this, i] { stand_by(i); });
}

SketchTeam::~SketchTeam() {
  leave_ = true;
  ++turn_;
  turn_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void SketchTeam::take_parts(std::size_t member) {
  while (results_[member]) {
    const std::size_t first = next_.fetch_add(part_bytes_);
    if (first >= elements_.size()) return;
    const auto part = elements_.subspan(first, std::min(part_bytes_, elements_.size() - first));
    results_[member] = sketches_[member].add(type_, part);
  }
}

void SketchTeam::stand_by(std::size_t member) {
  for (std::uint32_t seen = 0; !leave_;) {
    const auto end = std::chrono::steady_clock::now() + kAwake;
    while (turn_ == seen && std::chrono::steady_clock::now() < end) rest();
    turn_.wait(seen);
    seen = turn_;
    // The caller takes the offer back before it looks whether somebody is inside.
    ++inside_;
    if (offered_) take_parts(member);
    if (--inside_ == 0) inside_.notify_all();
  }
}

void SketchTeam::wait_for_helpers() {
  const auto start = std::chrono::steady_clock::now();
  auto waited = std::chrono::steady_clock::duration::zero();
  while (inside_ != 0 && waited < kAwake) {
    rest();
    waited = std::chrono::steady_clock::now() - start;
  }
  for (int inside = inside_; inside != 0; inside = inside_) inside_.wait(inside);
  if (std::chrono::steady_clock::now() - start > kLate) alone_ = kTurnsAlone;
}

Status SketchTeam::add(std::span<Sketch> sketches, DType type, std::span<const std::byte> elements,
                       std::int64_t inner) {
  const std::size_t size = static_cast<std::size_t>(bits(type)) / 8;
  const bool large = size != 0 && elements.size() >= kSmall * size;
  const bool together = large && alone_ == 0 && !threads_.empty() && sketches[0].channels() == 0;
  if (large && alone_ > 0) --alone_;
  if (!together) return sketches[0].add(type, elements, inner);

  sketches_ = sketches;
  type_ = type;
  elements_ = elements;
  const std::size_t parts = 3 * this->size();
  part_bytes_ = std::max(elements.size() / size / parts + 1, kLeastPart) * size;
  next_ = 0;
  std::fill(results_.begin(), results_.end(), Status());
  offered_ = true;
  ++turn_;
  turn_.notify_all();
  take_parts(0);
  offered_ = false;
  wait_for_helpers();
  for (const Status& result : results_)
    if (!result) return result;
  return {};
}

}  // namespace strata

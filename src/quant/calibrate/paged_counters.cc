#include "calibrate/paged_counters.h"

#include <algorithm>

namespace strata {

std::uint64_t PagedCounters::at(std::uint32_t position) const {
  const std::size_t number = number_[position / kPageSize];
  if (number == 0) return 0;
  const std::uint64_t low = counts_[(number - 1) * kPageSize + position % kPageSize];
  if (carried_.empty()) return low;
  const auto carried = carried_.find(position);
  return carried == carried_.end() ? low : low + (std::uint64_t{carried->second} << 32);
}

std::uint32_t* PagedCounters::page_for_writing(std::uint32_t page) {
  if (number_[page] == 0) {
    counts_.resize(counts_.size() + kPageSize);
    number_[page] = static_cast<std::uint16_t>(counts_.size() / kPageSize);
  }
  return counts_.data() + (number_[page] - std::size_t{1}) * kPageSize;
}

void PagedCounters::add(std::uint32_t position, std::uint64_t count) {
  if (count == 0) return;
  std::uint32_t& low = page_for_writing(position / kPageSize)[position % kPageSize];
  const std::uint64_t sum = low + (count & 0xffffffff);
  low = static_cast<std::uint32_t>(sum);
  const auto high = static_cast<std::uint32_t>((count >> 32) + (sum >> 32));
  if (high != 0) carried_[position] += high;
}

void PagedCounters::add_page(std::uint32_t page, std::span<const std::uint32_t, kPageSize> counts) {
  // The arrays do not overlap, and carries are rare, so both loops are vectorised.
  const std::uint32_t* __restrict more = counts.data();
  std::uint32_t any = 0;
  for (std::uint32_t i = 0; i < kPageSize; ++i) any |= more[i];
  if (any == 0) return;
  std::uint32_t* __restrict sums = page_for_writing(page);
  std::uint32_t carries = 0;
  for (std::uint32_t i = 0; i < kPageSize; ++i) {
    sums[i] += more[i];
    carries |= sums[i] < more[i] ? 1U : 0U;
  }
  if (carries == 0) return;
  for (std::uint32_t i = 0; i < kPageSize; ++i)
    if (sums[i] < more[i]) ++carried_[page * kPageSize + i];
}

void PagedCounters::clear_page(std::uint32_t page) {
  if (number_[page] == 0) return;
  std::fill_n(page_for_writing(page), kPageSize, 0U);
  const std::uint32_t first = page * kPageSize;
  carried_.erase(carried_.lower_bound(first), carried_.lower_bound(first + kPageSize));
}

std::size_t PagedCounters::heap_bytes() const {
  constexpr std::size_t kNode = 48;  // approximate size of a std::map node
  return counts_.capacity() * sizeof(std::uint32_t) + carried_.size() * kNode;
}

bool operator==(const PagedCounters& a, const PagedCounters& b) {
  static constexpr std::uint32_t kZeros[PagedCounters::kPageSize] = {};
  const auto page_of = [](const PagedCounters& counters, std::uint32_t page) {
    const std::size_t number = counters.number_[page];
    return number == 0 ? kZeros : counters.counts_.data() + (number - 1) * PagedCounters::kPageSize;
  };
  for (std::uint32_t page = 0; page < PagedCounters::kPages; ++page)
    if (!std::equal(page_of(a, page), page_of(a, page) + PagedCounters::kPageSize,
                    page_of(b, page)))
      return false;
  return a.carried_ == b.carried_;
}

}  // namespace strata

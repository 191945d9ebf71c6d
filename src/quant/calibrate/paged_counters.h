// Counters of a sketch, most of which are zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace strata {

// There are 576 pages of 128 counters: an octave of one sign, or 128 of the finer steps. A page is
// stored if one of its counters is not zero. Counters have 32 bits; their carries are stored
// separately, so none overflows below 2^64. A typical activation takes 30 to 60 KB, and none takes
// more than 290 KB.
class PagedCounters {
 public:
  static constexpr std::uint32_t kPageSize = 128;
  static constexpr std::uint32_t kPages = 576;

  std::uint64_t at(std::uint32_t position) const;
  void add(std::uint32_t position, std::uint64_t count);
  void add_page(std::uint32_t page, std::span<const std::uint32_t, kPageSize> counts);
  void clear_page(std::uint32_t page);

  // Calls visit(position, count) for every counter that is not zero, in order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::uint32_t page = 0; page < kPages; ++page) {
      if (number_[page] == 0) continue;
      for (std::uint32_t i = 0; i < kPageSize; ++i)
        if (const std::uint64_t count = at(page * kPageSize + i); count != 0)
          visit(page * kPageSize + i, count);
    }
  }

  std::size_t heap_bytes() const;
  // Call it shortly before the counters are written to: it brings them into the cache.
  void prefetch() const {
    for (std::size_t i = 0; i < counts_.size(); i += 16) __builtin_prefetch(&counts_[i], 1, 2);
  }
  friend bool operator==(const PagedCounters& a, const PagedCounters& b);

 private:
  std::uint32_t* page_for_writing(std::uint32_t page);

  std::array<std::uint16_t, kPages> number_ = {};  // page number in counts_, from 1; 0: all zeros
  std::vector<std::uint32_t> counts_;
  std::map<std::uint32_t, std::uint32_t> carried_;  // in units of 2^32
};

}  // namespace strata
